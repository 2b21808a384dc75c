//! Cuts what a model is shown: window around a cursor, region around a range, outline.
//!
//! Everything here is cut from one [`Document`](crate::document::Document) and never waits for a parse: an
//! edited previous tree is good enough to choose where to cut, and without any tree the cut falls on line
//! boundaries.

pub mod outline;
pub mod part;
pub mod region;
pub mod surroundings;
pub mod vicinity;
pub mod window;

pub use region::Region;
pub use window::Window;

use std::ops::Range;

use crate::document::Document;
use crate::privacy;

/// Bytes around a place in which what looks like a key is recognised.
const NEAR: usize = 2 * 1024;

/// What the text looks like that an edge of `focus` cuts in two, if it looks like a key.
///
/// A cursor right behind one counts: it is being typed.
pub fn secret_at(document: &Document, focus: Range<usize>) -> Option<&'static str> {
    let cuts = |span: &Range<usize>, edge: usize| span.start < edge && edge < span.end;
    let ends = |span: &Range<usize>| focus.is_empty() && span.end == focus.start;
    let found = secrets_near(document, focus.start).into_iter().chain(secrets_near(document, focus.end));
    let mut found = found.filter(|(span, _)| cuts(span, focus.start) || cuts(span, focus.end) || ends(span));
    found.next().map(|(_, kind)| kind)
}

/// What looks like a key around a byte, and as what.
fn secrets_near(document: &Document, byte: usize) -> Vec<(Range<usize>, &'static str)> {
    let text = document.text();
    let floor = |byte: usize| text.char_to_byte(text.byte_to_char(byte.min(text.len_bytes())));
    let start = floor(byte.saturating_sub(NEAR));
    let found = privacy::find(&document.slice(start..floor(byte + NEAR)));
    found.into_iter().map(|it| (start + it.span.start..start + it.span.end, it.kind)).collect()
}
