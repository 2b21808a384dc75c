//! Where ghost text is requested, and what is shown there: plain data.

use std::ops::Range;

/// Where ghost text is requested, in bytes of the current text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionPoint {
    /// The cursor.
    pub cursor: usize,
    /// The selected entry of the editor's completion menu, if that is open.
    ///
    /// It is where the text begins that the entry replaces (up to the cursor), and the replacement.
    pub selected: Option<(usize, String)>,
}

impl CompletionPoint {
    /// The cursor, with no menu open.
    pub fn at(cursor: usize) -> Self {
        Self { cursor, selected: None }
    }

    /// Where ghost text for this point begins.
    pub fn start(&self) -> usize {
        self.selected.as_ref().map_or(self.cursor, |(start, _)| *start)
    }
}

/// Ghost text for a point, as it is shown now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GhostText {
    /// The number by which the editor reports what the user did with it.
    pub id: u64,
    /// The bytes that it replaces: as a rule none, at the cursor.
    pub span: Range<usize>,
    /// The text to insert there.
    pub text: String,
}

/// Which gear and model made a suggestion.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// The gear's name.
    pub gear: String,
    /// The model's name; `None` for the local engine.
    pub model: Option<String>,
}

/// What a suggestion could show at a point, before it gets a number.
pub(super) struct Preview {
    /// Bytes of the suggestion that are in the text already.
    pub(super) used: usize,
    /// Where the shown part ends in the suggestion.
    pub(super) end: usize,
    pub(super) span: Range<usize>,
    pub(super) text: String,
}
