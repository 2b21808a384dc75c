//! Measurements of a line.

use crate::edit::line;
use crate::text::ident;

/// The width of a line's indentation in columns, with tab stops of four.
pub(super) fn width(line: &str) -> usize {
    line::indent(line)
        .bytes()
        .fold(0, |width, byte| if byte == b'\t' { width / 4 * 4 + 4 } else { width + 1 })
}

/// Whether a line has a letter, a digit or an underscore.
pub(super) fn has_word(text: &str) -> bool {
    text.contains(ident::is_part)
}
