//! Where a suggestion is wanted.

use crate::grammar::Grammar;

/// Where a suggestion is wanted: the window's text on both sides of the cursor.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The window's text before the cursor.
    pub before: &'a str,
    /// The window's text after the cursor.
    pub after: &'a str,
    /// The language, where it is known.
    pub grammar: Option<&'a Grammar>,
    /// The most lines that a suggestion may have.
    pub max_lines: usize,
}
