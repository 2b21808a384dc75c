//! Lines that go although the instruction only asks to add something.

use std::collections::HashSet;

use super::names::{Asked, Mentions};
use super::wording::{REPLACING, has_stem};
use crate::edit::check::is_comment;
use crate::edit::check::placeholder_comment::Run;
use crate::text::ident;

/// The first words of an instruction after which all code stays, or changes a little.
const ADDING: [&str; 20] = [
    "accept", "add", "also", "answer", "check", "complain", "count", "document", "fail", "guard", "ignore",
    "limit", "log", "mention", "raise", "refuse", "reject", "validate", "wait", "warn",
];

/// How many of the lines a refusal quotes.
const QUOTED: usize = 5;

/// The lines of code of which most words are in no new line in their place, and which are not moved either.
pub(super) fn lost(runs: &[Run<'_>], after: &str, asked: Asked<'_>) -> Vec<String> {
    let first = ident::words(asked.instruction).next().unwrap_or_default().to_lowercase();
    if !ADDING.contains(&first.as_str()) || has_stem(asked.instruction, &REPLACING, &|_| false) {
        return Vec::new();
    }
    let kept: HashSet<&str> = runs.iter().flat_map(|run| &run.new).copied().collect();
    let mut lost = Vec::new();
    for run in runs {
        let words: HashSet<&str> = run.new.iter().flat_map(|line| ident::words(line)).collect();
        let is_lost = |line: &&&str| {
            let own: HashSet<&str> = ident::words(line).collect();
            own.len() > 1
                && !is_comment(line)
                // Other lines are the prose of documentation.
                && line.contains(['(', '=', '{', ';', '['])
                && !kept.contains(**line)
                && own.intersection(&words).count() * 2 < own.len()
        };
        lost.extend(run.old.iter().filter(is_lost).map(|line| (*line).to_owned()));
    }
    if !lost.is_empty() && Mentions::of(asked, after).of_removal() {
        lost.clear();
    }
    lost.truncate(QUOTED);
    lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::placeholder_comment::{runs, visible};

    /// Checks the lines of some code that a new version lacks.
    #[track_caller]
    fn check(instruction: &str, new: &str, expected: &[&str]) {
        let old = ".list {\n  margin: 0;\n  padding: 0;\n}\n";
        let found = lost(&runs(&visible(old), &visible(new)), new, Asked { instruction, reply: new });
        assert_eq!(found, expected, "{new}");
    }

    #[test]
    fn what_adds_something_removes_nothing() {
        let gap = ".list {\n  gap: 1px;\n}\n";
        check("Add a gap", gap, &["margin: 0;", "padding: 0;"]);
        check("Use a gap", gap, &[]);
        check("Add a gap instead of the padding", gap, &[]);
        check("Add a gap", ".list {\n  margin: 0;\n  padding: 1px;\n  gap: 1px;\n}\n", &[]);
        check("Add a gap", ".list {\n  padding: 0;\n  gap: 1px;\n  margin: 0;\n}\n", &[]);
    }
}
