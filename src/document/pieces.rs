//! Iterates over a span of a rope without copying.

use std::ops::Range;

use ropey::Rope;

/// The chunks of a text within `span`. A bound within a character counts as the start of it.
///
/// Avoids slicing the rope, which would count the lines and characters at both ends.
pub(super) fn pieces(text: &Rope, span: Range<usize>) -> impl Iterator<Item = &str> {
    let (chunk, start, ..) = text.chunk_at_byte(span.start);
    let first = &chunk[floor(chunk, span.start - start)..floor(chunk, span.end - start)];
    let mut at = start + chunk.len();
    // Most spans lie in one chunk, and an iterator over more descends the rope.
    let more = (at < span.end).then(|| text.chunks_at_byte(at).0);
    let rest = more.into_iter().flatten().map_while(move |chunk| {
        let left = span.end.checked_sub(at).filter(|left| *left > 0)?;
        at += chunk.len();
        Some(&chunk[..floor(chunk, left)])
    });
    std::iter::once(first).filter(|piece| !piece.is_empty()).chain(rest)
}

/// The last character boundary of a chunk at or before a byte.
fn floor(chunk: &str, byte: usize) -> usize {
    let byte = byte.min(chunk.len());
    (0..=byte).rev().find(|at| chunk.is_char_boundary(*at)).unwrap_or(0)
}
