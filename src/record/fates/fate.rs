//! What became of a suggestion: plain data.

use crate::record::kept::Kept;

/// When what was taken is measured, in seconds.
pub const AFTER: [u64; 6] = [0, 30, 120, 300, 600, 900];
/// UTF-16 units by which a place may differ from its suggestion.
pub const MOST_OFF: usize = 512;

/// How a suggestion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Accepted as a whole.
    Whole,
    /// Accepted in part.
    Part,
    /// Typed as it was shown.
    Typed,
    /// Dismissed.
    Dismissed,
    /// None of these.
    Passed,
}

impl End {
    /// Whether its text came to stand in its place by the user's will.
    pub fn is_taken(self) -> bool {
        matches!(self, Self::Whole | Self::Part | Self::Typed)
    }
}

/// Why a measure says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Void {
    /// The branch has changed.
    Branch,
    /// A formatter has replaced the place.
    Formatter,
    /// The place is gone.
    Gone,
    /// The place is much longer or shorter than the suggestion.
    Length,
    /// The recording ends before.
    Ended,
}

/// A measure, or why there is none.
pub type Measure = Result<Kept, Void>;

/// What became of a suggestion.
#[derive(Debug, Clone, PartialEq)]
pub struct Fate {
    /// When it was shown, in milliseconds since 1970.
    pub time: u64,
    /// The editor's word for the file's language.
    pub language: String,
    /// The job that made it.
    pub job: String,
    /// The model; `None` for the local engine.
    pub model: Option<String>,
    /// How it ended.
    pub end: End,
    /// What was kept of it at the times of [`AFTER`], if it was taken.
    pub after: Vec<Measure>,
    /// The same when the file was saved next; `None` if it was not.
    pub at_save: Option<Measure>,
    /// The same when the text had settled.
    pub settled: Measure,
}
