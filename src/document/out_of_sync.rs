//! Why a change cannot be applied.

/// A change that does not fit the server's text: the two sides no longer agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OutOfSync {
    /// A position is on a line that the text does not have.
    #[error("a change is at line {line}, but the text has {lines} lines")]
    LineMissing {
        /// The requested line, from 0.
        line: u32,
        /// The number of lines in the text.
        lines: usize,
    },
    /// A column falls inside a character.
    #[error("a change at line {line} splits a character at column {column}")]
    SplitsCharacter {
        /// The line, from 0.
        line: u32,
        /// The column, in units of the negotiated encoding.
        column: u32,
    },
    /// A range ends before it starts.
    #[error("a change has a range that ends before it starts")]
    Reversed,
    /// The version decreased.
    #[error("version {new} follows version {old}")]
    VersionWentBack {
        /// The version the server has.
        old: i32,
        /// The version the change carries.
        new: i32,
    },
}
