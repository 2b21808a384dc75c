//! The type of a rule's fix.

use crate::edit::Edit;
use crate::text::named;

/// A fix made without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The kind of mistake that it fixes.
    pub kind: Kind,
    /// What it does.
    pub title: String,
    /// The edits, sorted.
    pub edits: Vec<Edit>,
    /// The names that the fix removes because nothing uses them, or replaces because they are misspelt.
    pub removes: Vec<String>,
}

named! {
    /// Kinds of mistakes, by which fixes are counted and applied together.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// The tool's report contains the fix.
        OfTool = "suggested fix",
        /// A missing bracket, semicolon, colon or comma.
        MissingToken = "missing token",
        /// A name with a missing, extra or wrong letter.
        MisspeltName = "misspelt name",
        /// A name that is not imported.
        MissingImport = "missing import",
        /// An import that nothing uses.
        UnusedImport = "unused import",
        /// A variable that nothing uses.
        UnusedVariable = "unused variable",
        /// An assignment that does not fit the declaration.
        Assignment = "assignment",
        /// The fix comes from a model.
        OfModel = "fix of the model",
    }
}

impl Fix {
    pub(super) fn new(kind: Kind, title: String, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        Self { kind, title, edits, removes: Vec::new() }
    }

    /// The same fix, marked as removing a name.
    pub(super) fn removing(self, name: &str) -> Self {
        Self { removes: vec![name.to_owned()], ..self }
    }
}
