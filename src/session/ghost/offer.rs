//! What is asked for, and what is shown: plain data.

/// Where ghost text is asked for, in bytes of the current text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The cursor.
    pub cursor: usize,
    /// The entry that is selected in the editor's completion menu, if it is open: where the text begins that it takes
    /// the place of (up to the cursor), and what it puts there.
    pub selected: Option<(usize, String)>,
}

impl Spot {
    /// The cursor, with no menu open.
    pub fn at(cursor: usize) -> Self {
        Self { cursor, selected: None }
    }

    /// Where an item for this place begins.
    pub fn start(&self) -> usize {
        self.selected.as_ref().map_or(self.cursor, |(start, _)| *start)
    }
}

/// A suggestion for a place, as it is to be shown now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The number by which the editor reports what became of it.
    pub id: u64,
    /// The bytes that it takes the place of: nothing at the cursor, as a rule.
    pub span: std::ops::Range<usize>,
    /// What it puts there.
    pub text: String,
}

/// Who made a suggestion, to count what became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Maker {
    /// The gear's name.
    pub gear: String,
    /// The model's name; none for the local engine.
    pub model: Option<String>,
}

/// A part that was offered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// The number by which the editor knows it.
    pub(super) id: u64,
    /// Where the text begins that the editor was last given of it …
    pub(super) start: usize,
    /// … and where it ends.
    pub(super) end: usize,
}

/// What there is to show of a suggestion at a place, as long as nobody has been shown it.
pub(super) struct Glimpse {
    /// Bytes of it that stand already.
    pub(super) used: usize,
    /// Up to here it is to be shown.
    pub(super) end: usize,
    pub(super) span: std::ops::Range<usize>,
    pub(super) text: String,
}

impl Glimpse {
    /// Where it begins in the text.
    pub(super) fn start(&self) -> usize {
        self.span.start
    }
}
