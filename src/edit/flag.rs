//! What the user should know about an edit.

use std::fmt;

/// Something that the user should know about an edit that is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flag {
    /// The reply is talk only, so nothing changes.
    Talk,
    /// The reply's change is in the file already, or is none.
    Unchanged,
    /// The result has more syntax errors, in a language whose grammar cannot be relied on.
    Syntax,
    /// A large part of the text goes.
    LargeRemoval,
    /// Names that are known nowhere.
    UnknownNames(Vec<String>),
    /// Names that no file has, where too little code is known to tell whether they are wrong.
    UncheckedNames(Vec<String>),
    /// Nothing marks the reply's end, so it may have been cut where a line ends.
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
