//! What a next edit follows from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{Eagerness, Settings};
use crate::disk::Readers;
use crate::document::DocumentId;
use crate::snapshot::{Diagnostic, RecentEdit, Snapshot};

/// What a next edit follows from.
#[derive(Debug, Clone)]
pub struct NextEditParams {
    /// The file.
    pub snapshot: Snapshot,
    /// The cursor's byte.
    pub cursor: usize,
    /// The user's recent edits in all files, oldest first.
    pub recent_edits: Vec<Arc<RecentEdit>>,
    /// What other servers report near the cursor.
    pub diagnostics: Vec<Diagnostic>,
    /// How readily something is suggested.
    pub eagerness: Eagerness,
    /// Whether the user requested it explicitly.
    pub is_invoked: bool,
    /// Other open files that it may be in, the one edited last first.
    pub other_files: Vec<Snapshot>,
    /// Files that are not open, if edits of those can be shown.
    pub unopened: Option<UnopenedFiles>,
}

/// Where the files are that are not open.
#[derive(Clone)]
pub struct UnopenedFiles {
    /// Those that are open, each with its path.
    pub open: Vec<(DocumentId, PathBuf)>,
    /// What an editor would call a file, and its settings; `None` for one without next edits.
    pub describe: Arc<DescribeUnopened>,
    /// The workspace folders that they are in.
    pub folders: Vec<PathBuf>,
    /// The threads that read them.
    pub readers: Readers,
}

/// Describes a file by its path and the id of its language.
pub type DescribeUnopened = dyn Fn(&Path, &str) -> Option<UnopenedFile> + Send + Sync;

/// A file that is not open.
pub struct UnopenedFile {
    /// What an editor would call it.
    pub id: DocumentId,
    /// How its path is shown.
    pub shown: Arc<str>,
    /// Its settings.
    pub settings: Arc<Settings>,
}

impl std::fmt::Debug for UnopenedFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnopenedFiles").field("open", &self.open).finish_non_exhaustive()
    }
}
