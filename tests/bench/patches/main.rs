//! Real commits, rendered as models write them, and read back as in `tandem apply --root`.
//!
//! `cargo bench --bench patches -- [--most N] [--one] [--show] DIR…` takes up to N commits (300 by default) of each git
//! folder, bare or not: of several files, or with `--one` of a single one. `--show` prints each case that is not exact.
//!
//! Each reply is planned against the tree of the commit's parent, in memory, with the commit's message as the
//! instruction, and compared with the commit's own tree. A
//! case is *exact*, *refused* with a reason, *partial* (some of its files are as in the commit, and the others
//! unchanged) or *wrong*. Changes that a format cannot express, such as a deletion in search/replace, and changes
//! that no reply may make, of files that hold secrets or with new keys, are skipped and counted separately. Partial
//! and wrong cases fail the run.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking, and prints")]

mod damage;
#[path = "../git.rs"]
mod git;
mod render;
mod tree;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;

use damage::Damage;
use git::{Commit, Repository};
use render::Format;
use tandem::edit::plan::{self, Permissions};
use tandem::privacy::{PathRules, Verdict};
use tree::Tree;

/// Commits of each folder, by default.
const MOST_COMMITS: usize = 300;
/// The number of files that a commit may change.
const FILES: RangeInclusive<usize> = 3..=12;

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Exact,
    /// The reason, as a code and in words.
    Refused(&'static str, String),
    Partial,
    Wrong(String),
}

