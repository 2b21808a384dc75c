//! The position at which a suggestion is requested.

use std::sync::OnceLock;

use super::open_brackets::Opened;
use super::style::IndentStyle;
use crate::grammar::Grammar;

/// The position of a suggestion: the window's text on both sides of the cursor.
#[derive(Clone, Copy)]
pub struct CursorContext<'a> {
    /// The window's text before the cursor.
    pub before: &'a str,
    /// The window's text after the cursor.
    pub after: &'a str,
    /// The language, if known.
    pub grammar: Option<&'static Grammar>,
    /// The maximum number of lines in a suggestion, except for a construct that begins within it.
    pub max_lines: usize,
    /// The facts found about this position so far.
    pub facts: &'a CursorFacts,
}

/// Facts about a position that require a scan of its window, each found on first use.
///
/// All suggestions at the position share them, and all checks of a suggestion.
#[derive(Default)]
pub struct CursorFacts {
    /// The brackets, string and comment around the cursor.
    pub(super) opened: OnceLock<Opened<'static>>,
    /// The closers of those brackets that are not closed below, innermost last.
    pub(super) open: OnceLock<Vec<char>>,
    pub(super) style: OnceLock<IndentStyle>,
}
