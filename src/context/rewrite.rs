//! A range of whole lines and its surroundings, for a rewrite.

use std::ops::Range;

use super::cut::cut;
use crate::document::Document;

/// The size of the surroundings of a range. A slow model is shown less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionSize {
    /// Maximum number of bytes before the range.
    before: usize,
    /// Maximum number of bytes after the range.
    after: usize,
}

impl RegionSize {
    /// The full size.
    pub const FULL: Self = Self { before: 4 * 1024, after: 2 * 1024 };
    /// The sizes for slow models, largest first.
    pub const SMALLER: [Self; 2] = [Self { before: 1_024, after: 512 }, Self { before: 256, after: 128 }];
    /// The range alone.
    pub const NONE: Self = Self { before: 0, after: 0 };
}

/// A range to be rewritten and its surroundings, as shown to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The displayed path, `/`-separated and relative to its workspace folder if it has one.
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
    /// `range` replaces the lines' text: it lacks the comment that holds the instruction.
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
            language: document.language_name().to_owned(),
            before: document.slice(shown.start..span.start),
            range,
            after: document.slice(span.end..shown.end),
        }
    }
}
