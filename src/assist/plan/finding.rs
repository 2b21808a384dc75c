//! A problem of several files' combined changes, as reported.

use std::fmt;

use crate::text::ident::words;
use crate::text::{coded, printable};

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

coded! {
    /// The kind of a problem in a file.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    pub enum Problem {
        /// It has more syntax errors than before, or a new file has any.
        #[error("it has syntax errors")]
        Syntax = "syntax",
        /// It calls names that are unknown everywhere.
        #[error("it calls `{}`, known nowhere", printable(&.0.join("`, `")))]
        UnknownNames(Vec<String>) = "unknown-names",
        /// It calls names that no file has, but too little code is known for [`Self::UnknownNames`].
        #[error("it calls `{}`, found in no file; too little code is known to tell whether that is wrong", printable(&.0.join("`, `")))]
        UncheckedNames(Vec<String>) = "unchecked-names",
        /// It uses an unqualified name that nothing declares.
        #[error("it uses `{}`, {}", printable(.name), if *.was_imported { "whose import is gone" } else { "which nothing declares" })]
        Undefined {
            /// The name.
            name: String,
            /// Whether it was imported before.
            was_imported: bool,
        } = "undefined-name",
        /// An import leads nowhere.
        #[error("the import of `{}` leads nowhere", printable(.0))]
        LostImport(String) = "lost-import",
        /// No module declares the file.
        #[error("no `mod` declares it, so it is not compiled")]
        Undeclared = "undeclared-module",
        /// It defines a name that another file of its package also defines.
        #[error("it defines `{}`, which `{}` of its package defines, too", printable(.name), printable(.other))]
        DefinedTwice {
            /// The name.
            name: String,
            /// The other file.
            other: String,
        } = "defined-twice",
        /// It uses a definition that is gone.
        #[error("it uses `{}`, which is gone", printable(.0))]
        Gone(String) = "gone",
        /// It uses the result of a call directly, which must be awaited now.
        #[error("it does not wait for `{}`, which is `async` now", printable(.0))]
        NotAwaited(String) = "not-awaited",
        /// It calls a definition by its old signature.
        #[error("it still uses `{}` in the old way; it is now `{}`", printable(.name), printable(.now))]
        OldSignature {
            /// The name.
            name: String,
            /// The new head of the definition.
            now: String,
        } = "old-signature",
        /// It calls a definition by a signature that only a file that is left out gives it.
        #[error("it uses `{}` as changed, which is still `{}`", printable(.name), printable(.now))]
        NewSignature {
            /// The name.
            name: String,
            /// The head that the definition keeps.
            now: String,
        } = "new-signature",
        /// It uses a definition that only a file that is left out has.
        #[error("it uses `{}`, which is left out", printable(.0))]
        LeftOut(String) = "left-out",
    }
}

impl Problem {
    /// The definition that is no longer as it was, for problems of its uses.
    pub fn changed_name(&self) -> Option<&str> {
        match self {
            Self::Gone(name)
            | Self::NotAwaited(name)
            | Self::OldSignature { name, .. }
            | Self::Undefined { name, .. } => Some(name),
            Self::LostImport(path) => words(path).next_back(),
            _ => None,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}{line}: {}", printable(&self.path), self.problem)
    }
}
