//! The levels of tolerance in matching a block.

use std::fmt;

use crate::text::coded;

coded! {
    /// The tolerance that a match required; ordered from strict to tolerant.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    pub enum Level {
        /// Every character matches.
        #[default]
        Exact = "exact",
        /// Whitespace at line ends differs.
        TrailingBlanks = "trailing-blanks",
        /// Quotes, dashes, spaces or composed letters differ in their Unicode form.
        Folded = "folded",
        /// The indentation differs, in the same way for all lines.
        Indentation = "indentation",
        /// The reply was escaped, or carried the prompt's line numbers, and matches exactly without them.
        Unescaped = "unescaped",
        /// Blank lines or comments are missing from the reply's context.
        Aligned = "aligned",
        /// One letter of a context line differs.
        ContextTypo = "context-typo",
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
