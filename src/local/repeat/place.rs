//! The code around a place where a change may be repeated.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use crate::document::Document;
use crate::edit::Edit;
use crate::grammar::{Match, QueryKind};
use crate::local::syntax::{is_function, node_at};
use crate::local::walk::Walk;
use crate::local::words::{LinePiece, PieceKind, tokens};
use crate::text::ident::{first_partial, is_name, last_partial, occurrences};

/// The syntax before a position: the kinds of the node that ends there and of its parent.
pub(super) fn anchor<'d>(document: &'d Document, text: &str, at: usize) -> Option<(&'d str, &'d str)> {
    let before = text[..at].trim_end();
    let node = node_at(document, before.len().checked_sub(1)?)?;
    Some((node.kind(), node.parent().map_or("", |it| it.kind())))
}

/// Whether the line of a position already contains a name.
pub(super) fn line_has(text: &str, at: usize, name: &str) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    is_name(name) && occurrences(&text[start..end], name).next().is_some()
}

/// Whether a change is already made at a position.
///
/// The new words are after the position or before it, or around it where they contain the old ones, or the
/// position lies in an inserted text. Thus an accepted edit is never offered again.
pub(super) fn is_done(text: &str, at: usize, old: &str, new: &str, places: &[usize]) -> bool {
    if places.iter().any(|place| *place <= at && at + old.len() <= place + new.len()) {
        return true;
    }
    if old.is_empty() {
        let bare = new.trim();
        return text[at..].trim_start().starts_with(bare) || text[..at].trim_end().ends_with(bare);
    }
    let mut held = new.match_indices(old).map(|(inside, _)| inside);
    held.any(|inside| at.checked_sub(inside).and_then(|at| text.get(at..at + new.len())) == Some(new))
}

/// Whether a position is inside the function with the new name: a wrapper of the old function calls it.
pub(super) fn is_within_definition(document: &Document, at: usize, name: &str) -> bool {
    let mut node = node_at(document, at);
    while let Some(around) = node.and_then(function) {
        if around.child_by_field_name("name").is_some_and(|it| document.slice(it.byte_range()) == name) {
            return true;
        }
        node = around.parent();
    }
    false
}

/// The smallest function around a node.
pub(super) fn function(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(Some(node), Node::parent).find(|it| is_function(*it))
}

/// The tokens right before and after a position, on its line.
pub(super) fn neighbors<'t>(before: &'t str, after: &'t str) -> (Option<&'t str>, Option<&'t str>) {
    let line_before = before.rsplit('\n').next().unwrap_or_default();
    let line_after = after.split('\n').next().unwrap_or_default();
    let solid = |token: &LinePiece<'t>| (token.kind != PieceKind::Space).then_some(token.text);
    (tokens(line_before).iter().rev().find_map(solid), tokens(line_after).iter().find_map(solid))
}

/// Whether a node of these kinds, with its parent, is in type position.
pub(super) fn is_type(kind: &str, around: &str) -> bool {
    kind.contains("type") || around.contains("type")
}

/// The edits that continue from earlier places, in the direction in which the user moved.
///
/// That is down, unless the last two places show otherwise. `None` if an edit lies between those places: the
/// user skipped it, and less than half of the edits offered in spite of that were right. Places behind may have
/// been skipped as well.
pub(super) fn onward(mut edits: Vec<Edit>, places: &[usize]) -> Option<Vec<Edit>> {
    let (Some(first), Some(last)) = (places.iter().min(), places.iter().max()) else { return Some(edits) };
    if edits.iter().any(|edit| (*first..*last).contains(&edit.span.start)) {
        return None;
    }
    let goes_up = matches!(places, [.., one, newest] if newest < one);
    edits.retain(|edit| (edit.span.start < *first) == goes_up);
    Some(edits)
}

/// The range of `old` that differs from `new`, in whole words, and its counterpart in `new`.
pub(super) fn narrowed(old: &str, new: &str) -> (Range<usize>, String) {
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let bytes = |pair: (char, char)| pair.0.len_utf8();
    let head: usize = old.chars().zip(new.chars()).take_while(same).map(bytes).sum();
    let (rest, new) = (&old[head..], &new[head..]);
    let tail: usize = rest.chars().rev().zip(new.chars().rev()).take_while(same).map(bytes).sum();
    let lead = last_partial(&old[..head]).len();
    let trail = first_partial(&old[old.len() - tail..]).len();
    let text =
        [&old[head - lead..head], &new[..new.len() - tail], &old[old.len() - tail..old.len() - tail + trail]];
    (head - lead..old.len() - tail + trail, text.concat())
}

/// Whether an import binds a name in the file. `None` outside of imports, and for imports that do not involve
/// the name.
pub(super) fn is_bound_by_import(document: &Document, name: &Range<usize>) -> Option<bool> {
    let imports = document.matches(QueryKind::Imports, name.clone());
    let is_it = |node: Node<'_>| node.byte_range() == *name;
    if imports.iter().any(|it| it.name.is_some_and(is_it)) {
        return Some(true);
    }
    // With an alias, the original name belongs to another file.
    let is_other = |it: &Match<'_>| it.name.is_some() && it.original.is_some_and(is_it);
    imports.iter().any(is_other).then_some(false)
}

/// Whether some lines are imports.
pub(super) fn is_import(document: &Document, start: usize, end: usize) -> bool {
    let imports = document.matches(QueryKind::Imports, start..end);
    let holds = |byte: usize| imports.iter().any(|it| it.node.byte_range().contains(&byte));
    let code = document.slice(start..end);
    let (lead, code_end) = (code.len() - code.trim_start().len(), code.trim_end().len());
    lead < code_end && holds(start + lead) && holds(start + code_end - 1)
}

/// The node of the name at the place of a walk, with its mark if it has one.
pub(super) fn named<'d>(walk: &Walk<'d>) -> Node<'d> {
    let node = walk.node();
    walk.parent().filter(|it| it.kind() == "variable_name").unwrap_or(node)
}

/// The definitions in a byte range, keyed by the start of their names without marks such as `$`.
pub(super) fn definitions<'d>(
    document: &'d Document,
    text: &str,
    bytes: Range<usize>,
) -> HashMap<usize, Match<'d>> {
    let Some((tree, grammar)) = document.syntax().zip(document.grammar()) else { return HashMap::new() };
    let read = |node: Node<'_>| std::iter::once(text.get(node.byte_range()).unwrap_or_default());
    let found = grammar.matches(QueryKind::Definitions, tree.root_node(), bytes, read);
    let start = |name: Node<'_>| {
        let marks = text
            .get(name.byte_range())
            .map_or(0, |it| it.len() - it.trim_start_matches(['$', '#', '@', ':']).len());
        name.start_byte() + marks
    };
    // Of several definitions with one name, the outermost, which comes first.
    found.into_iter().rev().filter_map(|it| Some((start(it.name?), it))).collect()
}
