//! What is gathered for which place, and from where.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::document::Document;
use crate::snapshot::Related;
use crate::workspace::Workspace;

/// What is gathered, and from where.
pub struct Query<'a> {
    /// The file.
    pub document: &'a Document,
    /// Its path on this machine.
    pub path: &'a Path,
    /// The place (bytes).
    pub cursor: usize,
    /// The files around it.
    pub workspace: &'a Workspace,
    /// The texts of the project's rules, by their paths as shown.
    pub rules: &'a [(Arc<str>, String)],
    /// Files that the user was in lately, the latest first.
    pub recent: &'a [PathBuf],
    /// The only files that may be shown, if not all of the workspace.
    pub only: Option<&'a [PathBuf]>,
    /// What was gathered for the file before: what is still good stays where it stands.
    pub before: &'a Related,
    /// How a file's path is shown.
    pub shown: &'a dyn Fn(&Path) -> Arc<str>,
    /// Whether to stop.
    pub cancelled: &'a dyn Fn() -> bool,
}

impl Query<'_> {
    pub(super) fn may_show(&self, path: &Path) -> bool {
        path != self.path && self.only.is_none_or(|only| only.iter().any(|it| it == path))
    }
}
