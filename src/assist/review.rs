//! Reviews: the context shown beside a change, and the parsing of the answer.
//!
//! An answer consists of findings by line, each with a fix if one is given and fits. A marker reports that there
//! are no findings, so an unreadable answer is distinguished from one without findings.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use crate::edit::{self, Edit};
use crate::grammar::{self, QueryKind};
use crate::text::named;
use crate::text::words::{counted, quoted, slashed};
use crate::workspace::Workspace;

/// Limit on the findings of one review.
const MOST_HINTS: usize = 50;
/// Characters that may precede a location.
const MARKS: [char; 7] = [' ', '\t', '-', '*', '`', '#', '>'];
/// Limit on the characters of a message.
const MESSAGE_CHARS: usize = 500;
/// Limit on changed definitions whose callers are shown.
const MOST_CHANGED: usize = 20;
/// Limit on the callers shown of each definition.
const MOST_CALLERS: usize = 8;
/// Limit on the bytes of all callers.
const CALLERS_BYTES: usize = 8 * 1024;

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The problem, on one line.
    pub message: String,
    /// The edits that fix it; empty if no fix is certain.
    pub fix: Vec<Edit>,
}

/// The result of a review.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// The findings.
    pub hints: Vec<Hint>,
    /// The number of findings left out, by reason.
    pub left_out: BTreeMap<LeftOut, usize>,
    /// Whether the answer states that nothing is wrong.
    says_clear: bool,
}

named! {
    /// Why a finding is left out.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum LeftOut {
        /// It is about a file that was not shown.
        OtherFile = "about files that were not shown",
        /// It is about a line beyond the end of its file.
        NoLine = "about lines that do not exist",
        /// It has no message.
        Wordless = "without words",
        /// The limit on findings is reached.
        TooMany = "since there are too many",
    }
}

impl Review {
    /// Why the review in this answer cannot be relied on; `None` if it has a finding, or states that nothing is wrong.
    pub fn unreadable(&self, answer: &str) -> Option<String> {
        let is_clear = self.says_clear && self.left_out.is_empty();
        if !self.hints.is_empty() || is_clear {
            return None;
        }
        let why = "the review has no readable finding, and does not state that there are none";
        Some(match (self.left_out.is_empty(), answer.trim()) {
            (false, _) => format!("{why}: {}", self.gaps()),
            (true, "") => format!("{why}: the reply is empty"),
            (true, answer) => format!("{why}; the reply: {}", quoted(answer)),
        })
    }

    /// A message about the findings left out and the reasons; empty if there are none.
    pub fn gaps(&self) -> String {
        let gaps = self.left_out.iter();
        let gaps = gaps.map(|(why, count)| format!("{} left out, {why}", counted(count, "finding")));
        gaps.collect::<Vec<_>>().join("; ")
    }
}

