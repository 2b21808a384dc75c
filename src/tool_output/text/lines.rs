//! An iteration over the lines of an output.

use crate::tool_output::diagnostic::Diagnostic;

/// The diagnostics that were read, and the rest of the text.
pub(super) type Block<'t> = Option<(Vec<Diagnostic>, &'t str)>;

/// A line, the text from it on, and the text after it.
#[derive(Clone, Copy)]
pub(super) struct Lines<'t> {
    pub(super) line: &'t str,
    pub(super) from: &'t str,
    pub(super) after: &'t str,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let (line, after) = split(text);
        Self { line, from: text, after }
    }

    /// The lines after the first one.
    pub(super) fn following(self) -> Self {
        Self::of(self.after)
    }

    /// Whether no lines are left.
    pub(super) fn is_end(self) -> bool {
        self.from.is_empty()
    }
}

/// Splits off the first line, without its end.
fn split(text: &str) -> (&str, &str) {
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(at) => (text[..at].trim_end_matches('\r'), &text[at + 1..]),
        None => (text.trim_end_matches('\r'), ""),
    }
}
