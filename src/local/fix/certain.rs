//! What a fix by rule is.

use crate::edit::Edit;
use crate::text::named;

/// A fix without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What kind of mistake it mends.
    pub kind: Kind,
    /// What it does, as a title.
    pub title: String,
    /// The edits, sorted.
    pub edits: Vec<Edit>,
    /// The names that are gone afterwards, because nothing uses them.
    pub removes: Vec<String>,
}

named! {
    /// Kinds of mistakes, as they are counted and fixed together.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// The report brings the fix with it.
        OfTool = "suggested fix",
        /// A bracket, a semicolon, a colon or a comma.
        MissingToken = "missing token",
        /// A name with one letter too many, too few or wrong.
        MisspeltName = "misspelt name",
        /// A name that is not brought into the file.
        MissingImport = "missing import",
        /// An import that nothing uses.
        UnusedImport = "unused import",
        /// A variable that nothing uses.
        UnusedVariable = "unused variable",
        /// An assignment that does not fit the declaration.
        Assignment = "assignment",
        /// A model has made the fix.
        OfModel = "fix of the model",
    }
}

impl Fix {
    pub(super) fn new(kind: Kind, title: String, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        Self { kind, title, edits, removes: Vec::new() }
    }

    /// The same fix, which takes a name away.
    pub(super) fn removing(self, name: &str) -> Self {
        Self { removes: vec![name.to_owned()], ..self }
    }
}
