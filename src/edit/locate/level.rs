//! How much the search for a place had to forgive.

use std::fmt;

/// How much had to be forgiven to find a place; ordered from strict to tolerant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Every character stands in the file.
    #[default]
    Exact,
    /// Blanks at line ends differ.
    TrailingBlanks,
    /// Quotes, dashes, blanks or composed letters differ in their Unicode form.
    Folded,
    /// The lines are indented otherwise, all in the same way.
    Indentation,
    /// The reply was escaped, or carried the prompt's line numbers, and matches exactly without.
    Unescaped,
    /// Blank lines or comments are missing in the reply's context.
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
