//! The parameters of a completion.

use tokio::time::Instant;

use crate::config::Eagerness;

/// The parameters of a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletionParams {
    /// The cursor's byte offset.
    pub cursor: usize,
    /// How readily suggestions are shown, and how much of them at once.
    pub eagerness: Eagerness,
    /// Index of the suggestion among several for the same position; 0 is the most likely.
    pub variant: usize,
    /// Whether the user requested it explicitly, and waits.
    pub invoked: bool,
    /// The earliest time at which the request may be sent. It is prepared before.
    pub not_before: Option<Instant>,
}
