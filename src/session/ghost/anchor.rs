//! A place in a text that changes: where a suggestion stands, and what was written there since.

use crate::document::Splice;

/// The span between the text left of a suggestion and the text right of it, in bytes. It starts out empty, at the
/// cursor, and holds whatever was typed there since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Where the suggestion begins.
    pub(super) at: usize,
    /// Where the text that stood right of the cursor begins.
    pub(super) end: usize,
    /// Where the line of `at` begins.
    line: usize,
}

/// What a change was to an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    /// It was made within the span.
    Inside,
    /// It was made in lines above.
    Above,
    /// It was made left of the span in its line, or below it.
    Beside,
    /// It took some of the text around the span with it.
    Through,
}

impl Anchor {
    pub(super) fn new(at: usize, end: usize, line: usize) -> Self {
        Self { at, end, line }
    }

    /// Carries the span over a change, and says what kind of change it was to it.
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
            // Lines that were joined or split leave the line's start to be looked up; it is never moved past `at`.
            self.line = self.line.min(span.start);
            return Move::Beside;
        }
        Move::Through
    }
}
