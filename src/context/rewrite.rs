//! A range of whole lines and its surroundings, for a rewrite.

use std::ops::Range;

use super::cut::cut;
use crate::document::Document;

/// Bytes shown before the range at most.
const BEFORE_BYTES: usize = 4 * 1024;
/// Bytes shown after the range at most.
const AFTER_BYTES: usize = 2 * 1024;

/// What a model is shown of a file around a range that it is to rewrite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The path as shown, `/`-separated and relative to its workspace folder where there is one.
    pub path: String,
    /// The grammar's id, or the empty string.
    pub language: String,
    /// The text before the range.
    pub before: String,
    /// The lines to rewrite.
    pub range: String,
    /// The text after the range.
    pub after: String,
}

impl Region {
    /// Cuts the surroundings of the whole lines `span`.
    ///
    /// The lines are shown as `range`: without the comment that holds the instruction.
    pub fn around(document: &Document, span: Range<usize>, range: String, path: String) -> Self {
        let shown = cut(document, span.clone(), BEFORE_BYTES, AFTER_BYTES);
        Self {
            path,
            language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
            before: document.slice(shown.start..span.start),
            range,
            after: document.slice(span.end..shown.end),
        }
    }
}
