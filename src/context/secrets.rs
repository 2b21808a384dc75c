//! Keys and passwords in the text, which are shown as a whole or not at all.

use std::ops::Range;

use crate::document::Document;
use crate::privacy::{self, Secret};

/// Bytes around a place in which what looks like a key is recognised.
const NEAR_BYTES: usize = 2 * 1024;

/// The kind of key that an edge of `focus` cuts in two, if one does.
///
/// A cursor right behind a key counts: the key is being typed.
pub fn secret_at(document: &Document, focus: Range<usize>) -> Option<&'static str> {
    let cuts = |span: &Range<usize>, edge: usize| span.start < edge && edge < span.end;
    let ends = |span: &Range<usize>| focus.is_empty() && span.end == focus.start;
    // It changes with every key, so it is not worth keeping.
    let around = |byte| {
        let (start, text) = near(document, byte);
        places(start, &privacy::find(&text))
    };
    let mut found = around(focus.start);
    if !focus.is_empty() {
        found.extend(around(focus.end));
    }
    let mut found = found.into_iter();
    found
        .find(|(span, _)| cuts(span, focus.start) || cuts(span, focus.end) || ends(span))
        .map(|(_, kind)| kind)
}

/// What looks like a key around an edge of a window, with its kind.
pub(super) fn secrets_near(document: &Document, edge: usize) -> Vec<(Range<usize>, &'static str)> {
    let (start, text) = near(document, edge);
    places(start, &privacy::find_again(&text))
}

/// The text around a byte, with its start.
fn near(document: &Document, byte: usize) -> (usize, String) {
    let start = document.floor_boundary(byte.saturating_sub(NEAR_BYTES));
    (start, document.slice(start..document.floor_boundary(byte + NEAR_BYTES)))
}

/// Where in the document something was found in its text from `start`.
fn places(start: usize, found: &[Secret]) -> Vec<(Range<usize>, &'static str)> {
    found.iter().map(|it| (start + it.span.start..start + it.span.end, it.kind)).collect()
}
