//! A file while it is replayed.

use std::collections::HashMap;
use std::ops::Range;

use ropey::Rope;

/// A file while it is replayed.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) text: Rope,
    pub(super) language: String,
    /// When it was changed.
    pub(super) changes: Vec<u64>,
    /// The requests: when they came, their jobs, and whether the user asked.
    pub(super) requests: Vec<(u64, String, bool)>,
}

/// A place of a file's text, in UTF-16 units.
pub(super) fn part(texts: &HashMap<u64, File>, file: u64, place: &Range<usize>) -> String {
    let Some(File { text, .. }) = texts.get(&file) else { return String::new() };
    let units = text.len_utf16_cu();
    let [start, end] = [place.start, place.end].map(|at| text.utf16_cu_to_char(at.min(units)));
    text.slice(start..end.max(start)).to_string()
}
