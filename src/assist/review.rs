//! Reads a model's review: findings by line, each with a fix where one is given and fits.

use std::path::Path;

use crate::edit::guard::{self, Checks};
use crate::edit::{Edit, reply};
use crate::grammar;

/// Findings that are read of one review.
const MOST_HINTS: usize = 50;
/// What may stand before a place.
const MARKS: [char; 7] = [' ', '\t', '-', '*', '`', '#', '>'];
/// Characters of a message.
const MESSAGE_CHARS: usize = 500;

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, on one line.
    pub message: String,
    /// What mends it; empty if nothing is certain.
    pub fix: Vec<Edit>,
}

/// Reads a review of these files, each a path and its text.
///
/// A finding of another file, or of a line that its file does not have, is left out.
pub fn read(answer: &str, files: &[(String, String)]) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    let mut lines = answer.lines();
    // The text of the finding that is read.
    let mut current: Option<&str> = None;
    while let Some(line) = lines.next() {
        if let Some((path, text, number, message)) = files.iter().find_map(|it| head(line, it)) {
            current = (number >= 1 && number <= text.lines().count()).then_some(text);
            if current.is_some() && hints.len() < MOST_HINTS {
                let message = message.to_owned();
                hints.push(Hint { path: path.to_owned(), line: number, message, fix: Vec::new() });
            } else {
                current = None;
            }
            continue;
        }
        if line.trim_end().ends_with("<<<<<<< SEARCH") {
            let mut block = format!("{line}\n");
            for line in lines.by_ref() {
                block.push_str(line);
                block.push('\n');
                if line.starts_with(">>>>>>> REPLACE") {
                    break;
                }
            }
            if let (Some(text), Some(hint)) = (current, hints.last_mut())
                && hint.fix.is_empty()
            {
                hint.fix = fix(&block, &hint.path, text).unwrap_or_default();
            }
            continue;
        }
        let more = line.trim();
        if names_place(line) {
            current = None;
        } else if let (Some(_), Some(hint)) = (current, hints.last_mut())
            && !more.is_empty()
            && !more.starts_with("```")
            && hint.message.chars().count() < MESSAGE_CHARS
        {
            hint.message.push(' ');
            hint.message.push_str(more);
        }
    }
    for hint in &mut hints {
        hint.message = hint.message.trim().chars().take(MESSAGE_CHARS).collect();
    }
    hints.retain(|hint| !hint.message.is_empty());
    hints
}

/// Whether a line begins like a finding, of whichever file.
fn names_place(line: &str) -> bool {
    let word = line.trim_start_matches(MARKS).split_whitespace().next().unwrap_or_default();
    let mut parts = word.split(':');
    let is_path = parts.next().is_some_and(|path| path.contains(['.', '/']));
    is_path && parts.next().is_some_and(|number| number.parse::<usize>().is_ok())
}

/// The path, its text, the line and the message of a finding's first line.
fn head<'a>(line: &'a str, (path, text): &'a (String, String)) -> Option<(&'a str, &'a str, usize, &'a str)> {
    let rest = line.trim_start_matches(MARKS);
    let rest = rest.strip_prefix(path.as_str())?.strip_prefix(':')?;
    let digits = rest.len() - rest.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok()?;
    // A column, or the last line of several.
    let rest = rest[digits..].trim_start_matches(|it: char| it.is_ascii_digit() || "-–:`*".contains(it));
    Some((path, text, number, rest.trim()))
}

/// What a block changes in a file; `None` if it does not fit, or damages the file.
fn fix(block: &str, path: &str, text: &str) -> Option<Vec<Edit>> {
    let grammar = grammar::by_path(Path::new(path));
    let request = reply::Request { text, path: Some(path), range: None, window: None, grammar };
    let outcome = reply::read(request, block).ok()?;
    let checks = Checks { before: text, grammar, ..Checks::default() };
    guard::check(&checks, &outcome.edits).ok()?;
    Some(outcome.edits)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::edit::apply;

    fn check(answer: &str, expect: Expect) {
        let files = [
            ("src/a.py".to_owned(), "def one():\n    return 1\n\n\ndef two():\n    return 3\n".to_owned()),
            ("b.py".to_owned(), "x = 1\n".to_owned()),
        ];
        let mut shown = String::new();
        for hint in read(answer, &files) {
            shown.push_str(&format!("{}:{}: {}\n", hint.path, hint.line, hint.message));
            let text = files.iter().find(|(path, _)| *path == hint.path).map(|(_, text)| text).unwrap();
            if !hint.fix.is_empty() {
                shown.push_str(&format!("fixed: {:?}\n", apply(text, &hint.fix)));
            }
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn findings_are_read_with_their_fixes() {
        check(
            "Here is what I found.\n\n- `src/a.py:6`: it returns three,\n  which is wrong for two\n\
             <<<<<<< SEARCH\n    return 3\n=======\n    return 2\n>>>>>>> REPLACE\n\
             **b.py:1-2:** nothing reads it\n```\n<<<<<<< SEARCH\nnot there\n=======\nx\n>>>>>>> REPLACE\n```\n",
            expect![[r#"
                src/a.py:6: it returns three, which is wrong for two
                fixed: "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
                b.py:1: nothing reads it
            "#]],
        );
        check("NO_FINDINGS\n", expect![[""]]);
    }

    #[test]
    fn finding_without_a_place_is_left_out() {
        check(
            "src/c.py:1: of another file\nwith more\nb.py:7: no such line\nb.py:0: none\nb.py: x\nb.py:1:\n",
            expect![[""]],
        );
    }
}
