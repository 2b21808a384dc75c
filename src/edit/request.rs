//! The request that a reply answers, and what the reply may do.

use std::ops::Range;

use super::parse::span::Window;
use crate::document::Document;
use crate::grammar::Grammar;

/// The context in which edits are read, placed and checked.
#[derive(Clone, Default)]
pub struct Request<'a> {
    /// The text that the edits change.
    pub text: &'a str,
    /// The file's path, which identifies replies for another file. Without it, any path is accepted.
    pub path: Option<&'a str>,
    /// The whole lines that the model was asked to change, in bytes of `text`; `None` for all of it.
    pub range: Option<Range<usize>>,
    /// The text that the model was shown for the range, if it was not the range itself.
    pub shown: Option<&'a str>,
    /// The window that was shown with tags.
    ///
    /// Without it, the tags that [`span::cut`](super::span::cut) gives the range are used.
    pub window: Option<&'a Window>,
    /// The parts that may change, if some of `text` was not shown.
    pub parts: &'a [Range<usize>],
    /// The file that `text` is an excerpt of, and the excerpt's byte offset.
    ///
    /// Syntax is then checked in the whole file, since an excerpt alone may not parse.
    pub file: Option<(&'a Document, usize)>,
    /// The document whose whole text is `text`, if there is one, so that its tree is reused.
    pub document: Option<&'a Document>,
    /// The language, if known.
    pub grammar: Option<&'a Grammar>,
    /// What the model was asked to do: it decides which definitions a whole text may leave out. Empty if unknown.
    pub instruction: &'a str,
    /// The exceptions that are allowed.
    pub allowed: Exceptions,
    /// Whether the model was told why its last reply was refused.
    ///
    /// Its prose may repeat that, so what it mentions excuses nothing.
    pub is_correction: bool,
}

/// Edits that pass although they are usually refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exceptions {
    /// A reply that is prose only and changes nothing.
    pub talk: bool,
    /// A whitespace-only change, where that may be the request.
    pub blanks: bool,
    /// New invisible characters.
    pub invisible: bool,
    /// A reply without an end mark.
    pub unmarked_end: UnmarkedEnd,
}

/// The treatment of a reply without an end mark, which may have been cut off at the end of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnmarkedEnd {
    /// It passes with [`Flag::MayBeCut`](super::Flag::MayBeCut).
    #[default]
    Flagged,
    /// It passes, since the model is known to have finished it.
    Allowed,
    /// It is refused.
    Refused,
}

impl UnmarkedEnd {
    /// `Allowed` if the model is known to have finished its reply, else `Refused`.
    pub fn allowed_if(has_ended: bool) -> Self {
        if has_ended { Self::Allowed } else { Self::Refused }
    }
}
