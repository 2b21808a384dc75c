//! A file during a replay.

use std::collections::HashMap;
use std::ops::Range;

use ropey::Rope;

/// A file during a replay.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) text: Rope,
    pub(super) language: String,
    /// The times of its changes.
    pub(super) changes: Vec<u64>,
    /// The requests: when they arrived, their jobs, and whether they were explicit.
    pub(super) requests: Vec<(u64, String, bool)>,
}

/// The text of a range of a file, given in UTF-16 units.
pub(super) fn part(texts: &HashMap<u64, File>, file: u64, place: &Range<usize>) -> String {
    let Some(File { text, .. }) = texts.get(&file) else { return String::new() };
    let units = text.len_utf16_cu();
    let [start, end] = [place.start, place.end].map(|at| text.utf16_cu_to_char(at.min(units)));
    text.slice(start..end.max(start)).to_string()
}
