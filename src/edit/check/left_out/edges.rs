//! The first and last lines of a range that a new text leaves out.
//!
//! A model that is asked for a function may reply with its first or last lines only. In a language whose blocks end by
//! indentation, nothing else shows that the rest is missing.

use std::collections::HashSet;

use super::comparison::Comparison;
use crate::edit::check::is_comment;
use crate::edit::diff::{Run, has_word_chars};
use crate::text::ident;

/// How many of the lines a refusal quotes.
const QUOTED: usize = 5;

/// The lines at both ends of a range in a file that go with no new line in their place.
///
/// The last new line is in the place of the last old one that it resembles, and the first likewise. Lines may go if the
/// reply's prose says that something does, if the instruction calls something needless, or if nothing else changes and
/// the instruction names what is in them. Without an instruction, any of them may.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    let runs = compared.runs();
    if compared.is_whole || compared.asked.instruction.is_empty() || compared.intent.replaces {
        return Vec::new();
    }
    let mut lost = first_lines(runs);
    lost.extend(last_lines(runs, compared.before.lines().len()));
    let added: HashSet<&str> = runs.iter().flat_map(|run| &run.new).copied().collect();
    lost.retain(|line| !added.contains(line) && !is_comment(line));
    if lost.is_empty() {
        return Vec::new();
    }
    let mentions = compared.mentions();
    let is_named = |line: &&str| ident::names(line).any(|name| mentions.instruction_has(name));
    let is_asked = runs.len() == 1 && lost.iter().all(is_named);
    if mentions.of_removal() || is_asked {
        return Vec::new();
    }
    lost.truncate(QUOTED);
    lost.into_iter().map(str::to_owned).collect()
}

fn last_lines<'t>(runs: &[Run<'t>], count: usize) -> Vec<&'t str> {
    let Some(last) = runs.last().filter(|run| run.at + run.old.len() == count) else { return Vec::new() };
    let old = code(&last.old);
    let first = match last.new.iter().rfind(|line| has_word_chars(line)) {
        None => 0,
        Some(line) if old.last().is_some_and(|it| are_results(it, line)) => old.len(),
        Some(line) => old.iter().rposition(|it| resembles(it, line)).map_or(old.len(), |at| at + 1),
    };
    old[first..].to_vec()
}

fn first_lines<'t>(runs: &[Run<'t>]) -> Vec<&'t str> {
    let Some(first) = runs.first().filter(|run| run.at == 0) else { return Vec::new() };
    let old = code(&first.old);
    let end = match first.new.iter().find(|line| has_word_chars(line)) {
        None => old.len(),
        Some(line) => old.iter().position(|it| resembles(it, line)).unwrap_or(0),
    };
    old[..end].to_vec()
}

fn code<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    lines.iter().copied().filter(|line| has_word_chars(line)).collect()
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
    use crate::edit::check::left_out::{Asked, compared_between};

    /// Checks the first and last lines of a range that a new text of it lacks.
    #[track_caller]
    fn check_range(texts: [&str; 2], asked: Asked<'_>, expected: &[&str]) {
        let found = compared_between("python", ["import x\n\n\n", "\n\nx()\n"], texts, asked, lost);
        assert_eq!(found, expected, "{}", texts[1]);
    }

    /// Checks those of a function `a`.
    #[track_caller]
    fn check(new: &str, instruction: &str, prose: &str, expected: &[&str]) {
        let reply = format!("{prose}\n```\n{new}```\n");
        let old = "def a():\n    bb()\n    cc()\n    dd()\n    ee()\n";
        check_range([old, new], Asked { instruction, reply: &reply }, expected);
    }

    #[test]
    fn last_lines_stay() {
        check("def a():\n    b2()\n    cc()\n", "Call b2", "", &["dd()", "ee()"]);
        check("def a():\n    b2()\n    cc()\n    dd()\n", "Call b2, then ee", "", &["ee()"]);
        check("def a():\n    bb()\n    cc()\n", "Call it", "", &["dd()", "ee()"]);
        check("def a():\n    bb()\n    cc()\n    dd(1)\n", "Call it", "", &["ee()"]);
    }

    #[test]
    fn first_lines_stay() {
        check("    bb()\n    cc()\n    dd(1)\n    ee()\n", "Call it", "", &["def a():"]);
        check("    cc(1)\n    dd()\n    ee()\n", "Call it", "", &["def a():", "bb()"]);
        check("def f():\n    bb()\n    cc()\n    dd()\n    ee()\n", "Call it", "", &[]);
        check("bb()\ncc()\ndd()\nee()\n", "Inline the def", "", &[]);
    }

    #[test]
    fn last_lines_may_go() {
        check("def a():\n    bb()\n    cc()\n", "", "", &[]);
        check("def a():\n    ff(1)\n", "Call it", "", &[]);
        let (old, new) = ("if a(b):\n    return c\nreturn d\n", "return a(b)\n");
        check_range([old, new], Asked { instruction: "Call it", reply: new }, &[]);
        check("def a():\n    bb()\n    cc()\n    dd()\n", "Do not call ee", "", &[]);
        check("def a():\n    bb()\n    cc()\n    dd()\n", "warning: unreachable call", "", &[]);
        check("def a():\n    b2()\n    cc()\n    dd()\n", "Call it", "I removed the last call.", &[]);
        check("def a():\n    ee()\n    bb()\n    cc()\n    dd()\n", "Call it", "", &[]);
        check("def a():\n    bb()\n    cc()\n    dd()\n    e2()\n", "Call it", "", &[]);
    }
}
