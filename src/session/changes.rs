//! Changes of documents for tests.

use std::ops::Range;

use crate::document::position::{Encoding, position_at};
use crate::document::{Change, Document, Splice};

/// The document after bytes of it became `new`, and the changes that led to it.
pub(super) fn changed(document: &Document, span: Range<usize>, new: &str) -> (Document, Vec<Splice>) {
    let [start, end] = [span.start, span.end].map(|byte| position_at(document.text(), byte, Encoding::Utf8));
    let change = Change { range: Some(start..end), text: new.to_owned() };
    document.edited(&[change], Encoding::Utf8, 1).expect("the change fits the text")
}

/// The same for the first `old` in the text.
pub(super) fn replaced(document: &Document, old: &str, new: &str) -> (Document, Vec<Splice>) {
    let start = document.text().to_string().find(old).expect("the text is there");
    changed(document, start..start + old.len(), new)
}
