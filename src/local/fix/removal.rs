//! Removes a statement or a list entry, and keeps the code around it intact.
//!
//! Attributes and documentation are removed with it, or nothing is removed.

use tree_sitter::Node;

use super::file_view::{FileView, MARK};
use crate::edit::Edit;
use crate::grammar::{Facts, Grammar};

/// Removes a whole statement, or replaces it by an empty one if it is the only one of a block that needs one.
///
/// `None` if other code is on its lines, or if it is uncertain what would take its place.
pub(super) fn of_statement(file: &FileView<'_>, statement: Node<'_>) -> Option<Vec<Edit>> {
    let facts = file.grammar().map(Grammar::facts)?;
    let statement = with_list(statement);
    let start = start_of_attached(file, statement)?;
    let parent = statement.parent()?;
    let lines = file.whole_lines(start..statement.end_byte());
    let tail = file.slice(statement.end_byte()..lines.end);
    let has_tail = !tail.trim().trim_matches(';').is_empty();
    if has_tail || !is_sequence(facts, parent) {
        return None;
    }
    let is_needed = facts.filled_blocks.iter().any(|it| it == parent.kind());
    if is_needed && !has_other_statements(parent, statement) {
        let nothing = facts.empty_statement.as_deref()?;
        return Some(vec![Edit::new(start..statement.end_byte(), nothing)]);
    }
    let lead = file.slice(lines.start..start);
    lead.trim().trim_matches([';', MARK]).is_empty().then(|| vec![Edit::new(lines, "")])
}

/// Removes an entry of a list, with the comma that separates it from the others.
///
/// If nothing else is on its lines, they are removed too, with the comment behind the entry.
pub(super) fn of_entry(file: &FileView<'_>, entry: Node<'_>) -> Option<Vec<Edit>> {
    let start = start_of_attached(file, entry)?;
    let (before, after) = (previous(entry).filter(is_comma), next(entry).filter(is_comma));
    let end = after.map_or(entry.end_byte(), |it| it.end_byte());
    let lines = file.whole_lines(start..end);
    let behind = std::iter::successors(after.unwrap_or(entry).next_sibling(), Node::next_sibling);
    let comment = behind.take_while(|it| is_comment(it) && it.start_byte() < lines.end).last();
    let last = comment.map_or(end, |it| it.end_byte());
    let is_blank = |from: usize, to: usize| file.slice(from..to).trim().is_empty();
    let starts_line = is_blank(lines.start, start);
    let ends_line = last <= lines.end && is_blank(last, lines.end);
    if after.is_some_and(|it| !is_blank(entry.end_byte(), it.start_byte())) {
        return None;
    }
    let edits = match (before, after) {
        (_, Some(_)) if starts_line && ends_line => vec![Edit::new(lines, "")],
        (Some(before), Some(_)) if ends_line && is_blank(before.end_byte(), start) => {
            vec![Edit::new(before.end_byte()..end, "")]
        }
        (_, Some(after)) => {
            // A line continuation is removed with the line break; a comment is kept.
            let behind = std::iter::successors(after.next_sibling(), Node::next_sibling);
            let follower = behind.into_iter().find(|it| !it.is_extra() || is_comment(it))?;
            vec![Edit::new(start..follower.start_byte(), "")]
        }
        (Some(before), None) => {
            let end = if starts_line && ends_line { last } else { end };
            let between = file.slice(before.end_byte()..start);
            if between.trim_matches([' ', '\t', '\r', '\n', '\\']).is_empty() {
                vec![Edit::new(before.start_byte()..end, "")]
            } else if starts_line && ends_line {
                vec![Edit::new(before.byte_range(), ""), Edit::new(lines, "")]
            } else {
                return None;
            }
        }
        (None, None) => return None,
    };
    Some(edits)
}

/// Whether a node is one of several entries separated by commas.
pub(super) fn has_other_entries(node: Node<'_>) -> bool {
    previous(node).is_some_and(|it| is_comma(&it))
        || next(node).filter(is_comma).and_then(next).is_some_and(|it| it.is_named())
}

/// The start of a node with its attributes and documentation.
///
/// `None` if a comment above it is a tool's directive for the next line: it would then apply to other code.
fn start_of_attached(file: &FileView<'_>, node: Node<'_>) -> Option<usize> {
    let mut first = node;
    let mut below = node;
    let mut is_near = true;
    for above in std::iter::successors(node.prev_sibling(), Node::prev_sibling) {
        let is_attribute = above.kind() == "attribute_item";
        let at = above.start_byte();
        // A comment behind other code belongs to that code.
        let is_alone = file.slice(file.line_start(at)..at).trim().is_empty();
        if !(is_attribute || is_comment(&above) && is_alone) {
            break;
        }
        is_near &= below.start_position().row <= above.end_position().row + 1;
        if is_attribute || is_documentation(above) {
            first = above;
        } else if is_near && is_directive(&file.slice(above.byte_range())) {
            return None;
        }
        below = above;
    }
    Some(first.start_byte())
}

/// Whether the grammar marks a comment as documentation of the item below it.
fn is_documentation(comment: Node<'_>) -> bool {
    let mut cursor = comment.walk();
    comment.children(&mut cursor).any(|it| it.kind() == "outer_doc_comment_marker")
}

/// Whether a comment is a tool's directive, such as `@ts-ignore`, `eslint-disable-next-line` or `go:build`.
fn is_directive(comment: &str) -> bool {
    const WORDS: [&str; 7] = ["ignore", "disable", "nolint", "noqa", "noinspection", "expect", "skip"];
    let body = comment.trim_start_matches(|sign: char| "/*#-!".contains(sign) || sign.is_whitespace());
    let word = body.split_whitespace().next().unwrap_or_default();
    // `pylint: …`, but not `Note: …`.
    let is_of_tool =
        word.split_once(':').is_some_and(|(tool, _)| tool.starts_with(|it: char| it.is_ascii_lowercase()));
    let lower = word.to_lowercase();
    is_of_tool || word.starts_with(['@', '+']) || WORDS.iter().any(|it| lower.contains(it))
}

/// Whether a node holds any number of statements, so that it stays valid with one fewer.
fn is_sequence(facts: &Facts, node: Node<'_>) -> bool {
    const KINDS: [&str; 6] = ["block", "chunk", "statements", "statement_list", "body_statement", "then"];
    let first = node.child(0).map_or("", |it| it.kind());
    node.parent().is_none()
        || ["{", "("].contains(&first)
        || KINDS.contains(&node.kind())
        || facts.filled_blocks.iter().any(|it| it == node.kind())
}

fn has_other_statements(block: Node<'_>, statement: Node<'_>) -> bool {
    let mut cursor = block.walk();
    block.named_children(&mut cursor).any(|it| it != statement && !it.is_extra())
}

/// A statement, or the one around it if that one's list has no other entry.
fn with_list(statement: Node<'_>) -> Node<'_> {
    let list = statement.parent().filter(|it| it.child(0).is_some_and(|it| it.kind() == "("));
    list.filter(|it| it.named_child_count() == 1).and_then(|it| it.parent()).unwrap_or(statement)
}

fn is_comma(node: &Node<'_>) -> bool {
    node.kind() == ","
}

fn is_comment(node: &Node<'_>) -> bool {
    node.kind().contains("comment")
}

/// The next sibling that is not a comment or another extra.
fn next(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(node.next_sibling(), Node::next_sibling).find(|it| !it.is_extra())
}

/// The previous sibling that is not a comment or another extra.
fn previous(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(node.prev_sibling(), Node::prev_sibling).find(|it| !it.is_extra())
}
