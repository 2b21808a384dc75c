//! The symbols that a text has in common with an earlier version of it, which need no search.

use std::ops::Range;

use tree_sitter::Node;

use super::documentation::MOST_DOC_LINES;
use crate::text::difference;
use crate::workspace::symbols::FileSymbols;

/// An earlier version of a text and its symbols. Its tree had no syntax error.
#[derive(Clone, Copy)]
pub(in crate::workspace) struct Earlier<'a> {
    pub(in crate::workspace) text: &'a str,
    pub(in crate::workspace) symbols: &'a FileSymbols,
}

/// The beginning and the end of a text that an earlier version has, too.
pub(super) struct Unchanged<'a> {
    symbols: &'a FileSymbols,
    /// The bytes before this one.
    head: usize,
    /// The bytes behind this one.
    tail: usize,
    /// How far the tail has moved.
    moved: Moved,
}

/// How far a part of a text has moved.
#[derive(Clone, Copy, Default)]
pub(super) struct Moved {
    pub(super) bytes: isize,
    pub(super) lines: isize,
}

/// A node whose symbols are known.
pub(super) struct UnchangedNode<'a> {
    /// The node (bytes).
    pub(super) span: Range<usize>,
    /// The symbols of the earlier version.
    pub(super) symbols: &'a FileSymbols,
    /// The indices of the node's definitions in them.
    pub(super) definitions: Range<usize>,
    /// The indices of the node's imports in them.
    pub(super) imports: Range<usize>,
    /// How far the node has moved since.
    pub(super) moved: Moved,
}

impl<'a> Unchanged<'a> {
    /// Compares a text with its earlier version.
    pub(super) fn new(earlier: Earlier<'a>, text: &str) -> Self {
        let (old, new) = difference(earlier.text, text);
        // The documentation of a definition may begin so many lines above it.
        let below = text[new.end..].match_indices('\n').nth(MOST_DOC_LINES);
        let lines = |part: &str| part.matches('\n').count().cast_signed();
        Self {
            symbols: earlier.symbols,
            head: new.start,
            tail: below.map_or(text.len(), |(at, _)| new.end + at),
            moved: Moved {
                bytes: text.len().cast_signed() - earlier.text.len().cast_signed(),
                lines: lines(&text[new]) - lines(&earlier.text[old]),
            },
        }
    }

    /// The symbols of a child of the root; `None` if it must be searched.
    ///
    /// Its text is the same, and it is a child of the root in both trees: then what the queries find is the same, too.
    pub(super) fn node(&self, node: Node<'_>) -> Option<UnchangedNode<'a>> {
        let span = node.byte_range();
        let moved = match self.head {
            head if span.end < head => Moved::default(),
            _ if span.start > self.tail => self.moved,
            _ => return None,
        };
        let old = span.start.checked_add_signed(-moved.bytes)?..span.end.checked_add_signed(-moved.bytes)?;
        let all = &self.symbols.definitions;
        let first = |at: usize| all.partition_point(|it| (it.start as usize) < at);
        let definitions = first(old.start)..first(old.end);
        let previous = definitions.start.checked_sub(1).and_then(|at| all.get(at));
        let outermost = std::iter::successors(previous, |it| all.get(it.parent as usize)).last();
        // A definition that enclosed it is gone, or ends elsewhere.
        let was_enclosed = outermost.is_some_and(|it| it.end as usize > old.start);
        let is_whole = all[definitions.clone()].iter().all(|it| it.end as usize <= old.end);
        if node.has_error() || was_enclosed || !is_whole {
            return None;
        }
        let first = |at: usize| self.symbols.imports.partition_point(|it| (it.start as usize) < at);
        let imports = first(old.start)..first(old.end);
        Some(UnchangedNode { span, symbols: self.symbols, definitions, imports, moved })
    }
}
