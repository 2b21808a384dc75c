//! The files that a plan is made for, and the rules for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::permission::RunPermission;
use crate::assist::pipeline;
use crate::config::Scoped;
use crate::disk::{Purpose, Readers};
use crate::edit::plan::{Files, Permissions};
use crate::job::{Job, Reason};
use crate::privacy::Verdict;
use crate::text::folders::place;
use crate::text::words::slashed;
use crate::workspace::{FolderError, Workspace};

/// The files below a root: on disk, or as open in an editor.
pub type ProjectFiles = dyn Files<Error = FolderError> + Send + Sync;

/// A folder in which plans are made and carried out.
#[derive(Clone)]
pub struct Project {
    /// The folder, with symlinks resolved.
    pub root: PathBuf,
    /// Its files.
    pub files: Arc<ProjectFiles>,
    /// The index of the files.
    pub workspace: Arc<Workspace>,
    /// The settings of each folder.
    pub settings: Scoped,
    /// Whether models may be shown a file, given its absolute path; it reads ignore files.
    pub access: Arc<dyn Fn(&Path) -> Verdict + Send + Sync>,
    /// Asks the user before `verify.command` runs on code that a model wrote.
    pub permission: Arc<dyn RunPermission>,
    /// The threads that read the files.
    pub readers: Readers,
}

impl Project {
    /// A project in which all may be shown and no command is run.
    #[cfg(test)]
    pub(super) fn open(disk: crate::workspace::Folder, workspace: Workspace) -> Self {
        Self {
            root: disk.root().to_owned(),
            files: Arc::new(disk),
            workspace: Arc::new(workspace),
            settings: Scoped::default(),
            access: Arc::new(|_| Verdict::Open),
            permission: Arc::new(super::permission::NeverRun),
            readers: Readers::default(),
        }
    }

    /// The absolute path of a real path relative to the root.
    pub fn place(&self, real: &str) -> PathBuf {
        place(&self.root, real)
    }

    /// Runs `work` with the permissions for edits of this project.
    ///
    /// Blocks on disk reads.
    pub(super) fn with_permissions<T>(&self, work: impl FnOnce(Permissions<'_>) -> T) -> T {
        // Ignored files may be changed; they are not shown to models.
        let access = |real: &str| self.settings.verdict(&self.place(real));
        let allow_invisible = self.settings.of(Some(&self.root)).allow_invisible_characters;
        work(Permissions { access: &access, instruction: "", allow_invisible })
    }

    /// Runs work that reads the files, in a lane where it delays only other requests about this folder.
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

    /// A path as shown: relative to the root if it is below it.
    pub(super) fn shown(&self, path: &Path) -> String {
        slashed(path.strip_prefix(&self.root).unwrap_or(path))
    }
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("root", &self.root).finish_non_exhaustive()
    }
}
