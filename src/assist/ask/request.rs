//! A question about a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{ContextScope, Scoped};
use crate::disk::Readers;
use crate::privacy::Verdict;
use crate::route::Gear;
use crate::snapshot::Snapshot;
use crate::text::hash::in_process;
use crate::workspace::Workspace;

/// Returns a file's path as shown.
pub type ShowPath = dyn Fn(&Path) -> Arc<str> + Send + Sync;

/// A question and the project that it is about.
#[derive(Clone)]
pub struct AskRequest {
    /// The question, in words.
    pub question: String,
    /// The gear that the user chose.
    pub gear: Option<Gear>,
    /// The folders of the project.
    pub roots: Vec<PathBuf>,
    /// The index of their files.
    pub workspace: Arc<Workspace>,
    /// The settings of each folder.
    pub settings: Scoped,
    /// The files that are open in an editor.
    pub open: Vec<PathBuf>,
    /// Whether models may be shown a file, given its absolute path; it reads ignore files.
    pub access: Arc<dyn Fn(&Path) -> Verdict + Send + Sync>,
    /// Returns a file's path as shown.
    pub shown: Arc<ShowPath>,
    /// The threads that read the files.
    pub readers: Readers,
}

impl AskRequest {
    /// Whether `privacy.context` lets a model see an indexed file.
    pub(super) fn may_show(&self, path: &Path) -> bool {
        match self.settings.of(Some(path)).privacy.context {
            ContextScope::File => false,
            ContextScope::Open => self.open.iter().any(|it| it == path),
            ContextScope::Workspace => true,
        }
    }

    /// A snapshot of the project as a whole, without a file.
    pub(super) fn snapshot(&self) -> Snapshot {
        let id = format!("tandem-ask:{:x}", in_process(&self.roots));
        let settings = self.settings.of(self.roots.first().map(PathBuf::as_path));
        Snapshot::of_no_file(&id, settings, &self.workspace)
    }
}

impl std::fmt::Debug for AskRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AskRequest").field("roots", &self.roots).finish_non_exhaustive()
    }
}
