//! Comments that go while the code below them stays.

use std::collections::HashSet;

use super::comparison::Comparison;
use super::instruction::has_word_of;
use crate::edit::check::is_comment;
use crate::edit::runs::{Run, has_word_chars};

/// A single line may go with what it was about; from two on, they are taken for lost.
const LEAST: usize = 2;

/// How many of the lines a refusal quotes.
const QUOTED: usize = 3;

/// Stems of words in an instruction about comments.
const ABOUT: [&str; 8] = ["annotat", "comment", "descri", "doc", "explain", "licen", "todo", "translat"];

/// Words in the prose of a reply about comments.
const SAYING: [&str; 7] = ["comment", "comments", "doc", "docs", "docstring", "docstrings", "documentation"];

/// Whether the instruction or the prose is about comments.
pub(super) fn are_mentioned(compared: &Comparison<'_>) -> bool {
    has_word_of(compared.asked.instruction, &ABOUT)
        || SAYING.iter().any(|word| compared.mentions().prose_has(word))
}

/// The lines of comments that go although no comment takes their place and the line of code below them is as before.
///
/// They may go if the instruction or the prose is about comments, or says that something goes; and with what was to do.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    if !compared.is_code || compared.asked.instruction.is_empty() || compared.intent.replaces {
        return Vec::new();
    }
    let new: HashSet<&str> = compared.after.lines().iter().copied().collect();
    let old = compared.before.lines();
    let mut lost = Vec::new();
    for run in compared.runs().iter().filter(|run| !run.new.iter().any(|line| explains(line))) {
        lost.extend(above_kept_code(run, old).into_iter().filter(|line| !new.contains(line)));
    }
    let is_done = |line: &&str| ["TODO", "FIXME"].iter().any(|it| line.contains(it));
    if lost.len() < LEAST
        || lost.iter().any(is_done)
        || compared.mentions().of_removal()
        || are_mentioned(compared)
    {
        return Vec::new();
    }
    lost.truncate(QUOTED);
    lost.into_iter().map(str::to_owned).collect()
}

/// The old comments of a run above lines of code that stay.
fn above_kept_code<'t>(run: &Run<'t>, old: &[&'t str]) -> Vec<&'t str> {
    let new: HashSet<&str> = run.new.iter().copied().collect();
    let mut stays = old.len() > run.at + run.old.len();
    let mut found = Vec::new();
    for line in run.old.iter().rev() {
        match explains(line) {
            true if stays => found.push(*line),
            true => {}
            false => stays = new.contains(line),
        }
    }
    found.reverse();
    found
}

/// Whether a line is a comment in words, and not code in a comment.
fn explains(line: &str) -> bool {
    is_comment(line) && has_word_chars(line) && !line.ends_with([';', '{', '}', ')', ','])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    const FILE: &str = "fn a() {\n    // The first\n    // step.\n    b();\n    // Then.\n    c();\n    // d(1);\n    // e(2);\n    f();\n}\n";

    /// Checks the comments that a new version without some text lacks.
    #[track_caller]
    fn check(changes: &[[&str; 2]], instruction: &str, talk: &str, expected: &[&str]) {
        let mut after = FILE.replacen("f()", "f(1)", 1);
        for [old, new] in changes {
            assert!(after.contains(old), "{old}");
            after = after.replacen(old, new, 1);
        }
        let reply = format!("{talk}\n```\n{after}```\n");
        let asked = Asked { instruction, reply: &reply };
        assert_eq!(compared("rust", [FILE, &after], asked, lost), expected, "{after}");
    }

    #[test]
    fn comments_stay_with_their_code() {
        let gone = ["    // The first\n    // step.\n", ""];
        check(&[gone], "pass 1", "", &["// The first", "// step."]);
        check(&[["    // step.\n", ""]], "pass 1", "", &[]);
        check(&[["    // step.\n", ""], ["    // Then.\n", ""]], "pass 1", "", &["// step.", "// Then."]);
        check(&[gone, ["b()", "g()"]], "pass 1", "", &[]);
        check(&[["// The first\n    // step.", "// At first."]], "pass 1", "", &[]);
        check(&[gone], "pass 1, with fewer comments", "", &[]);
        check(&[gone], "simplify it", "", &[]);
        check(&[gone], "pass 1", "I removed two lines.", &[]);
        check(&[["    // d(1);\n    // e(2);\n", ""]], "pass 1", "", &[]);
    }
}
