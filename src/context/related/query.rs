//! The input of a search for related context.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::document::Document;
use crate::snapshot::Related;
use crate::workspace::Workspace;

/// A position, and the sources of context for it.
pub struct Query<'a> {
    /// The document that holds the cursor.
    pub document: &'a Document,
    /// The document's path on disk.
    pub path: &'a Path,
    /// The cursor, as a byte offset.
    pub cursor: usize,
    /// The workspace to search.
    pub workspace: &'a Workspace,
    /// The texts of the project's rules, with their displayed paths.
    pub rules: &'a [(Arc<str>, String)],
    /// Recently visited files, latest first.
    pub recent: &'a [PathBuf],
    /// The only files that may be shown, if not all of the workspace.
    pub only: Option<&'a [PathBuf]>,
    /// The previous result for the file: parts that are still valid keep their position.
    pub before: &'a Related,
    /// Returns the displayed form of a path.
    pub shown: &'a dyn Fn(&Path) -> Arc<str>,
    /// Returns true if the search must stop.
    pub cancelled: &'a dyn Fn() -> bool,
}

impl Query<'_> {
    pub(super) fn may_show(&self, path: &Path) -> bool {
        path != self.path && self.only.is_none_or(|only| only.iter().any(|it| it == path))
    }
}
