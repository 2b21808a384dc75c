//! A text split into lines.

use std::ops::Range;

pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    /// The start of each line.
    starts: Vec<usize>,
}

impl<'t> Page<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let starts = text.split_inclusive('\n').scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(start)
        });
        Self { text, starts: starts.collect() }
    }

    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The bytes of some lines, with their line ends.
    pub(super) fn span(&self, first: usize, count: usize) -> Range<usize> {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        start(first)..start(first + count)
    }

    /// A line without its line end; empty past the last line.
    pub(super) fn line(&self, number: usize) -> &'t str {
        self.text.get(self.span(number, 1)).unwrap_or_default().trim_end_matches(['\r', '\n'])
    }
}
