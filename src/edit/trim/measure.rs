//! Measurements of a line.

pub(super) use crate::edit::line::width;
use crate::text::ident;

/// Whether a line has a letter, a digit or an underscore.
pub(super) fn has_word(text: &str) -> bool {
    text.contains(ident::is_part)
}
