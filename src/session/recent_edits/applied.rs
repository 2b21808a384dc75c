//! A change with the text that it removed, and the composition of two adjacent changes.

use std::ops::Range;

use ropey::Rope;

use crate::document::Splice;

/// An applied change: `old` at the byte `at` became `new`.
#[derive(Debug, Clone)]
pub(super) struct AppliedChange {
    pub(super) at: usize,
    pub(super) old: String,
    pub(super) new: String,
}

impl AppliedChange {
    pub(super) fn new(text: &Rope, splice: &Splice) -> Self {
        let old = text.byte_slice(splice.span.clone()).to_string();
        Self { at: splice.span.start, old, new: splice.text.clone() }
    }

    /// Strips the common prefix and suffix of both sides.
    pub(super) fn narrowed(mut self) -> Self {
        let same = |(a, b): &(char, char)| a == b;
        let bytes = |(letter, _): (char, char)| letter.len_utf8();
        let head: usize = self.old.chars().zip(self.new.chars()).take_while(same).map(bytes).sum();
        self.old.drain(..head);
        self.new.drain(..head);
        let ends = self.old.chars().rev().zip(self.new.chars().rev());
        let tail: usize = ends.take_while(same).map(bytes).sum();
        self.old.truncate(self.old.len() - tail);
        self.new.truncate(self.new.len() - tail);
        self.at += head;
        self
    }

    /// Whether it is one key press: an inserted character, perhaps with a closer that the editor adds, or a
    /// deleted one.
    pub(super) fn is_key(&self) -> bool {
        let chars = |text: &str| text.chars().take(3).count();
        match (chars(&self.old), chars(&self.new)) {
            (0, added) => added <= 2,
            (removed, added) => removed + added <= 1,
        }
    }

    /// Whether it replaces whitespace with whitespace.
    pub(super) fn is_blank(&self) -> bool {
        [&self.old, &self.new].into_iter().all(|text| text.trim().is_empty())
    }

    /// The removed bytes.
    pub(super) fn span(&self) -> Range<usize> {
        self.at..self.at + self.old.len()
    }

    /// Composes this change with a later one; `None` if they do not touch.
    pub(super) fn then(&self, later: &AppliedChange) -> Option<AppliedChange> {
        let (start, end) = (self.at, self.at + self.new.len());
        let later_end = later.at + later.old.len();
        if later.at > end || later_end < start {
            return None;
        }
        // Text around this change that the later one removed existed before both.
        let head = later.old.get(..start.saturating_sub(later.at))?;
        let tail = later.old.get(later.old.len() - later_end.saturating_sub(end)..)?;
        let kept_head = self.new.get(..later.at.saturating_sub(start))?;
        let kept_tail = self.new.get(self.new.len() - end.saturating_sub(later_end)..)?;
        Some(AppliedChange {
            at: start.min(later.at),
            old: [head, &self.old, tail].concat(),
            new: [kept_head, &later.new, kept_tail].concat(),
        })
    }
}
