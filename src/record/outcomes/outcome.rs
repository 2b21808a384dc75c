//! The outcome of a suggestion, as plain data.

use crate::record::kept::Kept;

/// Times after a suggestion was taken at which it is measured, in seconds.
pub const AFTER: [u64; 6] = [0, 30, 120, 300, 600, 900];
/// UTF-16 units by which the length of a range may differ from its suggestion.
pub const MOST_OFF: usize = 512;

/// How a suggestion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Accepted as a whole.
    Whole,
    /// Accepted in part.
    Part,
    /// Typed by the user as it was shown.
    Typed,
    /// Dismissed.
    Dismissed,
    /// None of these.
    Passed,
}

impl End {
    /// Whether the user caused the suggestion's text to be at its position.
    pub fn is_taken(self) -> bool {
        matches!(self, Self::Whole | Self::Part | Self::Typed)
    }
}

/// Why there is no measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Void {
    /// The branch has changed.
    Branch,
    /// A formatter has replaced the range.
    Formatter,
    /// The range was replaced.
    Gone,
    /// The range is much longer or shorter than the suggestion.
    Length,
    /// The recording ended before the measure was due.
    Ended,
}

/// A measure, or why there is none.
pub type Measure = Result<Kept, Void>;

/// The outcome of a suggestion.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// When the suggestion was shown, in milliseconds since 1970.
    pub time: u64,
    /// The editor's id for the file's language.
    pub language: String,
    /// The job that made the suggestion.
    pub job: String,
    /// The model; `None` for the local engine.
    pub model: Option<String>,
    /// How the suggestion ended.
    pub end: End,
    /// The kept part at the times of [`AFTER`], if the suggestion was taken.
    pub after: Vec<Measure>,
    /// The kept part at the file's next save; `None` if there was none.
    pub at_save: Option<Measure>,
    /// The kept part when the text had settled.
    pub settled: Measure,
}
