//! What comes of a reply once it is read and placed.

use std::ops::Range;

use crate::edit::{Edit, Flag, Level, shifted};

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

/// What a reply was read as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Edits of the request's text: sorted, disjoint and as small as can be.
    pub edits: Unchecked,
    /// The format that the reply was in.
    pub format: Format,
    /// The most that had to be forgiven to place one of the edits.
    pub level: Level,
    /// What the user should know.
    pub flags: Vec<Flag>,
}

/// Edits that were read and placed, and have yet to pass the checks.
///
/// Only [`accept_edits`](crate::edit::accept_edits) gives them out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unchecked(pub(in crate::edit) Vec<Edit>);

impl From<Vec<Edit>> for Unchecked {
    fn from(edits: Vec<Edit>) -> Self {
        Self(edits)
    }
}

impl Unchecked {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes from the first edit to the end of the last, which are in order.
    pub fn span(&self) -> Range<usize> {
        let start = self.0.first().map_or(0, |edit| edit.span.start);
        start..self.0.last().map_or(start, |edit| edit.span.end)
    }

    /// Adds edits that came later.
    pub fn extend(&mut self, later: Self) {
        self.0.extend(later.0);
    }

    /// The edits that are not among others.
    pub fn without(self, others: &Self) -> Self {
        Self(self.0.into_iter().filter(|edit| !others.0.contains(edit)).collect())
    }

    /// The same edits of a text that has so many bytes before this one.
    pub fn shifted(self, by: usize) -> Self {
        Self(shifted(self.0, by))
    }

    /// Groups edits on neighbouring lines of their text: one cannot be understood without the other.
    pub fn groups(mut self, text: &str) -> Vec<Self> {
        self.0.sort_by_key(|edit| edit.span.start);
        let mut groups: Vec<Self> = Vec::new();
        for edit in self.0 {
            let is_near = |group: &Self| {
                let end = group.span().end;
                text[end..edit.span.start.max(end)].matches('\n').count() <= 1
            };
            match groups.last_mut().filter(|group| is_near(group)) {
                Some(group) => group.0.push(edit),
                None => groups.push(Self(vec![edit])),
            }
        }
        groups
    }
}
