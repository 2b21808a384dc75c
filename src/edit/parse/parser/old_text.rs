//! The text that a reply may be the new version of: what looks like edits may be a part of it.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::edit::parse::path;
use crate::edit::runs::visible_iter;

/// The least letters and digits of a line that identifies a text.
const LEAST_TELLING: usize = 3;

/// The text of a request, with the first visible line of the part that was asked for.
#[derive(Debug, Default)]
pub(in crate::edit::parse) struct OldText<'t> {
    text: &'t str,
    first: &'t str,
    lines: OnceCell<HashSet<&'t str>>,
}

impl<'t> OldText<'t> {
    pub(in crate::edit::parse) fn new(text: &'t str, asked: &'t str) -> Self {
        Self { text, first: visible_iter(asked).next().unwrap_or_default(), lines: OnceCell::new() }
    }

    /// Whether the part begins with a line.
    pub(super) fn begins_with(&self, line: &str) -> bool {
        !self.first.is_empty() && self.first == line.trim()
    }

    /// Whether the text has a line that says something.
    pub(in crate::edit::parse) fn has(&self, line: &str) -> bool {
        let lines = self.lines.get_or_init(|| visible_iter(self.text).collect());
        line.chars().filter(|sign| sign.is_alphanumeric()).count() >= LEAST_TELLING
            && lines.contains(line.trim())
    }

    /// Whether an opening line below some lines of a fence is a part of the text: only a path is above an edit.
    pub(super) fn has_below(&self, above: &str, opener: &str) -> bool {
        let mut code = visible_iter(above).filter(|line| path::of_line(line).is_none()).peekable();
        code.peek().is_some() && (self.has(opener) || code.any(|line| self.has(line)))
    }
}
