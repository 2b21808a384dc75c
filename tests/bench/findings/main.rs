//! Findings on real commits, which are correct, and on the same commits with a planted mistake.
//!
//! `cargo bench --bench findings -- [--most N] [--show] DIR…` takes up to N commits (300 by default) of each git
//! folder, bare or not. `--show` prints each finding on a real commit, and each mistake that was not found.
//!
//! A commit of 1 to 16 text files, code among them, is a correct plan with correct steps. Its changes are merged like
//! those of a plan, against the tree of its parent, and any finding on them is a *false alarm*. Each mistake is of a
//! kind that models make, planted in the commit's own new text where it fits. It is *found* if there is a finding
//! that the real commit does not have.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark fails by panicking, and prints"
)]

#[path = "../git.rs"]
mod git;
mod mistake;
mod project;
#[expect(dead_code, reason = "other benches need trees with other texts")]
#[path = "../patches/tree.rs"]
mod tree;

use std::collections::BTreeMap;
use std::path::Path;

use git::{Changed, Commit, Repository};
use mistake::Mistake;
use project::History;
use tandem::assist::plan::{self, Finding};
use tandem::edit::EditSet;
use tandem::edit::diff::minimal;
use tandem::edit::edit_set::{Base, Change, FileEdit, Revision};
use tandem::edit::plan::{Permissions, assemble};
use tandem::grammar;
use tandem::privacy::PathRules;
use tree::Tree;

/// Commits of each folder, by default.
const MOST_COMMITS: usize = 300;
/// The number of files that a commit may change.
const FILES: std::ops::RangeInclusive<usize> = 1..=16;

/// The counts of one folder.
#[derive(Default)]
struct Figures {
    commits: usize,
    /// Commits whose changes cannot be merged, such as those that contain secrets.
    refused: usize,
    alarmed: usize,
    findings: BTreeMap<&'static str, usize>,
    /// The number of times that each mistake was planted, and found.
    mistakes: BTreeMap<Mistake, (usize, usize)>,
}

impl Figures {
    fn add(&mut self, other: &Self) {
        self.commits += other.commits;
        self.refused += other.refused;
        self.alarmed += other.alarmed;
        for (code, count) in &other.findings {
            *self.findings.entry(code).or_default() += count;
        }
        for (mistake, (planted, found)) in &other.mistakes {
            let sum = self.mistakes.entry(*mistake).or_default();
            (sum.0, sum.1) = (sum.0 + planted, sum.1 + found);
        }
    }

    fn line(&self, name: &str) -> String {
        let share = 100.0 * self.alarmed as f64 / self.commits.max(1) as f64;
        let codes: Vec<String> =
            self.findings.iter().map(|(code, count)| format!("{code} {count}")).collect();
        let Self { commits, refused, alarmed, .. } = self;
        format!("{name:<28} {commits:>7} {refused:>7} {alarmed:>7} {share:>6.2} %   {}", codes.join(", "))
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|it| it != "--bench");
    let (mut folders, mut most, mut show) = (Vec::new(), MOST_COMMITS, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--most" => most = arguments.next().unwrap().parse().unwrap(),
            "--show" => show = true,
            _ => folders.push(argument),
        }
    }
    println!("{:<28} {:>7} {:>7} {:>7} {:>8}   findings", "", "commits", "refused", "alarmed", "");
    let mut all = Figures::default();
    for folder in &folders {
        let figures = replay(folder, most, show);
        println!("{}", figures.line(&name(folder)));
        all.add(&figures);
    }
    println!("{}\n", all.line("all"));
    for (mistake, (planted, found)) in &all.mistakes {
        let share = 100.0 * *found as f64 / (*planted).max(1) as f64;
        println!("{:<28} {planted:>7} planted {found:>7} found {share:>6.1} %", mistake.name());
    }
}

/// The part of a folder's path that distinguishes it from others.
fn name(folder: &str) -> String {
    let mut parts = Path::new(folder).iter().filter_map(|it| it.to_str());
    parts.rfind(|it| !["repo", ".git", "/"].contains(it)).unwrap_or(folder).to_owned()
}

fn replay(folder: &str, most: usize, show: bool) -> Figures {
    let repository = Repository::new(Path::new(folder));
    let mut history = History::new(&repository);
    let mut figures = Figures::default();
    let has_code = |commit: &Commit| commit.files.iter().any(is_code);
    for commit in repository.commits(usize::MAX, FILES).filter(has_code).take(most) {
        let tree = Tree::of(&repository, &commit);
        let Some(set) = together(&tree, &commit.files) else {
            figures.refused += 1;
            continue;
        };
        figures.commits += 1;
        let project = history.before(&commit.hash);
        let alarms = findings(&project, &set);
        figures.alarmed += usize::from(!alarms.is_empty());
        for alarm in &alarms {
            *figures.findings.entry(alarm.problem.code()).or_default() += 1;
            if show {
                println!("  {} {alarm}", &commit.hash[..12]);
            }
        }
        for mistake in Mistake::ALL {
            let Some((files, what)) = mistake.plant(&commit) else { continue };
            let Some(set) = together(&tree, &files) else { continue };
            let is_found = findings(&project, &set).iter().any(|it| !alarms.contains(it));
            let counted = figures.mistakes.entry(mistake).or_default();
            (counted.0, counted.1) = (counted.0 + 1, counted.1 + usize::from(is_found));
            if show && !is_found {
                println!("  {} missed: {}: {what}", &commit.hash[..12], mistake.name());
            }
        }
    }
    figures
}

/// Whether a file is code in a language whose definitions are known.
fn is_code(file: &Changed) -> bool {
    let path = file.new.as_ref().or(file.old.as_ref()).map(|(path, _)| path.as_str()).unwrap_or_default();
    grammar::by_path(Path::new(path)).is_some_and(|it| it.facts().modules.is_some())
}

/// The findings that block writing a plan.
fn findings(project: &plan::Project, set: &EditSet) -> Vec<Finding> {
    let mut findings = plan::check(project, set);
    findings.retain(|it| it.problem.code() != "unchecked-names");
    findings
}

/// The changes as one set; `None` if an edit engine must not make them.
fn together(tree: &Tree<'_>, files: &[Changed]) -> Option<EditSet> {
    let rules = PathRules::default();
    let permissions =
        Permissions { access: &|path| rules.verdict(path), instruction: "", allow_invisible: false };
    assemble(files.iter().map(file_edit).collect(), tree, permissions).ok()
}

fn file_edit(file: &Changed) -> FileEdit {
    let base = |text: &str| Base { text: text.to_owned(), revision: Revision::of_bytes(text.as_bytes()) };
    let (path, change) = match (&file.old, &file.new) {
        (Some((path, old)), Some((to, new))) if path == to => {
            (path, Change::Edit { base: base(old), edits: minimal(old, new) })
        }
        (Some((path, old)), Some((to, new))) => {
            (path, Change::Rename { base: base(old), edits: minimal(old, new), to: to.clone() })
        }
        (Some((path, old)), None) => (path, Change::Delete { base: base(old) }),
        (None, Some((path, text))) => (path, Change::Create { text: text.clone() }),
        (None, None) => panic!("a change has a side"),
    };
    FileEdit { path: path.clone(), change, flags: Vec::new() }
}
