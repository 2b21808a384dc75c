//! Inserts a missing brace where the indentation shows its place.

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::problem::Problem;
use crate::document::Document;
use crate::edit::Edit;
use crate::local::limits::FIXED_FILE_BYTES;
use crate::text::ident;

/// Closes the only unclosed block where its indentation ends, or opens the only block without a `{`.
pub(super) fn missing(file: &FileView<'_>, _: &Problem<'_>) -> Option<Fix> {
    file.missing_brace(|document| find(document).or_else(|| find_head(document))).cloned()
}

/// Adds the `{` of the only block without one, behind the nearest line above that is indented like its `}`.
fn find_head(document: &Document) -> Option<Fix> {
    if document.text().len_bytes() > FIXED_FILE_BYTES {
        return None;
    }
    document.syntax_errors().filter(|errors| *errors > 0)?;
    let close = unopened(document)?;
    let indent = width(&indent_of(document, close));
    let mut start = document.line_start(close);
    let line = loop {
        start = document.line_start(start.checked_sub(1)?);
        let line = document.slice(start..document.next_line_start(start));
        if !line.trim().is_empty() && width(&line) <= indent {
            break line;
        }
    };
    let head = line.trim_end();
    // The head is only begun.
    let is_begun =
        ["catch", "fn", "for", "func", "if", "match", "switch", "while"].contains(&head.trim_start());
    if is_begun || width(&line) != indent || head.ends_with(['{', ';', ',', '}']) || head.contains("//") {
        return None;
    }
    let span = start + head.len()..start + line.trim_end_matches(['\r', '\n']).len();
    let after = document.with(span.clone(), " {");
    if after.syntax_errors() != Some(0) || unclosed(&after).is_some() {
        return None;
    }
    Some(Fix::new(Kind::MissingToken, "add the missing `{`".to_owned(), vec![Edit::new(span, " {")]))
}

/// The only closing brace that starts a line and has no opening brace of its indentation (bytes).
fn unopened(document: &Document) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    let mut lost: Option<usize> = None;
    for (at, is_open) in braces(document)? {
        let line = document.line_start(at);
        let indent = width(&indent_of(document, at));
        let is_own = |opener: &usize| {
            document.line_start(*opener) == line || width(&indent_of(document, *opener)) >= indent
        };
        if is_open {
            open.push(at);
        } else if open.last().is_some_and(is_own) {
            open.pop();
        } else if lost.replace(at).is_some() || !document.slice(line..at).trim().is_empty() {
            return None;
        }
    }
    lost.filter(|_| open.is_empty())
}

/// The fix for the only unclosed block of a file.
///
/// It is certain only if the indentation matches the braces in the rest of the file.
fn find(document: &Document) -> Option<Fix> {
    if document.text().len_bytes() > FIXED_FILE_BYTES {
        return None;
    }
    document.syntax_errors().filter(|errors| *errors > 0)?;
    let open = unclosed(document)?;
    if lacks_closer_before(document, open) {
        return None;
    }
    let indent = indent_of(document, open);
    // If the block's content is not indented, the indentation does not show where the block ends.
    let mut below = document.next_line_start(open);
    while below < document.text().len_bytes()
        && document.slice(below..document.next_line_start(below)).trim().is_empty()
    {
        below = document.next_line_start(below);
    }
    if width(&indent_of(document, below.min(document.text().len_bytes()))) <= width(&indent) {
        return None;
    }
    // The first line below that is not indented deeper than the line of the opening brace.
    let mut line = document.text().byte_to_line(open) + 1;
    let lines = document.text().len_lines();
    let ending = if document.text().line(0).to_string().ends_with("\r\n") { "\r\n" } else { "\n" };
    let at = loop {
        if line >= lines {
            break document.text().len_bytes();
        }
        let text = document.text().line(line).to_string();
        let start = document.text().line_to_byte(line);
        if !text.trim().is_empty() && width(&text) <= width(&indent) {
            // `} else {` closes a block and continues its statement.
            if text.trim_start().starts_with('}') && width(&text) == width(&indent) {
                return None;
            }
            break start;
        }
        line += 1;
    };
    let ends_line = at == 0 || document.slice(at - 1..at) == "\n";
    let text = if ends_line { format!("{indent}}}{ending}") } else { format!("{ending}{indent}}}{ending}") };
    let after = document.with(at..at, &text);
    if after.syntax_errors() != Some(0) || unclosed(&after).is_some() {
        return None;
    }
    Some(Fix::new(Kind::MissingToken, "add the missing `}`".to_owned(), vec![Edit::new(at..at, text)]))
}

/// Whether the line of a brace goes on with a statement, such as `else {`, whose block above is not closed in its column.
///
/// Then the brace that is missing may be the one before it.
fn lacks_closer_before(document: &Document, open: usize) -> bool {
    let start = document.line_start(open);
    let line = document.slice(start..open);
    let first = ident::words(&line).next().unwrap_or_default();
    if !["else", "catch", "finally"].contains(&first) || line.trim_start().starts_with('}') {
        return false;
    }
    let text = document.text();
    let mut above = (0..text.byte_to_line(start)).rev().map(|row| text.line(row).to_string());
    let closer = above.find(|line| !line.trim().is_empty()).unwrap_or_default();
    closer.trim() != "}" || width(&closer) != width(&line)
}

/// The only brace that is not closed at its own indentation (bytes).
fn unclosed(document: &Document) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    let mut lost: Option<usize> = None;
    for (at, is_open) in braces(document)? {
        if is_open {
            open.push(at);
            continue;
        }
        let line = document.line_start(at);
        let begins = document.slice(line..at).trim().is_empty();
        let mut opener = open.pop()?;
        let same_line = document.line_start(opener) == line;
        let deeper = |opener: usize| width(&indent_of(document, opener)) > width(&indent_of(document, at));
        while begins && !same_line && deeper(opener) {
            if lost.replace(opener).is_some() {
                return None;
            }
            opener = open.pop()?;
        }
        if begins && !same_line && width(&indent_of(document, opener)) != width(&indent_of(document, at)) {
            return None;
        }
    }
    match (open.as_slice(), lost) {
        ([], lost) => lost,
        ([one], None) => Some(*one),
        _ => None,
    }
}

/// All braces in the code, in order, each with whether it opens a block. `None` without a tree.
fn braces(document: &Document) -> Option<Vec<(usize, bool)>> {
    let tree = document.syntax()?;
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node: Node<'_> = cursor.node();
        if node.child_count() == 0 && !node.is_missing() {
            let start = node.start_byte();
            match node.kind() {
                "{" => found.push((start, true)),
                "}" => found.push((start, false)),
                // Text that the parser could not read may contain a brace.
                _ if node.is_error() && document.slice(node.byte_range()).contains(['{', '}']) => {
                    return None;
                }
                _ => {}
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(found);
            }
        }
    }
}

/// The indentation of the line that contains a byte.
fn indent_of(document: &Document, byte: usize) -> String {
    let line = document.slice(document.line_start(byte)..document.next_line_start(byte));
    line.chars().take_while(|it| *it == ' ' || *it == '\t').collect()
}

fn width(text: &str) -> usize {
    let blanks = text.chars().take_while(|it| *it == ' ' || *it == '\t');
    blanks.map(|it| if it == '\t' { 8 } else { 1 }).sum()
}
