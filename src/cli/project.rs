//! A folder as the project of a plan, and what may be written there.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use crate::assist::plan::{NeverRun, Plan, Project};
use crate::config::Scoped;
use crate::disk::{IgnoreFiles, Readers};
use crate::edit::EditSet;
use crate::privacy::Verdict;
use crate::workspace::{Folder, Scope, Workspace, git, walk};

/// The folder as a project: what is known of its files, and the rules. It reads them all.
pub(super) fn project(folder: &Folder, settings: &Scoped) -> Project {
    let root = folder.root().to_owned();
    let workspace = Workspace::default();
    let denied = |path: &Path| settings.verdict(path) != Verdict::Open;
    let roots = [root.clone()];
    let scope = Scope { roots: &roots, denied: &denied, cancelled: &|| false, is_background: false };
    let report = walk(&workspace, scope, None);
    tracing::debug!(?report, "the project");
    let (ignore_files, rules) = (IgnoreFiles::default(), settings.clone());
    let access =
        move |path: &Path| ignore_files.judge(path, &roots, &rules.of(Some(path)).privacy.path_rules);
    Project {
        root,
        files: Arc::new(folder.clone()),
        workspace: Arc::new(workspace),
        settings: settings.clone(),
        access: Arc::new(access),
        permission: Arc::new(NeverRun),
        readers: Readers::default(),
    }
}

/// The paths of the files that a plan is about.
pub(super) fn planned_paths(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.path.as_str()).collect()
}

/// The paths of the files that were there before.
pub(super) fn old_paths(set: &EditSet) -> Vec<&str> {
    set.files().iter().filter(|file| file.old_text().is_some()).map(|file| file.path.as_str()).collect()
}

/// Which of the paths have uncommitted changes, and what to do about it; `None` if none has.
///
/// # Errors
///
/// Git does not answer.
pub(super) async fn uncommitted(root: &Path, paths: &[&str]) -> anyhow::Result<Option<String>> {
    let (root, paths) = (root.to_owned(), paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>());
    let asked = tokio::task::spawn_blocking(move || {
        git::uncommitted(&root, &paths.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let dirty: Vec<String> =
        asked.await.context("the repository could not be read")??.iter().map(ToString::to_string).collect();
    Ok((!dirty.is_empty()).then(|| format!("uncommitted changes in {}; commit them", dirty.join(", "))))
}
