//! A use of a name, and its candidate definitions.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::grammar::Grammar;
use crate::workspace::index::FileDefinition;

/// Why a definition is a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It is in the same file.
    Scope,
    /// The file imports it.
    Import,
    /// The file imports it from a file that re-exports it.
    ReExport(Arc<Path>),
    /// It is in a file of the same folder.
    SameFolder,
    /// It is elsewhere in the workspace.
    Workspace,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scope => f.write_str("defined in this file"),
            Self::Import => f.write_str("imported"),
            Self::ReExport(by) => write!(f, "imported through {}", by.display()),
            Self::SameFolder => f.write_str("in the same folder"),
            Self::Workspace => f.write_str("in the workspace"),
        }
    }
}

/// A candidate definition for a name.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The definition.
    pub place: FileDefinition,
    /// The reason.
    pub why: Why,
}

/// A use of a name.
#[derive(Debug, Clone, Copy)]
pub struct Mention<'a> {
    /// The file's path in the workspace.
    pub path: &'a Path,
    /// Its language.
    pub grammar: &'static Grammar,
    /// The text of its line before the name.
    pub before: &'a str,
    /// The name.
    pub name: &'a str,
    /// The byte offset of the name.
    pub at: usize,
}
