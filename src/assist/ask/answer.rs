//! A model's answer to a question.

use std::path::PathBuf;
use std::sync::Arc;

/// A model's answer, checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedAnswer {
    /// The text, with a remark after each location that is wrong.
    pub text: String,
    /// The locations that it cites and that exist, each once.
    pub places: Vec<CitedLocation>,
    /// The number of cited locations that do not exist.
    pub missing: usize,
    /// The number of paragraphs that make a claim but cite no existing location.
    pub uncited_paragraphs: usize,
}

/// A location that an answer cites, and that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedLocation {
    /// The file's path as shown.
    pub path: Arc<str>,
    /// The path of the file on disk.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The text of the line; empty if it looks like a key.
    pub text: String,
}
