//! Next edits without a model, in the histories of real projects.
//!
//! `cargo bench --bench commits -- [--most N] [--show CLASS] DIR…` takes up to N commits (300 by default) of
//! each git folder, bare or not. `--show wrong` prints each offer that the commit does not have,
//! `--show near` and `--show 'in place'` those that it has, `--show missed` each hunk that repeats an earlier one and was not offered.
//!
//! The files of a commit are open as they were before it. Its hunks are typed from top to bottom, and after
//! each of them the local engine is asked for the next edit, as an editor does. What is offered and in the commit
//! is *right* and accepted; all else is *wrong* and rejected. It is in the commit if it lies on a shortest way to
//! the commit's own text (*near*), or if the lines that it makes stand in the commit's version of that place, one
//! after the other, and those that they replace do not. A hunk *repeats* if every one of its changes, words for words, was made by an earlier hunk of the same commit; it
//! is *offered* if nothing of it had to be typed.

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

/// Commits of each folder, unless told otherwise.
const MOST_COMMITS: usize = 300;
/// How many files a commit changes.
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
