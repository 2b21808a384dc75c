//! Parts of other files of the project that are relevant to a position in one.
//!
//! They are ready to be shown to a model.

use std::sync::Arc;

use crate::text::named;

/// The parts that were gathered for a position, in the order in which they are shown.
///
/// Stable parts come first, so that consecutive requests share a prefix, and the most important parts last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Related {
    /// The parts.
    pub parts: Vec<RelatedPart>,
    /// Parts that would have been shown, but are not.
    pub left_out: Vec<OmittedPart>,
    /// The byte offset of the cursor for which they were gathered.
    pub cursor: usize,
}

/// A part of another file, or of the project's rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedPart {
    /// The file's path as shown.
    pub path: Arc<str>,
    /// The number of its first line, from 1.
    pub line: usize,
    /// The text, which ends with a line end.
    pub text: String,
    /// The kind of the part.
    pub kind: RelatedKind,
    /// Why it is shown, in a clause. Parts share it.
    pub why: Arc<str>,
    /// The smallest budget (bytes) with which it is shown; it is lowest for the most important part.
    pub needs: usize,
}

named! {
    /// The kind of a part. The kinds that change least come first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RelatedKind {
        /// The project's rules, in its own words.
        Rules = "rules",
        /// Signatures of another file.
        Signatures = "signatures",
        /// Code of another file.
        Excerpt = "excerpt",
    }
}

/// A part that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OmittedPart {
    /// The file's path as shown.
    pub path: Arc<str>,
    /// The number of its first line, from 1.
    pub line: usize,
    /// The text; empty if it must not be shown anywhere.
    pub text: String,
    /// Why, in a clause.
    pub why: String,
}

/// Bytes of the heading line above the parts of a file.
pub fn heading_bytes(path: &str) -> usize {
    path.len() + "@@ \n".len()
}

impl Related {
    /// The most important parts that fit into `bytes`, in the order in which they are shown.
    pub fn within(&self, bytes: usize) -> Vec<&RelatedPart> {
        self.parts.iter().filter(|part| part.needs <= bytes).collect()
    }
}
