//! Plain data: the point where ghost text is requested, and the text shown there.

use std::ops::Range;

/// The point where ghost text is requested, in bytes of the current text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionPoint {
    /// The cursor.
    pub cursor: usize,
    /// The selected entry of the editor's completion menu, if the menu is open.
    ///
    /// The start of the text that the entry replaces (up to the cursor), and the replacement.
    pub selected: Option<(usize, String)>,
}

impl CompletionPoint {
    /// The cursor, with no menu open.
    pub fn at(cursor: usize) -> Self {
        Self { cursor, selected: None }
    }

    /// The start of the ghost text for this point.
    pub fn start(&self) -> usize {
        self.selected.as_ref().map_or(self.cursor, |(start, _)| *start)
    }
}

/// Ghost text for a point, as it is shown now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GhostText {
    /// The number under which the editor reports the user's reaction.
    pub id: u64,
    /// The bytes that it replaces: usually none, at the cursor.
    pub span: Range<usize>,
    /// The text to insert there.
    pub text: String,
}

/// The gear and model that made a suggestion.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// The gear's name.
    pub gear: String,
    /// The model's name; `None` for the local engine.
    pub model: Option<String>,
}

/// The part of a suggestion that can be shown at a point, before it gets a number.
pub(super) struct Preview {
    /// The length of the suggestion's part that is already in the text, in bytes.
    pub(super) used: usize,
    /// Where the shown part ends in the suggestion (bytes).
    pub(super) end: usize,
    pub(super) span: Range<usize>,
    pub(super) text: String,
}
