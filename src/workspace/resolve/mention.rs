//! A name where it is used, and a definition that it may mean.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::grammar::Grammar;
use crate::workspace::index::FileDefinition;

/// Why a definition is likely the one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It stands in the same file.
    Scope,
    /// The file imports it.
    Import,
    /// The file imports it from a file that imports it itself.
    ReExport(Arc<Path>),
    /// It stands in a file of the same folder.
    SameFolder,
    /// It stands somewhere in the workspace.
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

/// A definition that a name may mean.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Where.
    pub place: FileDefinition,
    /// Why.
    pub why: Why,
}

/// A name where it is used.
#[derive(Debug, Clone, Copy)]
pub struct Mention<'a> {
    /// The file, as it is known to the workspace.
    pub path: &'a Path,
    /// Its language.
    pub grammar: &'static Grammar,
    /// The text of its line before the name.
    pub before: &'a str,
    /// The name.
    pub name: &'a str,
    /// Where the name begins (bytes).
    pub at: usize,
}
