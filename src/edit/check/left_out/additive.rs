//! Lines that go although the instruction only asks to add something.

use std::collections::{HashMap, HashSet};

use super::comparison::Comparison;
use crate::edit::check::is_comment;
use crate::text::{counts, ident};

/// How many lines are judged, each by all new lines.
const MOST_JUDGED: usize = 50;

/// How many of the lines a refusal quotes.
const QUOTED: usize = 5;

/// The lines of code of which most words are in no new line in their place, and not in one of another place either.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    if !compared.intent.adds {
        return Vec::new();
    }
    let (runs, is_code) = (compared.runs(), compared.is_code);
    let kept: HashSet<&str> = compared.added().collect();
    let [old_rows, new_rows] = [&compared.before, &compared.after].map(|it| rows(it.lines()));
    // Another row of a list is not in the place of one that goes.
    let is_row_lost = |line: &str| {
        let counts = key(line).and_then(|key| Some((new_rows.get(key)?, old_rows.get(key)?)));
        counts.is_some_and(|(new, old)| new < old)
    };
    let mut lost = Vec::new();
    for run in runs {
        let words: HashSet<&str> = run.new.iter().flat_map(|line| ident::words(line)).collect();
        let is_lost = |line: &&&str| {
            let own: HashSet<&str> = ident::words(line).collect();
            !is_comment(line)
                // Other lines of code are the prose of documentation.
                && match is_code {
                    true => own.len() > 1 && (line.contains(['(', '=', '{', ';', '[']) || key(line).is_some()),
                    false => !own.is_empty() && !line.starts_with('*'),
                }
                && !kept.contains(**line)
                && (own.intersection(&words).count() * 2 < own.len() || is_row_lost(line))
        };
        // An import that is still used is judged elsewhere.
        let lines = run.old.iter().enumerate().filter(|(at, _)| !compared.is_import(run, *at));
        lost.extend(lines.map(|(_, line)| line).filter(is_lost).copied());
    }
    if lost.is_empty() {
        return Vec::new();
    }
    // A member may have become a variable: `self._user.name`, `user.name`.
    let parts =
        |line| -> HashSet<&str> { ident::words(line).flat_map(ident::parts).map(|part| part.text).collect() };
    let added: Vec<HashSet<&str>> = kept.into_iter().map(parts).collect();
    lost.truncate(MOST_JUDGED);
    lost.retain(|line| {
        let own = parts(line);
        is_row_lost(line) || !added.iter().any(|words| words.intersection(&own).count() * 3 >= own.len() * 2)
    });
    if compared.mentions().of_removal() {
        return Vec::new();
    }
    lost.truncate(QUOTED);
    lost.into_iter().map(str::to_owned).collect()
}

/// How many lines have each key.
fn rows<'t>(lines: &[&'t str]) -> HashMap<&'t str, usize> {
    counts(lines.iter().filter_map(|line| key(line)))
}

/// The key of a line with a value: `check-latest: true`, `- python: 3.12`.
fn key(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(": ")?;
    let is_key = key.chars().all(|sign| ident::is_part(sign) || "-. ".contains(sign));
    (is_key && !value.trim().is_empty()).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    /// Checks the lines of some code that a new version lacks.
    #[track_caller]
    fn check(instruction: &str, new: &str, expected: &[&str]) {
        let old = ".list {\n  margin: 0;\n  padding: 0;\n}\n";
        let found = compared("css", [old, new], Asked { instruction, reply: new }, lost);
        assert_eq!(found, expected, "{new}");
    }

    #[test]
    fn imports_and_members_may_change() {
        let check = |old: &str, new: &str, expected: &[&str]| {
            let asked = Asked { instruction: "Add a log", reply: new };
            assert_eq!(compared("python", [old, new], asked, lost), expected, "{new}");
        };
        let old = "import os_path\nself._session.accessed = True\nsend(message)\n";
        check(old, "session.accessed = True\nlog(1)\nsend(message)\n", &[]);
        check(old, "import os_path\nlog(1)\nsend(message)\n", &["self._session.accessed = True"]);
    }

    #[test]
    fn rows_of_a_list_stay() {
        let check = |new: &str, expected: &[&str]| {
            let old = "matrix:\n  include:\n    - python: 3.13\n    - python: 3.12\n    - python: 3.11\n  latest: true\n";
            let asked = Asked { instruction: "add 3.15", reply: new };
            assert_eq!(compared("yaml", [old, new], asked, lost), expected, "{new}");
        };
        let row = "    - python: 3.15\n    - python: 3.13\n";
        check(&format!("matrix:\n  include:\n{row}  latest: true\n"), &["- python: 3.12", "- python: 3.11"]);
        let rows = format!("{row}    - python: 3.12\n    - python: 3.11\n");
        check(&format!("matrix:\n  include:\n{rows}  latest: true\n"), &[]);
        check(&format!("matrix:\n  include:\n{rows}"), &["latest: true"]);
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
