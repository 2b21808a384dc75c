//! What a reply is read against, and what comes of it.

use std::fmt;
use std::ops::Range;

use super::span;
use crate::edit::{Edit, Level};
use crate::grammar::Grammar;

/// What a reply is read against.
#[derive(Clone, Default)]
pub struct Request<'a> {
    /// The file's text when the request was made.
    pub text: &'a str,
    /// The file's path, to know a reply for another file by; without one every path will do.
    pub path: Option<&'a str>,
    /// The whole lines that the model was asked to change, in bytes of `text`; all of it without.
    pub range: Option<Range<usize>>,
    /// The window that was shown with tags.
    ///
    /// Without one, the tags that [`span::cut`] gives the range are known.
    pub window: Option<&'a span::Window>,
    /// The language, where it is known.
    pub grammar: Option<&'a Grammar>,
}

/// A format of replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Nothing is to be changed.
    NoEdits,
    /// The new text of the asked range.
    Region,
    /// The new text of the file.
    Whole,
    /// Text between two tags of the window.
    Span,
    /// Old and new lines between markers or tags.
    SearchReplace,
    /// A unified diff.
    UnifiedDiff,
    /// The `*** Begin Patch` format.
    Patch,
    /// Old and new strings in JSON.
    Json,
}

impl Format {
    /// A stable name for logs, counters and machines.
    pub fn code(self) -> &'static str {
        match self {
            Self::NoEdits => "no-edits",
            Self::Region => "region",
            Self::Whole => "whole-file",
            Self::Span => "marked-span",
            Self::SearchReplace => "search-replace",
            Self::UnifiedDiff => "unified-diff",
            Self::Patch => "patch",
            Self::Json => "json",
        }
    }
}

/// Something that the user should know about an edit that is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flag {
    /// The reply is talk only, so nothing changes.
    Talk,
    /// The reply's change is in the file already, or is none.
    Unchanged,
    /// The result has more syntax errors, in a language whose grammar cannot be relied on.
    Syntax,
    /// A large part of the text goes.
    LargeRemoval,
    /// Names that are known nowhere.
    UnknownNames(Vec<String>),
    /// Names that no file has, where too little code is known to tell whether they are wrong.
    UncheckedNames(Vec<String>),
    /// Nothing marks the reply's end, so it may have been cut where a line ends.
    MayBeCut,
}

impl Flag {
    /// A stable name for logs, counters and machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Talk => "talk",
            Self::Unchanged => "unchanged",
            Self::Syntax => "syntax",
            Self::LargeRemoval => "large-removal",
            Self::UnknownNames(_) => "unknown-names",
            Self::UncheckedNames(_) => "unchecked-names",
            Self::MayBeCut => "may-be-cut",
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Talk => f.write_str("the reply is talk only: nothing changes"),
            Self::Unchanged => f.write_str("the reply asks for what is there already: nothing changes"),
            Self::Syntax => f.write_str("the result has more syntax errors"),
            Self::LargeRemoval => f.write_str("a large part of the text goes"),
            Self::MayBeCut => f.write_str("nothing marks the end of the reply, which may have been cut off"),
            Self::UnknownNames(names) => write!(f, "uses `{}`, which is not known here", names.join("`, `")),
            Self::UncheckedNames(names) => write!(
                f,
                "uses `{}`, found in no file; too little code is known to tell whether that is wrong",
                names.join("`, `")
            ),
        }
    }
}

/// What a reply was read as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Edits of the request's text: sorted, disjoint and as small as can be.
    pub edits: Vec<Edit>,
    /// The format that the reply was in.
    pub format: Format,
    /// The most that had to be forgiven to place one of the edits.
    pub level: Level,
    /// What the user should know.
    pub flags: Vec<Flag>,
}
