//! The cost of asking another language server for ghost text: the same requests to it through Tandem and without.

use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context as _, Result, bail, ensure};
use tempfile::TempDir;

use crate::driver::Driver;
use crate::rig::{self, Setup, Subject, milliseconds};
use crate::source::Source;
use crate::table::{Row, Samples, Show, Unit};
use crate::typist::Typist;

/// What the language server suggests, and the time that it takes for it, in ms.
const SUGGESTION: &str = "Quartz_value.scale_by_seven.floor_to_edge;";
const PACE: u64 = 20;
const LINES: usize = 1_000;
/// The pause between two keys.
const PAUSE: Duration = Duration::from_millis(30);

/// A completion of a language server beyond the time that it takes itself. The floor is the server without Tandem.
pub(crate) fn language_server(setup: &Setup) -> Result<Vec<Row>> {
    let mut sides = Vec::new();
    for subject in Subject::BOTH {
        let home = tempfile::tempdir()?;
        let mut driver = Driver::spawn(command(subject, setup, home.path())?)?;
        driver.initialize(&format!("file://{}", home.path().display()))?;
        let typist = open(&driver, &home)?;
        sides.push((subject, driver, typist, Samples::default(), home));
    }
    for round in 0..=setup.rounds(10) {
        for (subject, driver, typist, times, _) in &mut sides {
            driver.notify("textDocument/didChange", typist.begin_pass())?;
            for _ in 0..50 {
                thread::sleep(PAUSE);
                let time = complete(driver, typist)
                    .with_context(|| format!("{subject:?}{}", driver.last_words()))?;
                // The first round starts the server and fills the caches.
                if round > 0 {
                    times.push(time - PACE as f64);
                }
            }
        }
        sides.reverse();
    }
    sides.sort_by_key(|(subject, ..)| *subject == Subject::Tandem);
    let mut samples = sides.into_iter().map(|(_, _, _, times, _)| times);
    Ok(vec![Row {
        figure: "completion of a language server over its own time".to_owned(),
        unit: Unit::Milliseconds,
        show: Show::Percentiles,
        detail: false,
        floor: samples.next(),
        tandem: samples.next().context("two sides are measured")?,
    }])
}

/// The language server itself, or Tandem with it as its candidate.
fn command(subject: Subject, setup: &Setup, home: &Path) -> Result<Command> {
    let pace = PACE.to_string();
    let arguments = ["simulate", "--language-server", "--suggest", SUGGESTION, "--ttft-ms", &pace];
    match subject {
        Subject::Floor => {
            let mut command = Command::new(&setup.server);
            command.args(arguments);
            Ok(command)
        }
        Subject::Tandem => {
            let program = setup.server.to_str().context("a path that is not UTF-8")?;
            let provider = format!("wire = \"lsp\"\ncommand = {:?}", [&[program], &arguments[..]].concat());
            rig::configured(setup, home, &provider, "")
        }
    }
}

fn open(driver: &Driver, home: &TempDir) -> Result<Typist> {
    let source = Source::rust(LINES, 1);
    let path = home.path().join(&source.name);
    fs::write(&path, &source.text)?;
    let typist = Typist::new(format!("file://{}", path.display()), source)?;
    driver.notify("textDocument/didOpen", typist.open())?;
    Ok(typist)
}

/// Types a key and requests a completion; returns its time in ms.
fn complete(driver: &mut Driver, typist: &mut Typist) -> Result<f64> {
    driver.notify("textDocument/didChange", typist.next_key())?;
    let (id, written) = driver.request("textDocument/inlineCompletion", typist.completion())?;
    let answer = driver.answer(id)?;
    let Ok(result) = answer.result else { bail!("a completion failed") };
    let items = result.get("items").unwrap_or(&result);
    let text = items[0]["insertText"].as_str().unwrap_or_default();
    ensure!(text.contains("Quartz"), "the answer has no text: {result}");
    Ok(milliseconds(written, answer.read))
}
