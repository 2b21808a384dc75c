//! What a fix by rule is.

use crate::edit::Edit;

/// A fix without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a title.
    pub title: String,
    /// The edits, sorted.
    pub edits: Vec<Edit>,
}
