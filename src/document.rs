//! One immutable version of an open file: text, version, and a lazily parsed syntax tree.
//!
//! A change creates a new [`Document`] ([`Document::edited`]); holders of the old one keep it. The text is a
//! rope and the tree is shared, so a version costs microseconds whatever the file's size. Internal positions
//! are byte offsets; lines and columns exist only in [`position`].

mod alignment;
mod cell;
mod errors;
mod limits;
mod notebook;
mod out_of_sync;
mod pending_tree;
mod pieces;
pub mod position;
mod syntax;
mod words;

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use ropey::Rope;
use tree_sitter::{InputEdit, Point, Tree};

use crate::grammar::{self, Grammar};
use crate::text::floor_boundary;
use cell::Cell;
use limits::{DENSE_CHANGE_BYTES, GATHERED_BYTES, UNMOVED_CHANGES, WORD_BYTES};
use pending_tree::{PendingTree, covering};
use pieces::pieces;
use position::{Encoding, Position};
use words::Words;

pub use out_of_sync::OutOfSync;

/// The identifier of an open file, exactly as the editor spells it (an LSP URI).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentId(Arc<str>);

impl DocumentId {
    /// Wraps the editor's spelling.
    pub fn new(uri: &str) -> Self {
        Self(uri.into())
    }

    /// The editor's spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it names a file on disk.
    ///
    /// Otherwise it is an unsaved buffer, an older version, or a notebook cell.
    pub fn is_file(&self) -> bool {
        self.0.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
    }
}

impl fmt::Debug for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A change as the editor reports it: a range in its encoding, or the whole text.
#[derive(Debug, Clone)]
pub struct Change {
    /// The replaced range; `None` replaces the whole text.
    pub range: Option<Range<Position>>,
    /// The new text.
    pub text: String,
}

/// An applied change, in byte offsets of the text before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The replaced bytes.
    pub span: Range<usize>,
    /// The new text.
    pub text: String,
    input: InputEdit,
}

/// One immutable version of one open file.
pub struct Document {
    id: DocumentId,
    version: i32,
    /// Unlike the version, unique to a text within the process, and increasing: editors may repeat versions,
    /// and restart them when a file is reopened.
    revision: u64,
    grammar: Option<&'static Grammar>,
    text: Rope,
    /// The word index of a large text.
    words: Option<Words>,
    /// Whether the text may hold a `\r` that is not followed by `\n`.
    ///
    /// If so, the editor's line numbers differ from the parser's.
    lone_cr: bool,
    /// The notebook and language of a cell; `None` for a file.
    cell: Option<Cell>,
    /// The tree of an earlier version, until this version is parsed.
    pending_tree: PendingTree,
    syntax: OnceLock<Option<Tree>>,
}

impl Document {
    /// Creates the first version of a file. `language_id` is the editor's name for its language.
    pub fn new(id: DocumentId, language_id: &str, version: i32, text: &str) -> Self {
        let grammar = grammar::by_language_id(language_id)
            .or_else(|| grammar::by_path(std::path::Path::new(id.as_str())));
        let lone_cr = has_lone_cr(text);
        let text = Rope::from_str(text);
        Self {
            id,
            version,
            revision: next_revision(),
            grammar,
            words: words_of(&text),
            lone_cr,
            cell: None,
            text,
            pending_tree: PendingTree::default(),
            syntax: OnceLock::new(),
        }
    }

    /// Applies `changes` in order; returns the next version and the changes in bytes.
    ///
    /// # Errors
    ///
    /// [`OutOfSync`] if a change does not fit this text. Nothing is guessed: the caller must drop the document.
    pub fn edited(
        &self,
        changes: &[Change],
        encoding: Encoding,
        version: i32,
    ) -> Result<(Self, Vec<Splice>), OutOfSync> {
        // A change of the whole text restores synchronization, whatever came before it.
        let start = changes.iter().rposition(|change| change.range.is_none());
        if start.is_none() && version < self.version {
            return Err(OutOfSync::VersionWentBack { old: self.version, new: version });
        }
        let mut next = Self {
            id: self.id.clone(),
            version,
            revision: next_revision(),
            grammar: self.grammar,
            text: self.text.clone(),
            words: self.words.clone(),
            lone_cr: self.lone_cr,
            cell: self.cell.clone(),
            pending_tree: if self.keeps_tree() { self.tree_for_next() } else { PendingTree::default() },
            syntax: OnceLock::new(),
        };
        let mut splices = Vec::with_capacity(changes.len());
        for change in &changes[start.unwrap_or(0)..] {
            splices.push(next.apply(change, encoding)?);
        }
        next.settle_language();
        Ok((next, splices))
    }

