//! The window around a cursor, cut at the edges of scopes.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::document::Document;
use crate::grammar::Grammar;

/// Bytes shown before the cursor at most: about 2,000 tokens.
pub const BEFORE: usize = 6 * 1024;
/// Bytes shown after the cursor at most: about 700 tokens.
pub const AFTER: usize = 2 * 1024;

/// What a model is shown of a file around a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The path as shown, `/`-separated and relative to its workspace folder where there is one.
    pub path: String,
    /// The grammar's id, or the empty string.
    pub language: String,
    /// Imports and signatures of the rest of the file; empty if the window shows the whole file.
    pub outline: String,
    /// The text before the cursor.
    pub before: String,
    /// The text after the cursor.
    pub after: String,
}

impl Window {
    /// Cuts the window around the byte `cursor`.
    ///
    /// Costs microseconds whatever the file's size: it reads only the text it keeps, and uses the tree that
    /// is there.
    pub fn around(document: &Document, cursor: usize, path: String, outline: &str) -> Self {
        let span = cut(document, cursor..cursor, BEFORE, AFTER);
        let whole_file = span.start == 0 && span.end == document.text().len_bytes();
        Self {
            path,
            language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
            outline: if whole_file { String::new() } else { outline.to_owned() },
            before: document.slice(span.start..cursor),
            after: document.slice(cursor..span.end),
        }
    }
}

/// The part of a file to show around `focus`: at most so many bytes before and after it, cut
/// where a member of the smallest scope that is too large to show begins or ends; without a tree, at a line.
pub(super) fn cut(document: &Document, focus: Range<usize>, before: usize, after: usize) -> Range<usize> {
    off_secrets(document, scoped(document, &focus, before, after), &focus)
}

/// Moves the edges of `span` out of what looks like a key: half of one is not recognised.
fn off_secrets(document: &Document, mut span: Range<usize>, focus: &Range<usize>) -> Range<usize> {
    if span.start > 0 {
        for (secret, _) in super::secrets_near(document, span.start) {
            if secret.start < span.start && span.start < secret.end {
                span.start = secret.end.min(focus.start);
            }
        }
    }
    if span.end < document.text().len_bytes() {
        for (secret, _) in super::secrets_near(document, span.end) {
            if secret.start < span.end && span.end < secret.end {
                span.end = secret.start.max(focus.end);
            }
        }
    }
    span
}

fn scoped(document: &Document, focus: &Range<usize>, before: usize, after: usize) -> Range<usize> {
    let limit = limits(document, focus, before, after);
    let by_scope = document
        .tree()
        .zip(document.grammar())
        .and_then(|(tree, grammar)| members_within(tree, grammar, focus, &limit));
    let Some(members) = by_scope else { return limit };
    // A member begins behind its indentation: lines are shown, or left out, as a whole.
    let start = document.line_start(members.start).max(limit.start);
    // In an edited tree the next member may begin far below the limit.
    let end = if members.end < limit.end { document.line_start(members.end) } else { limit.end };
    start.min(focus.start)..end.max(focus.end)
}

/// The limit of a window, moved inwards to whole lines where that leaves some.
fn limits(document: &Document, focus: &Range<usize>, before: usize, after: usize) -> Range<usize> {
    let text = document.text();
    let floor_char = |byte: usize| text.char_to_byte(text.byte_to_char(byte));
    let mut start = floor_char(focus.start.saturating_sub(before));
    if start > 0 {
        let line = document.next_line_start(start);
        if line <= focus.start {
            start = line;
        }
    }
    let mut end = floor_char((focus.end + after).min(text.len_bytes()));
    if end < text.len_bytes() {
        let line = document.line_start(end);
        if line > focus.end {
            end = line;
        }
    }
    start..end
}

/// Within `limit`, the run of whole members of the smallest enclosing scope that is not
/// wholly within it.
fn members_within(
    tree: &Tree,
    grammar: &Grammar,
    focus: &Range<usize>,
    limit: &Range<usize>,
) -> Option<Range<usize>> {
    let fits = |node: &Node<'_>| limit.start <= node.start_byte() && node.end_byte() <= limit.end;
    let mut cursor = tree.walk();
    if fits(&cursor.node()) {
        return Some(limit.clone());
    }
    let mut scope = cursor.node();
    while cursor.goto_first_child_for_byte(focus.start).is_some() {
        let node = cursor.node();
        let holds_focus = node.start_byte() <= focus.start && focus.end <= node.end_byte();
        if !holds_focus || fits(&node) {
            break;
        }
        if grammar.is_scope(node) {
            scope = node;
        }
    }
    cursor.reset(scope);
    let mut start = limit.start;
    if scope.start_byte() < limit.start && cursor.goto_first_child_for_byte(limit.start).is_some() {
        // The first child that reaches into the limit may begin before it; then the next one is the first
        // whole one.
        if cursor.node().start_byte() >= limit.start || cursor.goto_next_sibling() {
            start = cursor.node().start_byte();
        }
    }
    cursor.reset(scope);
    let mut end = limit.end;
    if scope.end_byte() > limit.end && cursor.goto_first_child_for_byte(limit.end).is_some() {
        end = cursor.node().start_byte();
    }
    // A focus between two members, or in one that is itself too large and no scope, is left to the lines.
    let start = if start <= focus.start { start } else { limit.start };
    let end = if end >= focus.end { end } else { limit.end };
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::position::{Encoding, position_at};
    use crate::document::{Change, DocumentId};

    /// The window at `ˇ` stays within its limits: in a parsed text, and in one that a formatter
    /// has just replaced as a whole, whose tree has its members in odd places.
    fn check(language: &str, marked: &str) {
        let cursor = marked.find('ˇ').expect("a cursor");
        let text = marked.replace('ˇ', "");
        let id = || DocumentId::new("untitled:a");
        let parsed = Document::new(id(), language, 0, &text);
        parsed.syntax();
        let loose = Document::new(id(), language, 0, &format!("\n\n{text}"));
        loose.syntax();
        let ends = [0, loose.text().len_bytes()].map(|byte| position_at(loose.text(), byte, Encoding::Utf8));
        let replaced = Change { range: Some(ends[0]..ends[1]), text };
        let (formatted, _) = loose.edited(&[replaced], Encoding::Utf8, 1).expect("the change fits the text");
        for document in [parsed, formatted] {
            let window = Window::around(&document, cursor, "a".to_owned(), "");
            assert!(window.before.len() <= BEFORE, "{} bytes before", window.before.len());
            assert!(window.after.len() <= AFTER, "{} bytes after", window.after.len());
        }
    }

    #[test]
    fn stays_within_its_limits() {
        let functions = "fn f() {\n    let x = 1;\n}\n\n".repeat(1_000);
        check("rust", &format!("fn ˇg() {{}}\n\n{functions}"));
        check("rust", &format!("{functions}fn gˇ() {{}}\n{functions}"));
        check("rust", &format!("{functions}\"ˇ{functions}"));
        check("python", &format!("x = [ˇ\n{}", "def f(a):\n    return a\n\n".repeat(1_000)));
    }
}