/// Parses a review of these files, each a path and its text.
pub fn read(answer: &str, files: &[(String, String)]) -> Review {
    let mut review = Review {
        says_clear: answer.lines().any(|it| it.trim_matches(['*', '`', '.', ' ', '_']) == "NO_FINDINGS"),
        ..Review::default()
    };
    let mut lines = answer.lines();
    // The text of the current finding.
    let mut current: Option<&str> = None;
    while let Some(line) = lines.next() {
        if let Some((path, text, number, message)) = files.iter().find_map(|it| head(line, it)) {
            current = None;
            if number == 0 || number > text.lines().count() {
                review.leave_out(LeftOut::NoLine);
            } else if review.hints.len() == MOST_HINTS {
                review.leave_out(LeftOut::TooMany);
            } else {
                current = Some(text);
                let message = message.to_owned();
                review.hints.push(Hint { path: path.to_owned(), line: number, message, fix: Vec::new() });
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
            if let (Some(text), Some(hint)) = (current, review.hints.last_mut())
                && hint.fix.is_empty()
            {
                hint.fix = fix(&block, &hint.path, text).unwrap_or_default();
            }
            continue;
        }
        let more = line.trim();
        if names_place(line) {
            review.leave_out(LeftOut::OtherFile);
            current = None;
        } else if let (Some(_), Some(hint)) = (current, review.hints.last_mut())
            && !more.is_empty()
            && !more.starts_with("```")
            && hint.message.chars().count() < MESSAGE_CHARS
        {
            hint.message.push(' ');
            hint.message.push_str(more);
        }
    }
    for hint in &mut review.hints {
        hint.message = hint.message.trim().chars().take(MESSAGE_CHARS).collect();
    }
    let all = review.hints.len();
    review.hints.retain(|hint| !hint.message.is_empty());
    (review.hints.len()..all).for_each(|_| review.leave_out(LeftOut::Wordless));
    review
}

impl Review {
    fn leave_out(&mut self, why: LeftOut) {
        *self.left_out.entry(why).or_default() += 1;
    }
}

/// The lines of the project that call a definition whose head a diff changes; empty if there are none.
///
/// `files` are the changed files as they are now. Reads files and parses.
pub fn callers(workspace: &Workspace, root: &Path, diff: &str, files: &[(String, String)]) -> String {
    let changed = changed_lines(diff);
    let mut names = BTreeSet::new();
    for (path, text) in files {
        let Some((grammar, lines)) = grammar::by_path(Path::new(path)).zip(changed.get(path.as_str())) else {
            continue;
        };
        let Some(tree) = grammar.parse_str(text) else { continue };
        let found = grammar.matches(QueryKind::Definitions, tree.root_node(), 0..text.len(), text.as_bytes());
        let functions = found.into_iter().filter(|it| matches!(it.kind, "function" | "method" | "macro"));
        for (name, node, body) in functions.filter_map(|it| Some((it.name?, it.node, it.body))) {
            let end = body.map_or(node.end_byte(), |body| body.start_byte());
            let first = node.start_position().row + 1;
            // A line on which only the body begins is not part of the head.
            let head = first..first + text[node.start_byte()..end].trim_end().lines().count();
            if lines.iter().any(|it| it.start < head.end && head.start < it.end) {
                names.insert((grammar.id(), text[name.byte_range()].to_owned()));
            }
        }
    }
    let mut shown = String::new();
    for (id, name) in names.into_iter().take(MOST_CHANGED) {
        let Some(grammar) = grammar::all().find(|it| it.id() == id) else { continue };
        for caller in workspace.references(grammar, &name, &|| false).into_iter().take(MOST_CALLERS) {
            let text = workspace.text(&caller.path).unwrap_or_default();
            let line = text.lines().nth(caller.line).unwrap_or_default().trim();
            let path = caller.path.strip_prefix(root).unwrap_or(&caller.path);
            let line = format!("{}:{}: {line}\n", slashed(path), caller.line + 1);
            if shown.len() + line.len() > CALLERS_BYTES {
                return shown;
            }
            shown.push_str(&line);
        }
    }
    shown
}

/// The lines that a unified diff adds, or next to which it removes lines, by the new paths.
fn changed_lines(diff: &str) -> BTreeMap<&str, Vec<Range<usize>>> {
    let mut changed: BTreeMap<&str, Vec<Range<usize>>> = BTreeMap::new();
    let (mut path, mut number) = (None, 0);
    for line in diff.lines() {
        if let Some(new) = line.strip_prefix("+++ b/") {
            path = Some(new.trim_end());
        } else if let Some(start) = line.strip_prefix("@@ -").and_then(|it| it.split_once(" +")) {
            let digits: String = start.1.chars().take_while(char::is_ascii_digit).collect();
            number = digits.parse().unwrap_or(0);
        } else if let Some(path) = path {
            let lines = changed.entry(path).or_default();
            match line.as_bytes().first() {
                Some(b'+') => {
                    lines.push(number..number + 1);
                    number += 1;
                }
                Some(b'-') => lines.push(number..number + 1),
                _ => number += 1,
            }
        }
    }
    changed
}

/// Whether a line begins like a finding, of any file.
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
    // A column, or the last line of a range.
    let rest = rest[digits..].trim_start_matches(|it: char| it.is_ascii_digit() || "-–:`*".contains(it));
    Some((path, text, number, rest.trim()))
}

