//! What other files of the project say that bears on a place in one.
//!
//! It is ready to be shown to a model.

use std::fmt;
use std::sync::Arc;

/// The parts that were gathered for a place, in the order in which they are shown.
///
/// What changes least comes first, so that two requests begin alike, and what matters most last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Related {
    /// The parts.
    pub parts: Vec<RelatedPart>,
    /// What would have been shown, and is not.
    pub left_out: Vec<LeftOut>,
    /// The cursor that they were gathered for (bytes).
    pub cursor: usize,
}

/// A part of another file, or of the project's rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedPart {
    /// The file's path as shown.
    pub path: Arc<str>,
    /// Its first line, from 1.
    pub line: usize,
    /// The text, which ends with a line end.
    pub text: String,
    /// What it is.
    pub kind: RelatedKind,
    /// Why it is shown, in a clause. Parts share it.
    pub why: Arc<str>,
    /// The budget (bytes) from which on it is shown: what matters most has the least.
    pub needs: usize,
}

/// What a part is. Those that change least come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelatedKind {
    /// The project's rules, in its own words.
    Rules,
    /// Signatures of another file.
    Signatures,
    /// Code of another file.
    Excerpt,
}

impl fmt::Display for RelatedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rules => "rules",
            Self::Signatures => "signatures",
            Self::Excerpt => "excerpt",
        })
    }
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The file's path as shown.
    pub path: Arc<str>,
    /// Its line, from 1.
    pub line: usize,
    /// The text; empty for what must not be shown anywhere.
    pub text: String,
    /// Why, in a clause.
    pub why: String,
}

/// Bytes of the line above the parts of a file.
pub fn heading_bytes(path: &str) -> usize {
    path.len() + "@@ \n".len()
}

impl Related {
    /// The parts that matter most within so many bytes, in the order in which they are shown.
    pub fn within(&self, bytes: usize) -> Vec<&RelatedPart> {
        self.parts.iter().filter(|part| part.needs <= bytes).collect()
    }
}
