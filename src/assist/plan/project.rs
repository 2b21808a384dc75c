//! The files that a plan is made for, and by which rules.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::permission::RunPermission;
use crate::assist::pipeline;
use crate::config::Scoped;
use crate::disk::{Purpose, Readers};
use crate::edit::plan::{Files, Permissions};
use crate::job::{Job, Reason};
use crate::privacy::Verdict;
use crate::workspace::{FolderError, Workspace};

/// The files below a root: on disk, or as an editor has them.
pub type ProjectFiles = dyn Files<Error = FolderError> + Send + Sync;

/// A folder in which plans are made and carried out.
#[derive(Clone)]
pub struct Project {
    /// The folder, its links followed.
    pub root: PathBuf,
    /// Its files.
    pub files: Arc<ProjectFiles>,
    /// What is known of them.
    pub workspace: Arc<Workspace>,
    /// The settings by place.
    pub settings: Scoped,
    /// Whether models may be shown a file, by its absolute path; it reads ignore files.
    pub access: Arc<dyn Fn(&Path) -> Verdict + Send + Sync>,
    /// Asks the user before `verify.command` runs on what a model wrote.
    pub permission: Arc<dyn RunPermission>,
    /// The threads that read them.
    pub readers: Readers,
}

impl Project {
    /// Where a real path below the root is.
    pub fn place(&self, real: &str) -> PathBuf {
        if real.is_empty() { self.root.clone() } else { self.root.join(real) }
    }

    /// Does something under the permissions that edits of this project have.
    ///
    /// It blocks for the disk.
    pub(super) fn with_permissions<T>(&self, work: impl FnOnce(Permissions<'_>) -> T) -> T {
        // What is ignored may be changed; it is shown to no model.
        let access = |real: &str| self.settings.verdict(&self.place(real));
        let allow_invisible = self.settings.of(Some(&self.root)).allow_invisible_characters;
        work(Permissions { access: &access, allow_invisible })
    }

    /// Runs work that reads the files, where it keeps nothing waiting but other requests about this folder.
    ///
    /// # Errors
    ///
    /// The folder cannot be read, or the work panicked.
    pub async fn reading<T: Send + 'static>(
        &self,
        job: Job,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, Reason> {
        let this = self.clone();
        let lane = Purpose::Request.lane(&self.root);
        pipeline::reading(job, (&self.readers, &lane), move || work(&this)).await
    }

    /// A path as it is shown: below the root where it is there.
    pub(super) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().replace('\\', "/")
    }
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("root", &self.root).finish_non_exhaustive()
    }
}
