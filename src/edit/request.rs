//! What a reply is about, and what it may do.

use std::ops::Range;

use super::parse::span::Window;
use crate::document::Document;
use crate::grammar::Grammar;

/// What edits are read, placed and checked against.
#[derive(Clone, Default)]
pub struct Request<'a> {
    /// The text that the edits change.
    pub text: &'a str,
    /// The file's path, to know a reply for another file by; without one every path will do.
    pub path: Option<&'a str>,
    /// The whole lines that the model was asked to change, in bytes of `text`; all of it without.
    pub range: Option<Range<usize>>,
    /// What the model was shown in the place of the range, where that was not the range itself.
    pub shown: Option<&'a str>,
    /// The window that was shown with tags.
    ///
    /// Without one, the tags that [`span::cut`](super::span::cut) gives the range are known.
    pub window: Option<&'a Window>,
    /// The parts that may change, where some of `text` was not shown.
    pub parts: &'a [Range<usize>],
    /// The file that `text` is an excerpt of, and the byte where it begins there.
    ///
    /// The parser then judges the edits in the file, since an excerpt may be broken by itself.
    pub file: Option<(&'a Document, usize)>,
    /// The document that `text` is the whole of, where there is one: its tree is not made again.
    pub document: Option<&'a Document>,
    /// The language, where it is known.
    pub grammar: Option<&'a Grammar>,
    /// What is let pass.
    pub allowed: Allowed,
}

/// What is let pass although it is a reason to refuse edits as a rule.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allowed {
    /// A reply that is talk only, and changes nothing.
    pub talk: bool,
    /// A change of blanks alone, where that may be what was asked for.
    pub blanks: bool,
    /// New characters that cannot be seen.
    pub invisible: bool,
    /// A reply whose end nothing marks.
    pub unmarked_end: UnmarkedEnd,
}

/// What becomes of a reply whose end nothing marks, and which may have been cut where a line ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnmarkedEnd {
    /// It passes with [`Flag::MayBeCut`](super::Flag::MayBeCut).
    #[default]
    Flagged,
    /// It passes: the model is known to have ended it.
    Allowed,
    /// It is refused.
    Refused,
}

impl UnmarkedEnd {
    /// Whether a model ended its reply by itself decides.
    pub fn allowed_if(has_ended: bool) -> Self {
        if has_ended { Self::Allowed } else { Self::Refused }
    }
}
