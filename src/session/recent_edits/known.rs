//! Earlier texts of files, each with the edits that led to it.
//!
//! An undo, a redo or a reload from disk brings an earlier text back. The recent edits are then those that led
//! to that text, and the changes made since do not count.

use std::collections::VecDeque;
use std::sync::Arc;

use ropey::Rope;

use crate::document::DocumentId;
use crate::session::limits::{KNOWN_TEXT_BYTES, KNOWN_TEXTS};
use crate::snapshot::RecentEdit;

/// How many bytes are compared before the whole texts.
const FIRST_BYTES: usize = 16;

/// An earlier text of a file.
#[derive(Debug)]
pub(super) struct KnownText {
    pub(super) document: DocumentId,
    pub(super) text: Rope,
    /// The edits of the file that led to it, oldest first.
    pub(super) edits: Vec<Arc<RecentEdit>>,
    /// Its direction, seen from the text that replaced it.
    pub(super) direction: Direction,
}

/// The direction of an earlier text, seen from the text that replaced it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// The text was edited: an undo leads back to it.
    Back,
    /// The text was undone: a redo leads forward to it.
    Forth,
}

/// The earlier texts, oldest first.
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

    /// Removes and returns the newest text equal to this one.
    ///
    /// The bytes from `changed` on are compared first: texts of the same length usually differ there.
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
