//! Comments that go while the code below them stays.

use std::collections::HashSet;

use super::comparison::Comparison;
use crate::edit::check::is_comment;
use crate::edit::runs::{Run, has_word_chars};
use crate::text::ident;

/// A line of a comment may go with what it was about; so many of them go only by neglect.
const LEAST: usize = 2;

/// How many of the lines a refusal quotes.
const QUOTED: usize = 3;

/// Stems of words in an instruction about comments.
const ABOUT: [&str; 8] = ["annotat", "comment", "descri", "doc", "explain", "licen", "todo", "translat"];

/// The lines of comments that go although no comment takes their place and the line of code below them is as before.
///
/// They may go if the instruction or the prose is about comments, or says that something goes.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    let said = compared.asked.instruction.to_lowercase();
    let is_about = ident::words(&said).any(|word| ABOUT.iter().any(|stem| word.starts_with(stem)));
    if !compared.is_code || said.is_empty() || compared.intent.replaces || is_about {
        return Vec::new();
    }
    let new: HashSet<&str> = compared.after.lines().iter().copied().collect();
    let old = compared.before.lines();
    let mut lost = Vec::new();
    for run in compared.runs().iter().filter(|run| !run.new.iter().any(|line| is_remark(line))) {
        lost.extend(kept_below(run, old).filter(|line| !new.contains(line)));
    }
    let is_said = || {
        let mentions = compared.mentions();
        mentions.of_removal() || ["comment", "comments"].iter().any(|it| mentions.prose_has(it))
    };
    // What was to do is done.
    let is_done = lost.iter().any(|line| ["TODO", "FIXME"].iter().any(|it| line.contains(it)));
    if lost.len() < LEAST || is_done || is_said() {
        return Vec::new();
    }
    lost.truncate(QUOTED);
    lost.into_iter().map(str::to_owned).collect()
}

/// The old comments of a run above lines of code that stay.
fn kept_below<'r, 't>(run: &'r Run<'t>, old: &'r [&'t str]) -> impl Iterator<Item = &'t str> + use<'r, 't> {
    let behind = old.get(run.at + run.old.len()).copied();
    run.old.iter().enumerate().filter(|(_, line)| is_remark(line)).filter_map(move |(at, line)| {
        let next = run.old[at..].iter().find(|line| !is_remark(line)).copied();
        let stays = match next {
            Some(code) => run.new.contains(&code),
            None => behind.is_some(),
        };
        stays.then_some(*line)
    })
}

/// Whether a line is a comment with words that is no code.
fn is_remark(line: &str) -> bool {
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
