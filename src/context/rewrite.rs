//! A range of whole lines and its surroundings, for a rewrite.

use std::ops::Range;

use super::cut::cut;
use crate::document::Document;

/// How much of a file is shown around a range. A slow model is shown less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionSize {
    /// Bytes before the range at most.
    before: usize,
    /// Bytes after the range at most.
    after: usize,
}

impl RegionSize {
    /// All that is ever shown.
    pub const FULL: Self = Self { before: 4 * 1024, after: 2 * 1024 };
    /// What is shown to slow models, the largest first.
    pub const SMALLER: [Self; 2] = [Self { before: 1_024, after: 512 }, Self { before: 256, after: 128 }];
    /// The range alone.
    pub const NONE: Self = Self { before: 0, after: 0 };
}

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
    pub fn around(
        document: &Document,
        span: Range<usize>,
        range: String,
        path: String,
        size: RegionSize,
    ) -> Self {
        let shown = cut(document, span.clone(), size.before, size.after);
        Self {
            path,
            language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
            before: document.slice(shown.start..span.start),
            range,
            after: document.slice(span.end..shown.end),
        }
    }
}
