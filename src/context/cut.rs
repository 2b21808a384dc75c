//! Chooses where to cut a file: at the edges of scopes, and never through a key.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::NearbySecrets;
use crate::document::Document;
use crate::grammar::Grammar;

/// The part of a file to show around `focus`, with at most `before` and `after` bytes around it.
///
/// The cut falls at a member's edge in the smallest scope that is too large to show; without a tree, at a line.
pub(super) fn cut(document: &Document, focus: Range<usize>, before: usize, after: usize) -> Range<usize> {
    let secrets = NearbySecrets::around(document, &focus, (before, after));
    cut_around(document, focus, (before, after), &secrets)
}

/// Like [`cut`], with the secrets at hand that are near `focus`.
pub(super) fn cut_around(
    document: &Document,
    focus: Range<usize>,
    (before, after): (usize, usize),
    secrets: &NearbySecrets,
) -> Range<usize> {
    secrets.without_cuts(scoped(document, &focus, before, after), &focus)
}

/// Like [`cut`], but cuts only at lines.
pub(super) fn cut_at_lines(
    document: &Document,
    focus: Range<usize>,
    before: usize,
    after: usize,
) -> Range<usize> {
    let secrets = NearbySecrets::around(document, &focus, (before, after));
    secrets.without_cuts(limits(document, &focus, before, after), &focus)
}

fn scoped(document: &Document, focus: &Range<usize>, before: usize, after: usize) -> Range<usize> {
    let limit = limits(document, focus, before, after);
    let by_scope = document
        .tree()
        .zip(document.grammar())
        .and_then(|(tree, grammar)| members_within(tree, grammar, focus, &limit));
    let Some(members) = by_scope else { return limit };
    // A member begins after its indentation, and lines are shown or left out as a whole.
    let start = document.line_start(members.start).max(limit.start);
    // In an edited tree the next member may begin far past the limit.
    let end = if members.end < limit.end { document.line_start(members.end) } else { limit.end };
    start.min(focus.start)..end.max(focus.end)
}

/// The limit of a window, shrunk to whole lines if any remain.
fn limits(document: &Document, focus: &Range<usize>, before: usize, after: usize) -> Range<usize> {
    let text = document.text();
    let mut start = document.floor_boundary(focus.start.saturating_sub(before));
    if start > 0 {
        let line = document.next_line_start(start);
        if line <= focus.start {
            start = line;
        }
    }
    let mut end = document.floor_boundary(focus.end + after);
    if end < text.len_bytes() {
        let line = document.line_start(end);
        if line > focus.end {
            end = line;
        }
    }
    start..end
}

/// The run of whole members within `limit` of the smallest enclosing scope that exceeds it.
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
        // The first child that reaches into the limit may begin before it; then the next child is the first
        // whole member.
        if cursor.node().start_byte() >= limit.start || cursor.goto_next_sibling() {
            start = cursor.node().start_byte();
        }
    }
    cursor.reset(scope);
    let mut end = limit.end;
    if scope.end_byte() > limit.end && cursor.goto_first_child_for_byte(limit.end).is_some() {
        end = cursor.node().start_byte();
    }
    // A focus between two members, or in a member that is too large and no scope, is cut at lines.
    let start = if start <= focus.start { start } else { limit.start };
    let end = if end >= focus.end { end } else { limit.end };
    Some(start..end)
}

/// Sorts parts of a file, and joins adjacent ones, which hide nothing between them.
pub(super) fn join(mut parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    parts.sort_by_key(|part| part.start);
    parts.dedup_by(|next, part| {
        let meets = next.start <= part.end;
        if meets {
            part.end = part.end.max(next.end);
        }
        meets
    });
    parts
}
