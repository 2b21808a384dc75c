//! The position at which a suggestion is requested.

use crate::grammar::Grammar;

/// The position of a suggestion: the window's text on both sides of the cursor.
#[derive(Clone, Copy)]
pub struct CursorContext<'a> {
    /// The window's text before the cursor.
    pub before: &'a str,
    /// The window's text after the cursor.
    pub after: &'a str,
    /// The language, if known.
    pub grammar: Option<&'a Grammar>,
    /// The maximum number of lines in a suggestion, except for a construct that begins within it.
    pub max_lines: usize,
}
