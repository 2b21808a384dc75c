//! What a fix by rule is.

use crate::edit::Edit;

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

/// Kinds of mistakes, as they are counted and fixed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The report brings the fix with it.
    OfTool,
    /// A bracket, a semicolon, a colon or a comma.
    MissingToken,
    /// A name with one letter too many, too few or wrong.
    MisspeltName,
    /// A name that is not brought into the file.
    MissingImport,
    /// An import that nothing uses.
    UnusedImport,
    /// A variable that nothing uses.
    UnusedVariable,
    /// An assignment that does not fit the declaration.
    Assignment,
    /// A model has made the fix.
    OfModel,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::OfTool,
        Self::MissingToken,
        Self::MisspeltName,
        Self::MissingImport,
        Self::UnusedImport,
        Self::UnusedVariable,
        Self::Assignment,
        Self::OfModel,
    ];

    /// The kind in words.
    pub fn word(self) -> &'static str {
        match self {
            Self::OfTool => "suggested fix",
            Self::MissingToken => "missing token",
            Self::MisspeltName => "misspelt name",
            Self::MissingImport => "missing import",
            Self::UnusedImport => "unused import",
            Self::UnusedVariable => "unused variable",
            Self::Assignment => "assignment",
            Self::OfModel => "fix of the model",
        }
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
