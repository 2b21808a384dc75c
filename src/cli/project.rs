//! Opens a folder as the project of a plan, and checks for uncommitted changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use crate::assist::plan::{NeverRun, Plan, Project};
use crate::budget;
use crate::config::Scoped;
use crate::disk::{self, Purpose, Readers};
use crate::edit::EditSet;
use crate::privacy::Verdict;
use crate::workspace::{Cache, Folder, Report, Scope, Workspace, git, walk};

/// Runs work that waits for a folder's disk, in the folder's lane.
pub(super) async fn reading<T: Send + 'static>(
    readers: &Readers,
    folder: &Path,
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let done = readers.run(&Purpose::Request.lane(folder), work).await;
    let failed = || format!("cannot read {}", folder.display());
    done.with_context(failed)?.with_context(failed)
}

/// Like [`project`], but in the folder's lane.
pub(super) async fn open(readers: &Readers, folder: &Folder, settings: &Scoped) -> anyhow::Result<Project> {
    let (threads, read, rules) = (readers.clone(), folder.clone(), settings.clone());
    reading(readers, folder.root(), move || project(threads, &read, &rules)).await
}

/// Opens a folder as a project: the index of its files, and the access rules. Reads only files that have changed since
/// the index was cached.
pub(super) fn project(readers: Readers, folder: &Folder, settings: &Scoped) -> Project {
    let workspace = Workspace::default();
    let report = index(&workspace, &[folder.root().to_owned()], settings);
    tracing::debug!(?report, "the project");
    indexed(readers, folder, settings, Arc::new(workspace))
}

/// A project whose files are indexed already.
pub(super) fn indexed(
    readers: Readers,
    folder: &Folder,
    settings: &Scoped,
    workspace: Arc<Workspace>,
) -> Project {
    let root = folder.root().to_owned();
    Project {
        root: root.clone(),
        files: Arc::new(folder.clone()),
        workspace,
        settings: settings.clone(),
        access: settings.access(vec![root]),
        permission: Arc::new(NeverRun),
        readers,
    }
}

/// Indexes the files below these folders that a model may see.
pub(super) fn index(workspace: &Workspace, roots: &[PathBuf], settings: &Scoped) -> Report {
    let denied = |path: &Path| settings.verdict(path) != Verdict::Open;
    let is_over = budget::watch();
    let scope = Scope { roots, denied: &denied, cancelled: &is_over, is_background: false };
    let cache = disk::cache_folder().map(|caches| Cache::new(&caches, roots));
    walk(workspace, scope, cache.as_ref())
}

/// The paths of the files that a plan changes.
pub(super) fn planned_paths(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.path.as_str()).collect()
}

/// The paths of the files that existed before the change.
pub(super) fn old_paths(set: &EditSet) -> Vec<&str> {
    set.files().iter().filter(|file| file.old_text().is_some()).map(|file| file.path.as_str()).collect()
}

/// The message on paths with uncommitted changes; `None` if there are none.
pub(super) async fn uncommitted(
    readers: &Readers,
    root: &Path,
    paths: &[&str],
) -> anyhow::Result<Option<String>> {
    let (folder, paths) = (root.to_owned(), paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>());
    let ask = move || git::uncommitted(&folder, &paths.iter().map(String::as_str).collect::<Vec<_>>());
    let dirty: Vec<String> = reading(readers, root, ask).await??.iter().map(ToString::to_string).collect();
    Ok((!dirty.is_empty()).then(|| format!("uncommitted changes in {}; commit them", dirty.join(", "))))
}
