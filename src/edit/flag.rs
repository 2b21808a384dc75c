//! Warnings about edits.

use std::fmt;

/// A warning about an edit that is nevertheless applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flag {
    /// The reply is prose only, so nothing changes.
    Talk,
    /// The file already contains the reply's change, or the reply changes nothing.
    Unchanged,
    /// The result has more syntax errors, in a language whose grammar is unreliable.
    Syntax,
    /// A large part of the text is deleted.
    LargeRemoval,
    /// Called names that are not defined anywhere.
    UnknownNames(Vec<String>),
    /// Names found in no file, where too little code is known to decide whether they are wrong.
    UncheckedNames(Vec<String>),
    /// Nothing marks the reply's end, so it may have been cut off at the end of a line.
    MayBeCut,
}

impl Flag {
    /// A stable name for logs, counters and machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Talk => "talk",
            Self::Unchanged => "unchanged",
            Self::Syntax => "syntax",
            Self::LargeRemoval => "large-removal",
            Self::UnknownNames(_) => "unknown-names",
            Self::UncheckedNames(_) => "unchecked-names",
            Self::MayBeCut => "may-be-cut",
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Talk => f.write_str("the reply is talk only: nothing changes"),
            Self::Unchanged => f.write_str("the reply asks for what is there already: nothing changes"),
            Self::Syntax => f.write_str("the result has more syntax errors"),
            Self::LargeRemoval => f.write_str("a large part of the text goes"),
            Self::MayBeCut => f.write_str("nothing marks the end of the reply, which may have been cut off"),
            Self::UnknownNames(names) => write!(f, "uses `{}`, which is not known here", names.join("`, `")),
            Self::UncheckedNames(names) => write!(
                f,
                "uses `{}`, found in no file; too little code is known to tell whether that is wrong",
                names.join("`, `")
            ),
        }
    }
}
