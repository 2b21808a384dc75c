//! The cost of the other files: a completion whose prompt includes them, and one while they are indexed.
//!
//! Here the floor is the server itself, in the same folder, without the measured feature.

use std::fs;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;
use tempfile::TempDir;

use crate::rig::{Completion, Rig, Setup, Subject};
use crate::source::Source;
use crate::table::{Row, Samples, Show, Unit};
use crate::typist::Typist;

/// Lines of the file that is typed in.
const LINES: usize = 1_000;
/// The pause between two keys.
const PAUSE: Duration = Duration::from_millis(30);
/// Files around it, and their lines.
const FILES: usize = 100;
const FILE_LINES: usize = 300;
/// Enough files for a walk to take more than a second.
const WALKED_FILES: usize = 4_000;
const WALKED_LINES: usize = 300;
/// The start of the prompt's section about other files.
const MARK: &str = "<|project";
/// A name that only the last file of a walk defines.
const LAST_NAME: &str = "the_very_last_marker";

/// Both sides of a comparison.
#[derive(Default)]
struct Sides {
    without: Samples,
    with: Samples,
}

impl Sides {
    fn of(&mut self, is_with: bool) -> &mut Samples {
        if is_with { &mut self.with } else { &mut self.without }
    }

    fn row(self, figure: &str, unit: Unit) -> Row {
        let (figure, floor) = (figure.to_owned(), Some(self.without));
        Row { figure, unit, show: Show::Percentiles, detail: false, floor, tandem: self.with }
    }
}

/// A folder of `files` files of `lines` lines.
fn folder(files: usize, lines: usize) -> Result<TempDir> {
    let folder = tempfile::tempdir()?;
    for seed in 0..files {
        let below = folder.path().join(format!("part_{}", seed % 50));
        fs::create_dir_all(&below)?;
        let source = Source::rust(lines, 1_000 + u64::try_from(seed)?);
        fs::write(below.join(&source.name), source.text)?;
    }
    Ok(folder)
}

/// The overhead of a completion beyond the model's own time where the prompt includes other files, compared with the
/// same where `privacy.context` excludes them.
pub(crate) fn context(setup: &Setup) -> Result<Vec<Row>> {
    let mut rigs = Vec::new();
    for (is_with, scope) in [(false, "file"), (true, "workspace")] {
        let settings = format!("privacy.context = \"{scope}\"\n");
        let mut rig = Rig::start_in(Subject::Tandem, setup, folder(FILES, FILE_LINES)?, &settings)?;
        let mut typist = rig.open(Source::rust(LINES, 1))?;
        // The context is gathered in a pause.
        let mut tries = 0;
        while rig.complete(&mut typist)?.exchange.prompt()?.contains(MARK) != is_with {
            tries += 1;
            ensure!(tries < 100, "{}: no prompt tells of other files", rig.explanation());
            rig.cpu.settle()?;
        }
        rigs.push((is_with, rig, typist));
    }
    let (mut overhead, mut way_in, mut frame) = <(Sides, Sides, Sides)>::default();
    for _ in 0..setup.rounds(10) {
        for (is_with, rig, typist) in &mut rigs {
            rig.begin_pass(typist)?;
            repeat(rig, typist, 10)?;
            for it in repeat(rig, typist, 50)? {
                ensure!(it.exchange.prompt()?.contains(MARK) == *is_with, "{}", rig.explanation());
                overhead.of(*is_with).push(it.overhead());
                way_in.of(*is_with).push(it.way_in());
                frame.of(*is_with).push(it.exchange.frame_bytes() as f64);
            }
        }
        rigs.reverse();
    }
    Ok(vec![
        overhead.row("completion over the model's time, with other files beside without", Unit::Milliseconds),
        way_in.row("request → frame, with other files beside without", Unit::Milliseconds).into_detail(),
        frame.row("frame sent up, with other files beside without", Unit::Bytes).into_detail(),
    ])
}

/// The overhead of a completion beyond the model's own time while the workspace is walked, compared with the same
/// when it is not.
pub(crate) fn walking(setup: &Setup) -> Result<Vec<Row>> {
    let files = folder(setup.rounds(WALKED_FILES), WALKED_LINES)?;
    // The walk is breadth-first, so this file comes last.
    let deep = files.path().join("deep/deeper/deepest");
    fs::create_dir_all(&deep)?;
    fs::write(deep.join("last.rs"), format!("pub fn {LAST_NAME}() {{}}\n"))?;
    let ignored = format!("file://{}/.gitignore", files.path().display());
    let mut rig = Rig::start_in(Subject::Tandem, setup, files, "privacy.context = \"file\"\n")?;
    let mut typist = rig.open(Source::rust(LINES, 1))?;
    let mut overhead = Sides::default();
    let (mut rounds, mut walked) = (0, 0);
    while walked < setup.rounds(20) {
        rounds += 1;
        ensure!(rounds < 200, "{}: the walks are over too soon", rig.explanation());
        rig.begin_pass(&mut typist)?;
        repeat(&mut rig, &mut typist, 5)?;
        let quiet = repeat(&mut rig, &mut typist, 10)?;
        // Changed ignore rules cause a new walk.
        let changed = json!({ "changes": [{ "uri": ignored, "type": 2 }] });
        rig.driver.notify("workspace/didChangeWatchedFiles", changed)?;
        let during = repeat(&mut rig, &mut typist, 10)?;
        if knows_all(&mut rig)? {
            continue;
        }
        walked += 1;
        overhead.without.extend(quiet.iter().map(Completion::overhead));
        overhead.with.extend(during.iter().map(Completion::overhead));
    }
    Ok(vec![overhead.row(
        "completion over the model's time, while the workspace is read beside at rest",
        Unit::Milliseconds,
    )])
}

/// Whether the last file of the walk is indexed.
fn knows_all(rig: &mut Rig) -> Result<bool> {
    let about = json!({ "command": "tandem.ask", "arguments": [{ "question": LAST_NAME, "quiet": true }] });
    let (id, _) = rig.driver.request("workspace/executeCommand", about)?;
    let answer = rig.answer(id)?.result.unwrap_or_default();
    Ok(answer["answers"].as_array().is_some_and(|it| it.iter().any(|it| it["name"] == LAST_NAME)))
}

fn repeat(rig: &mut Rig, typist: &mut Typist, count: usize) -> Result<Vec<Completion>> {
    let one = |_| {
        std::thread::sleep(PAUSE);
        rig.complete(typist)
    };
    (0..count).map(one).collect()
}
