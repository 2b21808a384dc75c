//! The part of the files that a commit changes which a planner is shown.
//!
//! `cargo bench --bench overview -- [--most N] [--show] DIR…` takes up to N commits (100 by default) of each git
//! folder, bare or not. For each commit, the first line of its message is the instruction, and the tree of its parent
//! the project. Each code file that the commit changes or removes counts once, by the most detailed form in which it
//! is shown. `--show` prints the files of which only the path is shown.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking, and prints")]

#[expect(dead_code, reason = "other benches read the texts afterwards")]
#[path = "../git.rs"]
mod git;
#[path = "../findings/project.rs"]
mod project;

use std::collections::BTreeMap;
use std::path::Path;

use git::{Commit, Repository};
use project::History;
use tandem::assist::plan;
use tandem::grammar::{self, QueryKind};

/// Estimated bytes per token.
const TOKEN_BYTES: f64 = 3.5;

/// The most detailed form in which a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Nothing,
    Path,
    Names,
    Outline,
    Code,
}

fn main() {
    let mut folders = Vec::new();
    let (mut most, mut show) = (100, false);
    let mut arguments = std::env::args().skip(1).filter(|it| it != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--most" => most = arguments.next().unwrap().parse().unwrap(),
            "--show" => show = true,
            _ => folders.push(argument),
        }
    }
    println!("| project | commits | files | code | outline | names | path | nothing | tokens |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for folder in &folders {
        let repository = Repository::new(Path::new(folder));
        let mut history = History::new(&repository);
        let mut counts: BTreeMap<Shown, usize> = BTreeMap::new();
        let (mut commits, mut sizes) = (0, Vec::new());
        for commit in repository.commits(10 * most, 1..=16) {
            let files = changed(&commit);
            if files.is_empty() {
                continue;
            }
            let subject = repository.git(&["log", "-1", "--format=%s", &commit.hash]);
            let project = history.before(&commit.hash);
            let text = plan::overview(&project, subject.trim());
            sizes.push(text.len());
            for path in files {
                let shown = most_shown(&text, path);
                *counts.entry(shown).or_default() += 1;
                if show && shown < Shown::Outline {
                    println!("{} {}: {shown:?} of {path}", &commit.hash[..8], subject.trim());
                }
            }
            commits += 1;
            if commits == most {
                break;
            }
        }
        let all: usize = counts.values().sum();
        let share = |shown| format!("{:.0} %", 100.0 * count(&counts, shown) as f64 / all as f64);
        sizes.sort_unstable();
        println!(
            "| {} | {commits} | {all} | {} | {} | {} | {} | {} | {:.0} |",
            folder.trim_end_matches("/repo").rsplit('/').next().unwrap(),
            share(Shown::Code),
            share(Shown::Outline),
            share(Shown::Names),
            share(Shown::Path),
            share(Shown::Nothing),
            sizes.get(sizes.len() / 2).copied().unwrap_or_default() as f64 / TOKEN_BYTES,
        );
    }
}

fn count(counts: &BTreeMap<Shown, usize>, shown: Shown) -> usize {
    counts.get(&shown).copied().unwrap_or_default()
}

/// The code files that exist before a commit and that it changes or removes.
fn changed(commit: &Commit) -> Vec<&str> {
    let is_code = |path: &&str| {
        grammar::by_path(Path::new(path)).is_some_and(|it| it.query(QueryKind::References).is_some())
    };
    let old = commit.files.iter().filter_map(|it| it.old.as_ref());
    old.map(|(path, _)| path.as_str()).filter(is_code).collect()
}

/// The most detailed form in which a text shows a file: its lines, its definitions, or its path.
fn most_shown(text: &str, path: &str) -> Shown {
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    let mut shown = Shown::Nothing;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let has_more = lines.peek().is_some_and(|line| line.starts_with(' '));
        shown = shown.max(match line.strip_prefix(path) {
            Some("") if has_more => Shown::Outline,
            Some("") => Shown::Path,
            Some(rest) if rest.starts_with(": ") => Shown::Names,
            Some(rest) if rest.starts_with(':') => Shown::Code,
            _ if line
                .strip_prefix(folder)
                .and_then(|it| it.strip_prefix("/: "))
                .is_some_and(|names| names.split(' ').any(|it| it == name)) =>
            {
                Shown::Path
            }
            _ => Shown::Nothing,
        });
    }
    shown
}
