//! The levels of tolerance in matching a block.

use std::fmt;

/// The tolerance that a match required; ordered from strict to tolerant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Every character matches.
    #[default]
    Exact,
    /// Whitespace at line ends differs.
    TrailingBlanks,
    /// Quotes, dashes, spaces or composed letters differ in their Unicode form.
    Folded,
    /// The indentation differs, in the same way for all lines.
    Indentation,
    /// The reply was escaped, or carried the prompt's line numbers, and matches exactly without them.
    Unescaped,
    /// Blank lines or comments are missing from the reply's context.
    Aligned,
    /// One letter of a context line differs.
    ContextTypo,
}

impl Level {
    /// A stable name for logs, counters and machines.
    pub fn code(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingBlanks => "trailing-blanks",
            Self::Folded => "folded",
            Self::Indentation => "indentation",
            Self::Unescaped => "unescaped",
            Self::Aligned => "aligned",
            Self::ContextTypo => "context-typo",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
