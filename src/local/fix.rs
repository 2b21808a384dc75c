//! Fixes by rule for diagnostics of other servers: a missing token, an unused import, or an
//! import that another open file has.
//!
//! What is offered is certain: it was tried out with the parser, or there is no other reading. The rest is
//! for a model.

mod certain;
mod import;
mod missing_token;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::document::Document;

pub use certain::Fix;

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
