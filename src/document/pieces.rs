//! The text of a part of a rope, without a copy.

use std::ops::Range;

use ropey::Rope;

/// The parts of a text that lie in `span`, which must be on character boundaries.
///
/// Not by a slice of the rope, which would count the lines and characters at both of its ends.
pub(super) fn pieces(text: &Rope, span: Range<usize>) -> impl Iterator<Item = &str> {
    let (chunks, mut start, ..) = text.chunks_at_byte(span.start);
    chunks
        .map(move |chunk| {
            let within = span.start.max(start) - start..chunk.len().min(span.end.saturating_sub(start));
            start += chunk.len();
            &chunk[within]
        })
        .take_while(|piece| !piece.is_empty())
}
