//! The parameters of a next edit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{Eagerness, Settings};
use crate::disk::Readers;
use crate::document::DocumentId;
use crate::snapshot::{Diagnostic, RecentEdit, Snapshot};

/// The parameters of a next edit.
#[derive(Debug, Clone)]
pub struct NextEditParams {
    /// The file.
    pub snapshot: Snapshot,
    /// The cursor's byte offset.
    pub cursor: usize,
    /// The user's recent edits in all files, oldest first.
    pub recent_edits: Vec<Arc<RecentEdit>>,
    /// The files whose edits no model is shown beside this file.
    pub withheld: Vec<DocumentId>,
    /// Diagnostics of other servers near the cursor.
    pub diagnostics: Vec<Diagnostic>,
    /// How readily edits are suggested.
    pub eagerness: Eagerness,
    /// Whether the user requested it explicitly.
    pub is_invoked: bool,
    /// Other open files that may need edits, the most recently edited first.
    pub other_files: Vec<Snapshot>,
    /// Access to unopened files, if edits of those can be shown.
    pub unopened: Option<UnopenedFiles>,
}

/// Access to files that are not open.
#[derive(Clone)]
pub struct UnopenedFiles {
    /// The open files, each with its path.
    pub open: Vec<(DocumentId, PathBuf)>,
    /// Returns a file's id in the editor and its settings; `None` for a file without next edits.
    pub describe: Arc<DescribeUnopened>,
    /// The workspace folders that contain the files.
    pub folders: Vec<PathBuf>,
    /// The threads that read the files.
    pub readers: Readers,
}

/// Describes a file by its path and the id of its language.
pub type DescribeUnopened = dyn Fn(&Path, &str) -> Option<UnopenedFile> + Send + Sync;

/// A file that is not open.
pub struct UnopenedFile {
    /// The id that an editor would give it.
    pub id: DocumentId,
    /// Its path as shown.
    pub shown: Arc<str>,
    /// Its settings.
    pub settings: Arc<Settings>,
}

impl std::fmt::Debug for UnopenedFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnopenedFiles").field("open", &self.open).finish_non_exhaustive()
    }
}
