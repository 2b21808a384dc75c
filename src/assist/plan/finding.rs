//! A problem of several files' combined changes, as reported.

use std::fmt;

use crate::text::printable;

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the root, by its new path.
    pub path: String,
    /// The line in the new text, from 1, if it is known.
    pub line: Option<usize>,
    /// The problem.
    pub problem: Problem,
}

/// The kind of a problem in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It has more syntax errors than before, or a new file has any.
    Syntax,
    /// It calls names that are unknown everywhere.
    UnknownNames(Vec<String>),
    /// It calls names that no file has, but too little code is known for [`Self::UnknownNames`].
    UncheckedNames(Vec<String>),
    /// It uses an unqualified name that nothing declares.
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
    /// It defines a name that another file of its package also defines.
    DefinedTwice {
        /// The name.
        name: String,
        /// The other file.
        other: String,
    },
    /// It uses a definition that is gone.
    Gone(String),
    /// It uses the result of a call directly, which must be awaited now.
    NotAwaited(String),
    /// It calls a definition by its old signature.
    OldSignature {
        /// The name.
        name: String,
        /// The new head of the definition.
        now: String,
    },
    /// It calls a definition by a signature that only a file that is left out gives it.
    NewSignature {
        /// The name.
        name: String,
        /// The head that the definition keeps.
        now: String,
    },
    /// It uses a definition that only a file that is left out has.
    LeftOut(String),
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
            Self::NewSignature { .. } => "new-signature",
            Self::LeftOut(_) => "left-out",
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
            Self::NewSignature { name, now } => {
                write!(f, "it uses `{}` as changed, which is still `{}`", printable(name), printable(now))
            }
            Self::LeftOut(name) => write!(f, "it uses `{}`, which is left out", printable(name)),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}{line}: {}", printable(&self.path), self.problem)
    }
}
