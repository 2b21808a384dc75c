//! Keys and passwords in the text, which are shown as a whole or not at all.

use std::ops::Range;

use crate::document::Document;
use crate::privacy;

/// Bytes around a place in which what looks like a key is recognised.
const NEAR_BYTES: usize = 2 * 1024;

/// The kind of key that an edge of `focus` cuts in two, if one does.
///
/// A cursor right behind a key counts: the key is being typed.
pub fn secret_at(document: &Document, focus: Range<usize>) -> Option<&'static str> {
    let cuts = |span: &Range<usize>, edge: usize| span.start < edge && edge < span.end;
    let ends = |span: &Range<usize>| focus.is_empty() && span.end == focus.start;
    let mut found = secrets_near(document, focus.start);
    if !focus.is_empty() {
        found.extend(secrets_near(document, focus.end));
    }
    let mut found = found.into_iter();
    found
        .find(|(span, _)| cuts(span, focus.start) || cuts(span, focus.end) || ends(span))
        .map(|(_, kind)| kind)
}

/// What looks like a key around a byte, with its kind.
pub(super) fn secrets_near(document: &Document, byte: usize) -> Vec<(Range<usize>, &'static str)> {
    let text = document.text();
    let floor = |byte: usize| text.char_to_byte(text.byte_to_char(byte.min(text.len_bytes())));
    let start = floor(byte.saturating_sub(NEAR_BYTES));
    let found = privacy::find(&document.slice(start..floor(byte + NEAR_BYTES)));
    found.into_iter().map(|it| (start + it.span.start..start + it.span.end, it.kind)).collect()
}
