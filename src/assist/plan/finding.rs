//! Something that is wrong with the changes of several files taken together, as it is told.

use std::fmt;

use crate::text::printable;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, below the root, as it is named afterwards.
    pub path: String,
    /// The line afterwards, from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It has more syntax errors than before, or a new file has any.
    Syntax,
    /// It calls what is known nowhere.
    UnknownNames(Vec<String>),
    /// It calls what no file has, where too little code is known for that to be [`Self::UnknownNames`].
    UncheckedNames(Vec<String>),
    /// An import leads nowhere.
    LostImport(String),
    /// It uses what is gone.
    Gone(String),
    /// It uses what looks different now, and was not changed.
    OldSignature {
        /// The name.
        name: String,
        /// The definition's head now.
        now: String,
    },
}

impl Problem {
    /// A stable name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::UnknownNames(_) => "unknown-names",
            Self::UncheckedNames(_) => "unchecked-names",
            Self::LostImport(_) => "lost-import",
            Self::Gone(_) => "gone",
            Self::OldSignature { .. } => "old-signature",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("it has syntax errors"),
            Self::UnknownNames(names) => {
                write!(f, "it calls `{}`, known nowhere", printable(&names.join("`, `")))
            }
            Self::UncheckedNames(names) => write!(
                f,
                "it calls `{}`, found in no file; too little code is known to tell whether that is wrong",
                printable(&names.join("`, `"))
            ),
            Self::LostImport(path) => write!(f, "the import of `{}` leads nowhere", printable(path)),
            Self::Gone(name) => write!(f, "it uses `{}`, which is gone", printable(name)),
            Self::OldSignature { name, now } => {
                write!(f, "it uses `{}` as before, which is now `{}`", printable(name), printable(now))
            }
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}{line}: {}", printable(&self.path), self.problem)
    }
}
