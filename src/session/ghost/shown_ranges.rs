//! The parts of a suggestion that were shown and accepted.
//!
//! Ranges are in bytes of its text, under the numbers that the editor knows.

use std::ops::Range;
use std::time::{Duration, Instant};

/// The parts of a suggestion that were shown.
#[derive(Debug, Default)]
pub(super) struct ShownRanges {
    /// Each with the range last sent to the editor, newest last.
    parts: Vec<Part>,
    /// The end of the shown text. No more is shown until that is typed, so that nothing flickers.
    pub(super) end: usize,
    first_shown: Option<Instant>,
    /// The end of the accepted text. If the user undoes it, it is not shown again.
    pub(super) accepted: usize,
}

#[derive(Debug)]
struct Part {
    /// The number by which the editor knows it.
    id: u64,
    range: Range<usize>,
}

impl ShownRanges {
    /// Whether anything was shown.
    pub(super) fn is_shown(&self) -> bool {
        self.end > 0
    }

    /// How long ago anything was first shown; `None` if nothing was.
    pub(super) fn shown_for(&self, now: Instant) -> Option<Duration> {
        self.first_shown.map(|first| now.saturating_duration_since(first))
    }

    /// Records that a part is shown, and returns its number.
    ///
    /// A part with the same end keeps its number.
    pub(super) fn show(&mut self, range: Range<usize>, now: Instant, number: &mut dyn FnMut() -> u64) -> u64 {
        self.first_shown.get_or_insert(now);
        self.end = self.end.max(range.end);
        match self.parts.iter_mut().rev().find(|part| part.range.end == range.end) {
            Some(part) => {
                part.range = range;
                part.id
            }
            None => self.add(range, number),
        }
    }

    /// The number of a part that is shown beside a longer one.
    pub(super) fn number(&mut self, range: Range<usize>, number: &mut dyn FnMut() -> u64) -> u64 {
        match self.parts.iter().find(|part| part.range == range) {
            Some(part) => part.id,
            None => self.add(range, number),
        }
    }

    fn add(&mut self, range: Range<usize>, number: &mut dyn FnMut() -> u64) -> u64 {
        let id = number();
        self.parts.push(Part { id, range });
        id
    }

    /// Whether a part was shown under a number.
    pub(super) fn has(&self, id: u64) -> bool {
        self.range(id).is_some()
    }

    /// The range last sent to the editor under a number.
    pub(super) fn range(&self, id: u64) -> Option<Range<usize>> {
        self.parts.iter().find(|part| part.id == id).map(|part| part.range.clone())
    }

    /// Records that all of the part shown under a number was accepted.
    pub(super) fn accept(&mut self, id: u64) {
        if let Some(range) = self.range(id) {
            self.accepted = self.accepted.max(range.end);
        }
    }

    /// Records that the first `units` UTF-16 units of the part shown under a number were accepted.
    pub(super) fn accept_part(&mut self, id: u64, units: usize, text: &str) {
        let Some(range) = self.range(id) else { return };
        let mut left = units;
        // Never splits a character, and never exceeds the sent text.
        let whole = text[range.clone()].chars().take_while(|letter| {
            let fits = letter.len_utf16() <= left;
            left = left.saturating_sub(letter.len_utf16());
            fits
        });
        let bytes: usize = whole.map(char::len_utf8).sum();
        self.accepted = self.accepted.max(range.start + bytes);
    }
}
