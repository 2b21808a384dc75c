//! The result of reading a reply and locating its edits.

use std::ops::Range;

use crate::edit::{Edit, Flag, Level, shifted};
use crate::text::coded;

coded! {
    /// A reply format.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Format {
        /// No changes.
        NoEdits = "no-edits",
        /// The new text of the requested range.
        Region = "region",
        /// The new text of the file.
        Whole = "whole-file",
        /// Text between two tags of the window.
        Span = "marked-span",
        /// Old and new lines between markers or tags.
        SearchReplace = "search-replace",
        /// A unified diff.
        UnifiedDiff = "unified-diff",
        /// The `*** Begin Patch` format.
        Patch = "patch",
        /// Old and new strings in JSON.
        Json = "json",
    }
}

/// The result of reading a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Edits of the request's text: sorted, disjoint and minimal.
    pub edits: Unchecked,
    /// The format of the reply.
    pub format: Format,
    /// The loosest comparison level needed to locate an edit.
    pub level: Level,
    /// Facts that the user should know.
    pub flags: Vec<Flag>,
}

/// Edits that were read and located but not checked yet.
///
/// Only [`accept_edits`](crate::edit::accept_edits) releases them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unchecked(pub(in crate::edit) Vec<Edit>);

impl From<Vec<Edit>> for Unchecked {
    fn from(edits: Vec<Edit>) -> Self {
        Self(edits)
    }
}

impl Unchecked {
    /// Whether there are no edits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The byte range from the first edit to the last; the edits must be sorted.
    pub fn span(&self) -> Range<usize> {
        let start = self.0.first().map_or(0, |edit| edit.span.start);
        start..self.0.last().map_or(start, |edit| edit.span.end)
    }

    /// Appends later edits.
    pub fn extend(&mut self, later: Self) {
        self.0.extend(later.0);
    }

    /// Returns the edits that are not in `others`.
    pub fn without(self, others: &Self) -> Self {
        Self(self.0.into_iter().filter(|edit| !others.0.contains(edit)).collect())
    }

    /// Shifts the edits to a text with `by` more bytes before this one.
    pub fn shifted(self, by: usize) -> Self {
        Self(shifted(self.0, by))
    }

    /// Groups edits on adjacent lines of `text`, because they only make sense together.
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
