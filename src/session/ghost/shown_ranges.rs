//! What of a suggestion was shown and accepted.
//!
//! It is counted in bytes of its text, under the numbers that the editor knows.

use std::ops::Range;
use std::time::{Duration, Instant};

/// The parts of a suggestion that were shown.
#[derive(Debug, Default)]
pub(super) struct ShownRanges {
    /// Each with what was last sent of it, the newest last.
    parts: Vec<Part>,
    /// Up to here it was shown. No more is shown before that is typed, so that nothing flickers.
    end: usize,
    first_shown: Option<Instant>,
    /// Up to here it was accepted. If that is undone, it is not shown again.
    accepted: usize,
}

/// A part that was shown.
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

    /// Up to where it was shown.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Up to where it was accepted.
    pub(super) fn accepted(&self) -> usize {
        self.accepted
    }

    /// How long ago anything was shown first; `None` if nothing was.
    pub(super) fn shown_for(&self, now: Instant) -> Option<Duration> {
        self.first_shown.map(|first| now.saturating_duration_since(first))
    }

    /// Shows a part, and returns its number.
    ///
    /// It is the old one if a part with this end was shown before.
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

    /// What was last sent to the editor under a number.
    pub(super) fn range(&self, id: u64) -> Option<Range<usize>> {
        self.parts.iter().find(|part| part.id == id).map(|part| part.range.clone())
    }

    /// The part shown under a number was accepted as a whole.
    pub(super) fn accept(&mut self, id: u64) {
        if let Some(range) = self.range(id) {
            self.accepted = self.accepted.max(range.end);
        }
    }

    /// The first `units` UTF-16 units of the part shown under a number were accepted.
    pub(super) fn accept_part(&mut self, id: u64, units: usize, text: &str) {
        let Some(range) = self.range(id) else { return };
        let mut left = units;
        // Never half a character, and never more than was sent.
        let whole = text[range.clone()].chars().take_while(|letter| {
            let fits = letter.len_utf16() <= left;
            left = left.saturating_sub(letter.len_utf16());
            fits
        });
        let bytes: usize = whole.map(char::len_utf8).sum();
        self.accepted = self.accepted.max(range.start + bytes);
    }
}
