//! Fixes by rule for diagnostics of other servers: a missing token, an unused import, or an
//! import that another open file has.
//!
//! What is offered is certain: it was tried out with the parser, or there is no other reading. The rest is
//! for a model.

mod import;
mod missing_token;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::document::Document;
use crate::edit::Edit;

/// A fix without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a title.
    pub title: String,
    /// The edits, sorted.
    pub edits: Vec<Edit>,
}

/// The fix for a problem with this place and these words, if one is certain.
///
/// Waits for the parse.
///
/// `others` are other open files, in which imports are looked for.
pub fn fix(document: &Document, span: Range<usize>, message: &str, others: &[Document]) -> Option<Fix> {
    missing_token::missing(document, &span, message)
        .or_else(|| import::unused(document, &span, message))
        .or_else(|| import::missing(document, &span, message, others))
}

/// Whether a name stands in a message as a word, in quotes as compilers put them or not.
fn mentions(message: &str, name: &str) -> bool {
    super::repeat::occurrences(message, name).next().is_some()
}
