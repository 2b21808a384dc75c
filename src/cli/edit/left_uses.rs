//! The uses that an edit leaves as they were, in its own file and in its repository.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::assist::plan::{Project, StaleUses, may_leave_uses};
use crate::cli::limits::FILE_BYTES;
use crate::cli::project;
use crate::config::Scoped;
use crate::disk::{self, Readers};
use crate::edit::Edit;
use crate::edit::edit_set::{Change, FileEdit};
use crate::edit::plan::Files as _;
use crate::privacy::Verdict;
use crate::snapshot::Snapshot;
use crate::workspace::{Cache, Folder, Scope, Workspace, walk};

/// How long to wait for the repository's files. Only edits that may leave uses wait.
const READING_TIMEOUT: Duration = Duration::from_secs(20);

/// The folder around an edited file, which is read while the model works.
pub(super) struct Surroundings {
    folder: Folder,
    /// The file's path below the folder.
    path: String,
    settings: Scoped,
    workspace: Arc<Workspace>,
    reading: JoinHandle<()>,
}

impl Surroundings {
    /// Reads the file, and its repository if it is in one. Otherwise it is unknown which files belong together.
    ///
    /// The names in the repository are known to the snapshot's workspace.
    pub(super) fn read(file: &Path, settings: &Scoped, snapshot: &Snapshot) -> anyhow::Result<Self> {
        let file = disk::real(file)?;
        let parent = file.parent().context("it is in no folder")?;
        let repository = file.ancestors().find(|folder| folder.join(".git").exists());
        let folder = Folder::new(repository.unwrap_or(parent), FILE_BYTES)?;
        let entry =
            folder.entry(file.strip_prefix(folder.root())?.to_str().context("its path is not UTF-8")?)?;
        let (settings, workspace) = (settings.clone(), Arc::clone(&snapshot.workspace));
        // The walk is cancelled when the command drops its handle.
        let (held, rules, roots) = (Arc::downgrade(&workspace), settings.clone(), [folder.root().to_owned()]);
        let (document, is_repository) = (Arc::clone(&snapshot.document), repository.is_some());
        let reading = spawn_blocking(move || {
            let Some(workspace) = held.upgrade() else { return };
            workspace.open(&file, &document, || false);
            if is_repository {
                let denied = |path: &Path| rules.verdict(path) != Verdict::Open;
                let cancelled = || held.strong_count() < 2;
                let scope =
                    Scope { roots: &roots, denied: &denied, cancelled: &cancelled, is_background: true };
                let cache = disk::cache_folder().map(|caches| Cache::new(&caches, &roots));
                let report = walk(&workspace, scope, cache.as_ref());
                tracing::debug!(?report, "names");
            }
        });
        Ok(Self { folder, path: entry.context("it is gone")?.real, settings, workspace, reading })
    }

    /// The uses that these edits of the file's text leave. The file must not be written yet.
    pub(super) async fn left_uses(self, text: &str, edits: &[Edit]) -> anyhow::Result<Option<StaleUses>> {
        let Self { folder, path, settings, workspace, reading } = self;
        if !may_leave_uses(&workspace, &folder.place(&path), text, edits) {
            return Ok(None);
        }
        timeout(READING_TIMEOUT, reading).await.context("the other files were not read in time")??;
        let base = folder.open(&folder.entry(&path)?.context("the file is gone")?)?;
        ensure!(base.text == text, "the file was changed meanwhile");
        let change =
            FileEdit { path, change: Change::Edit { base, edits: edits.to_vec() }, flags: Vec::new() };
        let project: Project = project::indexed(Readers::default(), &folder, &settings, workspace);
        Ok(spawn_blocking(move || StaleUses::of(&project, change)).await??)
    }
}