    /// This version with `text` in place of `span`, which must lie on character boundaries.
    ///
    /// For speculative edits: it keeps the version number, and reparses from this version's tree.
    pub fn with(&self, span: Range<usize>, text: &str) -> Self {
        self.with_all(std::iter::once((span, text)))
    }

    /// This version with several changes applied, like [`Document::with`].
    ///
    /// Each change is a span of this text and its replacement; the spans are sorted and disjoint.
    pub fn with_all<'c>(&self, changes: impl DoubleEndedIterator<Item = (Range<usize>, &'c str)>) -> Self {
        let mut next = Self {
            id: self.id.clone(),
            version: self.version,
            revision: next_revision(),
            grammar: self.grammar,
            text: self.text.clone(),
            words: self.words.clone(),
            lone_cr: self.lone_cr,
            cell: self.cell.clone(),
            pending_tree: self.tree_for_next(),
            syntax: OnceLock::new(),
        };
        let changes: Vec<_> = changes.collect();
        let [Some(first), Some(last)] = [changes.first(), changes.last()] else { return next };
        let is_dense = changes.len() > UNMOVED_CHANGES
            && (last.0.end - first.0.start) / changes.len() < DENSE_CHANGE_BYTES;
        let pending_tree = is_dense.then(|| std::mem::take(&mut next.pending_tree));
        let made = changes.into_iter().rev().map(|(span, text)| next.splice(span, text).input);
        let all = made.reduce(|all, change| covering(&all, &change));
        if let (Some(pending_tree), Some(all)) = (pending_tree, all) {
            next.pending_tree = pending_tree;
            next.pending_tree.change(&all);
        }
        next.settle_language();
        next
    }

    fn apply(&mut self, change: &Change, encoding: Encoding) -> Result<Splice, OutOfSync> {
        let Some(range) = &change.range else {
            let span = 0..self.text.len_bytes();
            let input = InputEdit {
                start_byte: 0,
                old_end_byte: span.end,
                new_end_byte: change.text.len(),
                start_position: Point::default(),
                old_end_position: self.point(span.end),
                new_end_position: Point::default(),
            };
            self.text = Rope::from_str(&change.text);
            self.words = words_of(&self.text);
            self.lone_cr = has_lone_cr(&change.text);
            // No part of the old tree is known to match.
            self.pending_tree = PendingTree::default();
            return Ok(Splice { span, text: change.text.clone(), input });
        };
        let start = position::byte_at(&self.text, range.start, encoding)?;
        let end = match range.start == range.end {
            true => start,
            false => position::byte_at(&self.text, range.end, encoding)?,
        };
        if end < start {
            return Err(OutOfSync::Reversed);
        }
        Ok(self.splice(start..end, &change.text))
    }

    fn splice(&mut self, span: Range<usize>, text: &str) -> Splice {
        let start_position = self.point(span.start);
        let old_end_position = if span.is_empty() { start_position } else { self.point(span.end) };
        self.lone_cr |= text.contains('\r') && has_lone_cr(text)
            || text.ends_with('\r')
            || span.start > 0 && self.text.byte(span.start - 1) == b'\r';
        let first = self.text.byte_to_char(span.start);
        if !span.is_empty() {
            self.text.remove(first..self.text.byte_to_char(span.end));
        }
        self.text.insert(first, text);
        let new_end = span.start + text.len();
        if let Some(words) = &mut self.words {
            words.change(&self.text, span.start..new_end);
        }
        let input = InputEdit {
            start_byte: span.start,
            old_end_byte: span.end,
            new_end_byte: new_end,
            start_position,
            old_end_position,
            new_end_position: match text.contains('\n') {
                true => self.point(new_end),
                false => Point { row: start_position.row, column: start_position.column + text.len() },
            },
        };
        self.pending_tree.change(&input);
        Splice { span, text: text.to_owned(), input }
    }

    /// The identifier of the file.
    pub fn id(&self) -> &DocumentId {
        &self.id
    }

    /// The editor's version number.
    pub fn version(&self) -> i32 {
        self.version
    }

    /// A number unique to this text within the process.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The file's grammar; `None` if its language is not linked in.
    pub fn grammar(&self) -> Option<&'static Grammar> {
        self.grammar
    }

    /// The text.
    pub fn text(&self) -> &Rope {
        &self.text
    }

    /// A copy of a part of the text. A bound within a character counts as the start of it.
    pub fn slice(&self, span: Range<usize>) -> String {
        if span.is_empty() {
            return String::new();
        }
        let mut copy = String::with_capacity(span.len());
        copy.extend(pieces(&self.text, span));
        copy
    }

    /// The last boundary between characters at or before a byte.
    ///
    /// Returns the end of the text for a byte past the end.
    pub fn floor_boundary(&self, byte: usize) -> usize {
        if byte >= self.text.len_bytes() {
            return self.text.len_bytes();
        }
        let (chunk, start, ..) = self.text.chunk_at_byte(byte);
        start + floor_boundary(chunk, byte - start)
    }

    /// Whether a short string occurs in the text.
    ///
    /// Copies only the edges of the rope's chunks.
    pub fn contains(&self, wanted: &str) -> bool {
        let finder = memchr::memmem::Finder::new(wanted);
        let kept = wanted.len().saturating_sub(1);
        // The end of the previous chunks and the start of the next, for a match across chunks.
        let mut across = Vec::with_capacity(2 * kept);
        self.text.chunks().any(|chunk| {
            let chunk = chunk.as_bytes();
            across.extend_from_slice(&chunk[..chunk.len().min(kept)]);
            let is_found = finder.find(chunk).is_some() || finder.find(&across).is_some();
            if chunk.len() >= kept {
                across.clear();
                across.extend_from_slice(&chunk[chunk.len() - kept..]);
            } else {
                across.drain(..across.len().saturating_sub(kept));
            }
            is_found
        })
    }

    /// Whether a name may occur in the text; false only if it does not.
    pub fn may_have_name(&self, name: &str) -> bool {
        match self.words.as_ref().filter(|_| name.len() <= WORD_BYTES) {
            Some(words) => words.may_have(name),
            None => self.contains(name),
        }
    }

    /// Builds the word index of a large text ahead of the first request.
    pub fn gather_words(&self) {
        if let Some(words) = &self.words {
            words.gather();
        }
    }

    /// The byte at which the line holding `byte` starts.
    pub fn line_start(&self, byte: usize) -> usize {
        self.text.line_to_byte(self.text.byte_to_line(byte))
    }

    /// The byte at which the line after the one holding `byte` starts, or the end of the text.
    pub fn next_line_start(&self, byte: usize) -> usize {
        self.text.line_to_byte((self.text.byte_to_line(byte) + 1).min(self.text.len_lines()))
    }

    /// The whole lines that `span` touches.
    ///
    /// An end at the start of a line does not touch that line.
    pub fn whole_lines(&self, span: Range<usize>) -> Range<usize> {
        let start = self.line_start(span.start);
        let touches_nothing_more = span.end > span.start && self.line_start(span.end) == span.end;
        let end = if touches_nothing_more { span.end } else { self.next_line_start(span.end) };
        start..end
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the text: documents appear in logs.
        f.debug_struct("Document")
            .field("id", &self.id)
            .field("version", &self.version)
            .field("bytes", &self.text.len_bytes())
            .finish_non_exhaustive()
    }
}

/// The word index of a text that is so large that searching it is slower.
fn words_of(text: &Rope) -> Option<Words> {
    (text.len_bytes() > GATHERED_BYTES).then(|| Words::of(text))
}

fn next_revision() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn has_lone_cr(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.match_indices('\r').any(|(at, _)| bytes.get(at + 1) != Some(&b'\n'))
}

#[cfg(test)]
mod tests;
