//! The position of a suggestion in a changing text, and the span typed there since.

use crate::document::Splice;

/// The span between the text left of a suggestion and the text right of it, in bytes.
///
/// Empty at first, at the cursor; it grows with the text typed there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Where the suggestion begins.
    pub(super) at: usize,
    /// Where the text that was right of the cursor begins.
    pub(super) end: usize,
    /// Where the line of `at` begins.
    pub(super) line: usize,
}

/// The location of a change relative to an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    /// Within the span.
    Inside,
    /// In lines above.
    Above,
    /// Left of the span in its line, or after it.
    Beside,
    /// Across an end of the span.
    Through,
}

impl Anchor {
    pub(super) fn new(at: usize, end: usize, line: usize) -> Self {
        Self { at, end, line }
    }

    /// Moves the span along with a change. Returns the location of the change.
    pub(super) fn advance(&mut self, splice: &Splice) -> Move {
        let (span, added) = (&splice.span, splice.text.len());
        let shift = |byte: &mut usize| *byte = *byte - span.len() + added;
        if span.end < self.line || span.end == self.line && splice.text.ends_with('\n') {
            [&mut self.at, &mut self.end, &mut self.line].into_iter().for_each(shift);
            return Move::Above;
        }
        if span.start >= self.at && span.end <= self.end {
            shift(&mut self.end);
            return Move::Inside;
        }
        if span.start >= self.end {
            return Move::Beside;
        }
        if span.end <= self.at {
            [&mut self.at, &mut self.end].into_iter().for_each(shift);
            // Joined or split lines move the line's start; it never passes `at`.
            self.line = self.line.min(span.start);
            return Move::Beside;
        }
        Move::Through
    }
}