/// The outcomes of one kind of case.
#[derive(Default)]
struct Tally {
    exact: usize,
    partial: usize,
    wrong: usize,
    refused: BTreeMap<&'static str, usize>,
    unsayable: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Exact => self.exact += 1,
            Outcome::Partial => self.partial += 1,
            Outcome::Wrong(_) => self.wrong += 1,
            Outcome::Refused(code, _) => *self.refused.entry(code).or_default() += 1,
        }
    }

    fn line(&self, name: &str) -> String {
        let refused: usize = self.refused.values().sum();
        let all = self.exact + refused + self.partial + self.wrong;
        let share = 100.0 * self.exact as f64 / all.max(1) as f64;
        let list = |counts: &mut dyn Iterator<Item = (&str, usize)>| {
            counts.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
        };
        let reasons = list(&mut self.refused.iter().map(|(name, count)| (*name, *count)));
        let unsayable = list(&mut self.unsayable.iter().map(|(name, count)| (*name, *count)));
        format!(
            "{name:<30} {all:>5} {:>6} {share:>6.1} % {refused:>7} {:>7} {:>5}   {reasons}{}{unsayable}",
            self.exact,
            self.partial,
            self.wrong,
            if unsayable.is_empty() { "" } else { " | cannot be said: " },
        )
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).filter(|it| it != "--bench");
    let (mut folders, mut most, mut files, mut show) = (Vec::new(), MOST_COMMITS, FILES, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--most" => most = arguments.next().unwrap().parse().unwrap(),
            "--one" => files = 1..=1,
            "--show" => show = true,
            _ => folders.push(argument),
        }
    }
    let mut tallies: BTreeMap<(Format, Option<Damage>), Tally> = BTreeMap::new();
    let (mut count, rules) = (0, PathRules::default());
    for folder in &folders {
        let repository = Repository::new(Path::new(folder));
        for commit in repository.commits(most, files.clone()) {
            count += 1;
            let has_secrets =
                after(&commit).keys().any(|path| matches!(rules.verdict(path), Verdict::Secret(_)));
            let instruction = repository.git(&["log", "-1", "--format=%B", &commit.hash]);
            for format in Format::ALL {
                let tally = tallies.entry((format, None)).or_default();
                let rendered = match has_secrets {
                    true => Err("files that hold secrets"),
                    false => render::render(&repository, &commit, format),
                };
                let reply = match rendered {
                    Ok(reply) => reply,
                    Err(why) => {
                        *tally.unsayable.entry(why).or_default() += 1;
                        continue;
                    }
                };
                let tree = Tree::of(&repository, &commit);
                let outcome = apply(&tree, &instruction, &reply, &after(&commit));
                if let Outcome::Refused("secret", _) = outcome {
                    *tally.unsayable.entry("new keys").or_default() += 1;
                    continue;
                }
                tally.add(&outcome);
                report(show, folder, &commit, format, None, &outcome);
                for damage in Damage::ALL {
                    let Some(case) = damage.of(&commit, format, &reply) else { continue };
                    let tree = tree.with(case.changed);
                    let outcome = apply(&tree, &instruction, &case.reply, &case.after);
                    tallies.entry((format, Some(damage))).or_default().add(&outcome);
                    report(show, folder, &commit, format, Some(damage), &outcome);
                }
            }
        }
    }
    println!("{count} commits, each of {} to {} text files", files.start(), files.end());
    println!(
        "{:<30} {:>5} {:>6} {:>8} {:>7} {:>7} {:>5}",
        "", "cases", "exact", "", "refused", "partial", "wrong"
    );
    for ((format, damage), tally) in &tallies {
        let name =
            damage.map_or(format.name().to_owned(), |it| format!("  {}, {}", format.name(), it.name()));
        println!("{}", tally.line(&name));
    }
    let is_bad = tallies.values().any(|tally| tally.partial + tally.wrong > 0);
    if is_bad { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The text of each path that a commit changes, after the commit.
fn after(commit: &Commit) -> BTreeMap<String, Option<String>> {
    let gone = commit.files.iter().filter_map(|file| Some((file.old.as_ref()?.0.clone(), None)));
    let come = commit.files.iter().filter_map(|file| file.new.clone()).map(|(path, text)| (path, Some(text)));
    gone.chain(come).collect()
}

fn report(
    show: bool,
    folder: &str,
    commit: &Commit,
    format: Format,
    damage: Option<Damage>,
    outcome: &Outcome,
) {
    let expected = match damage {
        None => *outcome == Outcome::Exact,
        Some(_) => !matches!(outcome, Outcome::Partial | Outcome::Wrong(_)),
    };
    if show && !expected {
        let damage = damage.map_or("", Damage::name);
        println!("{folder} {} {} {damage}: {outcome:?}", commit.hash, format.name());
    }
}

/// Plans a reply against a tree, and compares the changed files with the expected ones.
fn apply(
    tree: &Tree<'_>,
    instruction: &str,
    reply: &str,
    after: &BTreeMap<String, Option<String>>,
) -> Outcome {
    let rules = PathRules::default();
    let set = match plan::plan(
        reply,
        tree,
        Permissions { access: &|path| rules.verdict(path), instruction, allow_invisible: false },
    ) {
        Ok(set) => set,
        Err(refusal) => return Outcome::Refused(refusal.code(), refusal.to_string()),
    };
    let mut result: BTreeMap<String, Option<String>> = BTreeMap::new();
    for file in set.files() {
        if file.new_path() != Some(&file.path) {
            result.insert(file.path.clone(), None);
        }
        if let (Some(path), Some(text)) = (file.new_path(), file.new_text()) {
            result.insert(path.to_owned(), Some(text.into_owned()));
        }
    }
    let mut missing = 0;
    for (path, expected) in after {
        let before = tree.text(path);
        match result.remove(path) {
            Some(text) if text == *expected => {}
            None if before == *expected => {}
            Some(text) if text != before => return Outcome::Wrong(path.clone()),
            Some(_) | None => missing += 1,
        }
    }
    if let Some((path, _)) = result.iter().find(|(path, text)| tree.text(path) != **text) {
        return Outcome::Wrong(path.clone());
    }
    match missing {
        0 => Outcome::Exact,
        all if all == after.len() => Outcome::Refused("unchanged", String::new()),
        _ => Outcome::Partial,
    }
}
