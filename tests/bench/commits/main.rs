//! Next edits without a model, replayed over the histories of real projects.
//!
//! `cargo bench --bench commits -- [--most N] [--show CLASS] DIR…` takes up to N commits (300 by default) of each git
//! folder, bare or not. `--show wrong` prints each offer that the commit does not have, `--show near` and
//! `--show 'in place'` the offers that it has, `--show missed` each repeating hunk that was not offered.
//!
//! The files of a commit are open as they were before it. Its hunks are typed from top to bottom, and after each of
//! them the local engine is asked for the next edit, as an editor does. An offer that the commit has is *right* and
//! accepted; any other is *wrong* and rejected. The commit has it if it lies on a shortest path to the commit's own
//! text (*near*), or if the lines that it makes appear consecutively at that position in the commit's version, and
//! the lines that they replace do not. A hunk *repeats* if an earlier hunk of the same commit made each of its
//! changes, word for word; it is *offered* if none of its text had to be typed.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking, and prints")]

mod figures;
#[path = "../git.rs"]
mod git;
mod hunks;
mod judge;
mod replay;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use figures::Figures;
use git::Repository;
use replay::Replay;

/// Commits of each folder, by default.
const MOST_COMMITS: usize = 300;
/// The number of files that a commit may change.
const FILES: std::ops::RangeInclusive<usize> = 1..=16;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|it| it != "--bench");
    let (mut folders, mut most, mut show) = (Vec::new(), MOST_COMMITS, String::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--most" => most = arguments.next().unwrap().parse().unwrap(),
            "--show" => show = arguments.next().unwrap(),
            _ => folders.push(argument),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let started = Instant::now();
    let mut languages: BTreeMap<String, Figures> = BTreeMap::new();
    let mut all = Figures::default();
    for folder in &folders {
        let repository = Repository::new(Path::new(folder));
        for commit in repository.commits(most, FILES) {
            let Some(replay) = Replay::new(&commit, &show) else { continue };
            let (language, figures) = runtime.block_on(replay.run());
            languages.entry(language).or_default().add(&figures);
            all.add(&figures);
        }
    }
    println!("{}", Figures::HEAD);
    for (language, figures) in &languages {
        println!("{language:<14} {figures}");
    }
    println!("{:<14} {all}\n\n{}", "all", all.classes());
    println!("{:.0} s", started.elapsed().as_secs_f64());
}
