//! A model's answer to a question.

use std::path::PathBuf;
use std::sync::Arc;

/// A model's answer, checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedAnswer {
    /// The text, with what is wrong with its places behind them.
    pub text: String,
    /// The places that it names and that exist, each once.
    pub places: Vec<CitedPlace>,
    /// How many it names that do not.
    pub missing: usize,
    /// Paragraphs that claim something and name no place that exists.
    pub unplaced: usize,
}

/// A place that an answer names, and that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedPlace {
    /// The file's path as shown.
    pub path: Arc<str>,
    /// Where the file is.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What stands on it; empty where that looks like a key.
    pub text: String,
}
