//! The last lines of a range that a new text leaves out.
//!
//! A model that is asked for a function may reply with its first lines only. In a language whose blocks end by
//! indentation, nothing else shows that the rest is missing.

use std::collections::HashSet;

use super::names::{Asked, Mentions};
use super::{REPLACING, has_stem};
use crate::edit::check::placeholder_comment::{Run, has_word_chars};
use crate::text::ident;

/// How many of the lines a refusal quotes.
const QUOTED: usize = 5;

/// The last lines of the old text, of which there are `count`, that go with no new line in their place.
///
/// The last new line is in the place of the old one that it resembles. Lines may go if the reply's prose says that
/// something does, if the instruction calls something needless, or if nothing else changes and the instruction names
/// what is in them.
pub(super) fn lost(runs: &[Run<'_>], count: usize, after: &str, asked: Asked<'_>) -> Vec<String> {
    let Some(last) = runs.last().filter(|run| run.at + run.old.len() == count) else { return Vec::new() };
    let old: Vec<&str> = last.old.iter().copied().filter(|line| has_word_chars(line)).collect();
    let first = match last.new.iter().rfind(|line| has_word_chars(line)) {
        None => 0,
        Some(line) if old.last().is_some_and(|it| are_results(it, line)) => old.len(),
        Some(line) => old.iter().rposition(|it| resembles(it, line)).map_or(old.len(), |at| at + 1),
    };
    let added: HashSet<&str> = runs.iter().flat_map(|run| &run.new).copied().collect();
    let mut lost: Vec<&str> = old[first..].iter().copied().filter(|line| !added.contains(line)).collect();
    if lost.is_empty() {
        return Vec::new();
    }
    let mentions = Mentions::of(asked, after);
    let is_named = |line: &&str| ident::names(line).any(|name| mentions.instruction_has(name));
    let is_asked = runs.len() == 1 && lost.iter().all(is_named);
    if mentions.of_removal() || has_stem(asked.instruction, &REPLACING) || is_asked {
        return Vec::new();
    }
    lost.truncate(QUOTED);
    lost.into_iter().map(str::to_owned).collect()
}

/// Whether two lines end a function in the same way.
fn are_results(old: &str, new: &str) -> bool {
    let first = |line| ident::words(line).next().unwrap_or_default();
    matches!(first(old), "raise" | "return" | "throw") && first(old) == first(new)
}

/// Whether two lines share most of their words.
fn resembles(old: &str, new: &str) -> bool {
    let [old, new] = [old, new].map(|line| ident::words(line).collect::<HashSet<_>>());
    old.intersection(&new).count() * 2 >= old.len().max(new.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::placeholder_comment::{runs, visible};

    /// Checks the lines at the end of `a` to `e` that a new text with `kept` lacks.
    #[track_caller]
    fn check(new: &str, instruction: &str, prose: &str, expected: &[&str]) {
        let old = ["def a():", "bb()", "cc()", "dd()", "ee()"];
        let new_lines = visible(new);
        let reply = format!("{prose}\n```\n{new}```\n");
        let found = lost(&runs(&old, &new_lines), old.len(), new, Asked { instruction, reply: &reply });
        assert_eq!(found, expected, "{new}");
    }

    #[test]
    fn last_lines_stay() {
        check("def a():\n    b2()\n    cc()\n", "Call b2", "", &["dd()", "ee()"]);
        check("def a():\n    b2()\n    cc()\n    dd()\n", "Call b2, then ee", "", &["ee()"]);
        check("def a():\n    bb()\n    cc()\n", "", "", &["dd()", "ee()"]);
        check("def a():\n    bb()\n    cc()\n    dd(1)\n", "", "", &["ee()"]);
    }

    #[test]
    fn last_lines_may_go() {
        check("def a():\n    ff(1)\n", "", "", &[]);
        let old = ["if a(b) {", "return c", "}", "return d"];
        let new = "return a(b)\n";
        let asked = Asked { instruction: "", reply: new };
        assert_eq!(lost(&runs(&old, &visible(new)), old.len(), new, asked), [""; 0]);
        check("def a():\n    bb()\n    cc()\n    dd()\n", "Do not call ee", "", &[]);
        check("def a():\n    bb()\n    cc()\n    dd()\n", "warning: unreachable call", "", &[]);
        check("def a():\n    b2()\n    cc()\n    dd()\n", "", "I removed the last call.", &[]);
        check("def a():\n    ee()\n    bb()\n    cc()\n    dd()\n", "", "", &[]);
        check("def a():\n    bb()\n    cc()\n    dd()\n    e2()\n", "", "", &[]);
    }
}
