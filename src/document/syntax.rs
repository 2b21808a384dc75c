//! The tree of a document, parsed lazily from the edited tree of an earlier version.

use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Node, Point, Tree};

use super::limits::TREE_BYTES;
use super::pending_tree::PendingTree;
use super::{Document, Splice};
use crate::grammar::{Match, QueryKind};

impl Document {
    /// The tree of exactly this text, parsed on demand; `None` without a grammar.
    ///
    /// Blocks on the parse (about 1 ms after an edit in 10,000 lines, tens of milliseconds for a first parse):
    /// do not call it on the transport task or on the path to ghost text.
    pub fn syntax(&self) -> Option<&Tree> {
        self.syntax
            .get_or_init(|| {
                let grammar = self.grammar?;
                // A keystroke may turn a whole line into a magic, which an edited tree does not reflect.
                if let Some(text) = self.parsed_text() {
                    return grammar.parse_str(&text);
                }
                let chunk_from = |byte: usize| {
                    if byte >= self.text.len_bytes() {
                        return &[][..];
                    }
                    let (chunk, start, ..) = self.text.chunk_at_byte(byte);
                    &chunk.as_bytes()[byte - start..]
                };
                grammar.parse(&mut |byte| chunk_from(byte), self.pending_tree.get())
            })
            .as_ref()
    }

    /// Runs a query on some bytes; matches are in text order, none without a grammar. Blocks on the parse.
    pub fn matches(&self, kind: QueryKind, bytes: Range<usize>) -> Vec<Match<'_>> {
        let Some((tree, grammar)) = self.syntax().zip(self.grammar) else { return Vec::new() };
        let text = |node: Node<'_>| self.text.byte_slice(node.byte_range()).chunks().map(str::as_bytes);
        grammar.matches(kind, tree.root_node(), bytes, text)
    }

    /// The best available tree without parsing: of this text, or of an earlier version with later edits
    /// applied. Accurate enough to choose where to cut, but never proof about the text.
    pub fn tree(&self) -> Option<&Tree> {
        match self.syntax.get() {
            Some(tree) => tree.as_ref(),
            None => self.pending_tree.get(),
        }
    }

    /// The same tree, for a version derived from this one.
    pub(super) fn tree_for_next(&self) -> PendingTree {
        match self.syntax.get() {
            Some(Some(tree)) => PendingTree::new(tree.clone()),
            Some(None) => PendingTree::default(),
            None => self.pending_tree.for_next(),
        }
    }

    /// Whether the file's size allows it to keep a tree.
    pub fn keeps_tree(&self) -> bool {
        self.text.len_bytes() <= TREE_BYTES
    }

    /// The same version; a tree that is parsed for the copy is not kept here.
    pub fn detached(&self) -> Self {
        self.having(self.pending_tree.for_next(), self.syntax.clone())
    }

    /// The same version without any tree.
    pub fn without_tree(&self) -> Self {
        self.having(PendingTree::default(), OnceLock::new())
    }

    /// Whether [`Document::syntax`] would return without parsing.
    pub fn is_parsed(&self) -> bool {
        self.grammar.is_none() || self.syntax.get().is_some()
    }

    /// The same version, seeded with the tree `parsed` of an earlier version and the edits `since`.
    pub fn with_tree<'a>(&self, parsed: &Tree, since: impl Iterator<Item = &'a Splice>) -> Self {
        let mut pending_tree = PendingTree::new(parsed.clone());
        for splice in since {
            pending_tree.change(&splice.input);
        }
        self.having(pending_tree, self.syntax.clone())
    }

    fn having(&self, pending_tree: PendingTree, syntax: OnceLock<Option<Tree>>) -> Self {
        Self {
            id: self.id.clone(),
            version: self.version,
            revision: self.revision,
            grammar: self.grammar,
            text: self.text.clone(),
            words: self.words.clone(),
            lone_cr: self.lone_cr,
            cell: self.cell.clone(),
            pending_tree,
            syntax,
        }
    }

    /// The parser's row and column of a byte: rows end with `\n` only, columns are bytes.
    pub(super) fn point(&self, byte: usize) -> Point {
        if !self.lone_cr {
            let row = self.text.byte_to_line(byte);
            return Point { row, column: byte - self.text.line_to_byte(row) };
        }
        let mut row = 0;
        let mut start = 0;
        let mut offset = 0;
        for chunk in self.text.byte_slice(..byte).chunks() {
            for (at, _) in chunk.match_indices('\n') {
                row += 1;
                start = offset + at + 1;
            }
            offset += chunk.len();
        }
        Point { row, column: byte - start }
    }
}
