//! Earlier texts of files, each with the edits that had led to it.
//!
//! An undo, a redo or a reload from the disk brings an earlier text back. The recent edits are then those that had
//! led to that text, and the changes made since do not count.

use std::collections::VecDeque;
use std::sync::Arc;

use ropey::Rope;

use crate::document::DocumentId;
use crate::session::limits::{KNOWN_TEXT_BYTES, KNOWN_TEXTS};
use crate::snapshot::RecentEdit;

/// Bytes that are compared before the whole texts.
const FIRST_BYTES: usize = 16;

/// A text that a file had.
#[derive(Debug)]
pub(super) struct KnownText {
    pub(super) document: DocumentId,
    pub(super) text: Rope,
    /// The edits of the file that had led to it, oldest first.
    pub(super) edits: Vec<Arc<RecentEdit>>,
    /// Which way it lies from the text that came after it.
    pub(super) direction: Direction,
}

/// Which way a text lies from the one after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// It was edited: an undo leads back to it.
    Back,
    /// It was undone: a redo leads forth to it.
    Forth,
}

/// The texts that were left last, oldest first.
#[derive(Debug, Default)]
pub(super) struct KnownTexts(VecDeque<KnownText>);

impl KnownTexts {
    pub(super) fn remember(&mut self, known: KnownText) {
        if known.text.len_bytes() > KNOWN_TEXT_BYTES {
            return;
        }
        self.0.push_back(known);
        if self.0.len() > KNOWN_TEXTS {
            self.0.pop_front();
        }
    }

    /// Takes out the newest text that is the same as this one.
    ///
    /// The bytes from `changed` on are compared first: the texts of one length differ there as a rule.
    pub(super) fn take(&mut self, document: &DocumentId, text: &Rope, changed: usize) -> Option<KnownText> {
        let from =
            |text: &Rope| text.get_bytes_at(changed).map(|bytes| bytes.take(FIRST_BYTES).collect::<Vec<_>>());
        if self.0.is_empty() {
            return None;
        }
        let first = from(text);
        let is_same = |it: &KnownText| {
            it.document == *document
                && it.text.len_bytes() == text.len_bytes()
                && from(&it.text) == first
                && it.text == *text
        };
        let at = self.0.iter().rposition(is_same)?;
        self.0.remove(at)
    }

    pub(super) fn forget(&mut self, document: &DocumentId) {
        self.0.retain(|it| it.document != *document);
    }
}
