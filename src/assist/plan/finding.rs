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
    /// It uses a name by itself that nothing declares.
    Undefined {
        /// The name.
        name: String,
        /// Whether it was imported before.
        was_imported: bool,
    },
    /// An import leads nowhere.
    LostImport(String),
    /// No module declares the file.
    Undeclared,
    /// It defines what another file of its package defines.
    DefinedTwice {
        /// The name.
        name: String,
        /// The other file.
        other: String,
    },
    /// It uses what is gone.
    Gone(String),
    /// It takes what a call gives at once, and has to wait for it now.
    NotAwaited(String),
    /// It uses what asks something else now, as it was.
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
            Self::Undefined { .. } => "undefined-name",
            Self::LostImport(_) => "lost-import",
            Self::Undeclared => "undeclared-module",
            Self::DefinedTwice { .. } => "defined-twice",
            Self::Gone(_) => "gone",
            Self::NotAwaited(_) => "not-awaited",
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
            Self::Undefined { name, was_imported: true } => {
                write!(f, "it uses `{}`, whose import is gone", printable(name))
            }
            Self::Undefined { name, was_imported: false } => {
                write!(f, "it uses `{}`, which nothing declares", printable(name))
            }
            Self::Undeclared => f.write_str("no `mod` declares it, so it is not compiled"),
            Self::DefinedTwice { name, other } => {
                write!(
                    f,
                    "it defines `{}`, which `{}` of its package defines, too",
                    printable(name),
                    printable(other)
                )
            }
            Self::NotAwaited(name) => {
                write!(f, "it does not wait for `{}`, which is `async` now", printable(name))
            }
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
