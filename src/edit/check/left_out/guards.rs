//! Guard clauses that go beside another change: a condition with an early end of the function or the loop.
//!
//! What follows one reads well without it, and runs for all but the values that it was for.

use std::collections::HashSet;

use super::comparison::Comparison;
use super::instruction::has_word_of;
use crate::edit::check::is_comment;
use crate::edit::runs::{Run, has_word_chars};
use crate::text::ident;

/// How many are judged, each by all new lines.
const MOST_JUDGED: usize = 50;

/// How the conditions of guard clauses begin.
const CONDITIONS: [&str; 5] = ["guard ", "if ", "if(", "if!(", "unless "];

/// The first words of statements that end a function, a loop's turn or the program.
const ENDING: [&str; 13] = [
    "abort", "bail", "break", "continue", "die", "err", "exit", "fail", "next", "panic", "raise", "return",
    "throw",
];

/// Stems of words that ask for what a guard clause prevents.
const ALLOWING: [&str; 8] =
    ["accept", "allow", "always", "enabl", "let", "permit", "support", "unconditional"];

/// The guard clauses of a range of which neither the condition nor the end has a new line in its place.
///
/// One may go if something is said to go, or if the instruction allows something or has a word of the clause.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    if compared.intent.replaces || compared.asked.instruction.is_empty() {
        return Vec::new();
    }
    let gone = compared.runs().iter().flat_map(guards).take(MOST_JUDGED);
    let gone: Vec<(&str, &str)> = gone.collect();
    if gone.is_empty() || compared.mentions().of_removal() {
        return Vec::new();
    }
    if has_word_of(compared.asked.instruction, &ALLOWING) {
        return Vec::new();
    }
    let new: Vec<HashSet<&str>> = compared.added().map(|line| ident::names(line).collect()).collect();
    let is_rewritten = |condition: &str| {
        let names: HashSet<&str> = ident::names(condition).collect();
        new.iter().any(|line| names.intersection(line).count() * 2 >= names.len().max(1))
    };
    let is_named = |line: &str| ident::names(line).any(|name| compared.mentions().instruction_has(name));
    let lost = gone
        .into_iter()
        .filter(|(condition, end)| !is_rewritten(condition) && !is_named(condition) && !is_named(end));
    lost.map(|(condition, _)| condition.to_owned()).collect()
}

/// The guard clauses among the old lines of a run: each condition, and the statement that is all of its block.
fn guards<'t>(run: &Run<'t>) -> Vec<(&'t str, &'t str)> {
    let shown: HashSet<&str> = run.new.iter().copied().collect();
    let code = |line: &&&str| has_word_chars(line) && !is_comment(line);
    let lines: Vec<&'t str> = run.old.iter().filter(code).copied().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !CONDITIONS.iter().any(|it| line.starts_with(it)) || shown.contains(line) {
            continue;
        }
        let opens = line.ends_with(['{', ':', ')', 'n']);
        match lines.get(at + 1).filter(|_| opens) {
            Some(end) if ends_flow(end) && !shown.contains(end) => found.push((*line, *end)),
            _ => {}
        }
    }
    found
}

/// Whether a statement leaves a function, a loop's turn or the program.
fn ends_flow(line: &str) -> bool {
    let first = ident::words(line).next().unwrap_or_default().to_lowercase();
    ENDING.contains(&first.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    const FILE: &str = "def a(b, c):\n    if b is None:\n        raise ValueError(c)\n    d = e(b)\n    if d.f > 2:\n        g(d)\n        return d\n    return h(d)\n";

    /// Checks the guard clauses that a new version of a function lacks.
    #[track_caller]
    fn check([old, new]: [&str; 2], instruction: &str, expected: &[&str]) {
        assert!(FILE.contains(old), "{old}");
        let after = FILE.replacen(old, new, 1).replacen("h(d)", "h(d, 1)", 1);
        let asked = Asked { instruction, reply: &after };
        assert_eq!(compared("python", [FILE, &after], asked, lost), expected, "{after}");
    }

    #[test]
    fn guard_clauses_stay() {
        let gone = ["    if b is None:\n        raise ValueError(c)\n", ""];
        check(gone, "Pass 1 to h", &["if b is None:"]);
        check(gone, "", &[]);
        check(gone, "Allow any value", &[]);
        check(gone, "Raise no ValueError", &[]);
        check(gone, "Simplify it", &[]);
        check(gone, "Switch to h", &[]);
        check(["b is None", "not b"], "Pass 1 to h", &[]);
        check(["raise ValueError(c)", "return None"], "Pass 1 to h", &[]);
        check(
            ["    if b is None:\n        raise ValueError(c)\n", "    assert b is not None\n"],
            "Assert",
            &[],
        );
    }

    #[test]
    fn longer_blocks_are_no_guard_clauses() {
        check(["    if d.f > 2:\n        g(d)\n        return d\n", ""], "Pass 1 to h", &[]);
    }
}