/// The edits of a block in a file; `None` if it does not fit, or damages the file.
fn fix(block: &str, path: &str, text: &str) -> Option<Vec<Edit>> {
    let grammar = grammar::by_path(Path::new(path));
    let request = edit::Request { text, path: Some(path), grammar, ..edit::Request::default() };
    edit::accept(&request, block).ok().map(|accepted| accepted.edits)
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
        let review = read(answer, &files);
        for hint in &review.hints {
            shown.push_str(&format!("{}:{}: {}\n", hint.path, hint.line, hint.message));
            let text = files.iter().find(|(path, _)| *path == hint.path).map(|(_, text)| text).unwrap();
            if !hint.fix.is_empty() {
                shown.push_str(&format!("fixed: {:?}\n", apply(text, &hint.fix)));
            }
        }
        for said in [review.gaps(), review.unreadable(answer).unwrap_or_default()] {
            if !said.is_empty() {
                shown.push_str(&format!("{said}\n"));
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
        check("**NO_FINDINGS**\n", expect![[""]]);
    }

    #[test]
    fn review_that_cannot_be_read_is_told_from_one_that_found_nothing() {
        check(
            "Nothing to add.",
            expect![[r#"
                the review has no readable finding, and does not state that there are none; the reply: `Nothing to add.`
            "#]],
        );
        check(
            "[{\"path\": \"b.py\", \"line\": 1}]",
            expect![[r#"
                the review has no readable finding, and does not state that there are none; the reply: `[{"path": "b.py", "line": 1}]`
            "#]],
        );
        check(
            "NO_FINDINGS\nsrc/c.py:1: but this\n",
            expect![[r#"
                1 finding left out, about files that were not shown
                the review has no readable finding, and does not state that there are none: 1 finding left out, about files that were not shown
            "#]],
        );
        check(
            "b.py:1: it is 1\nb.py:9: x\nsrc/c.py:1: y\nsrc/c.py:2: z\n",
            expect![[r#"
                b.py:1: it is 1
                2 findings left out, about files that were not shown; 1 finding left out, about lines that do not exist
            "#]],
        );
    }

    #[test]
    fn callers_of_changed_heads_are_shown() {
        let root = Path::new("/w");
        let new = "def one(a, b):\n    return a\n\n\ndef two():\n    return 3\n";
        let user = "from a import one, two\n\none(1)\ntwo()\n";
        let changes = [("/w/a.py", new), ("/w/b.py", user)];
        let changes = changes.map(|(path, text)| (path.into(), Some(text.to_owned())));
        let workspace = Workspace::default().changed(&changes);
        let diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-def one(a):\n+def one(a, b):\n     return a\n\
            @@ -5,2 +5,2 @@\n def two():\n-    return 2\n+    return 3\n";
        let files = [("a.py".to_owned(), new.to_owned())];
        assert_eq!(callers(&workspace, root, diff, &files), "b.py:3: one(1)\n");
    }

    #[test]
    fn finding_without_a_place_is_left_out() {
        check(
            "src/c.py:1: of another file\nwith more\nb.py:7: no such line\nb.py:0: none\nb.py: x\nb.py:1:\n",
            expect![[r#"
                1 finding left out, about files that were not shown; 2 findings left out, about lines that do not exist; 1 finding left out, without words
                the review has no readable finding, and does not state that there are none: 1 finding left out, about files that were not shown; 2 findings left out, about lines that do not exist; 1 finding left out, without words
            "#]],
        );
    }
}
