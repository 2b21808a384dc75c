//! `tandem.checkPlan`: what would be wrong with a plan's change if some of its files were left out.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;

use super::plan::{ProjectFolder, project};
use crate::assist::plan;
use crate::edit::edit_set::{Base, FileEdit, Revision};
use crate::edit::plan::Files as _;
use crate::job::{Job, Reason};
use crate::lsp::convert;
use crate::lsp::errors::failure;
use crate::lsp::open_files::OpenFiles;
use crate::lsp::protocol::{CheckPlanArguments, DocumentChange, FileOperation, WorkspaceEdit};
use crate::lsp::state::ServerState;
use crate::lsp::task;
use crate::text::folders::innermost;

/// Answers with the problems that leaving out causes; changes nothing.
pub(in crate::lsp) async fn check_plan(
    state: Arc<ServerState>,
    arguments: CheckPlanArguments,
) -> Result<Value> {
    let CheckPlanArguments { edit, leave_out } = arguments;
    task::run(async move {
        let found = findings(&state, edit, leave_out).await.map_err(|reason| failure(Job::Plan, &reason))?;
        Ok(json!({ "findings": found }))
    })
    .await?
}

async fn findings(
    state: &Arc<ServerState>,
    edit: WorkspaceEdit,
    leave_out: Vec<String>,
) -> std::result::Result<Vec<String>, Reason> {
    let look = move |project: &plan::Project, whole: Vec<FileEdit>, path: &PathOf<'_>| {
        let left_out = leave_out.iter().map(|uri| path(uri)).collect::<std::result::Result<_, _>>()?;
        let left_out = by_old_path(&whole, left_out);
        let found = plan::check_without(project, whole, &left_out)?;
        Ok(found.iter().map(ToString::to_string).collect())
    };
    checked(state, edit, look).await
}

/// The path of a URI below the root of a project.
pub(super) type PathOf<'a> = dyn Fn(&str) -> std::result::Result<String, Reason> + 'a;

/// Has the change that an edit makes in its project looked at.
pub(super) async fn checked<T: Send + 'static>(
    state: &Arc<ServerState>,
    edit: WorkspaceEdit,
    look: impl FnOnce(&plan::Project, Vec<FileEdit>, &PathOf<'_>) -> std::result::Result<T, Reason>
    + Send
    + 'static,
) -> std::result::Result<T, Reason> {
    let (place, encoding) = {
        let session = state.session.lock();
        (folder_of(&edit, session.folders()), session.encoding())
    };
    let (project, files) = project(state, place.ok_or_else(outside)?).await?;
    let read = move |project: &plan::Project| {
        let path = |uri: &str| files.path(uri).ok_or_else(outside);
        let open = |path: &str, version: Option<i32>| opened(&files, path, version);
        let whole = convert::file_changes(edit, encoding, &path, &open)?;
        look(project, whole, &path)
    };
    project.reading(Job::Plan, read).await?
}

/// The innermost workspace folder around the first file of an edit.
fn folder_of(edit: &WorkspaceEdit, folders: &[PathBuf]) -> Option<ProjectFolder> {
    let first = edit.document_changes.iter().flatten().next().map(|it| match it {
        DocumentChange::Edit(edit) => &edit.text_document.uri,
        DocumentChange::File(it) => match &it.operation {
            FileOperation::Create { uri } | FileOperation::Delete { uri } => uri,
            FileOperation::Rename { old_uri, .. } => old_uri,
        },
    });
    let first = first.or_else(|| edit.changes.iter().flatten().next().map(|(uri, _)| uri))?;
    let path = convert::file_path(first)?;
    let root = innermost(folders, &path)?.clone();
    Some(ProjectFolder { root, folders: folders.to_vec() })
}

fn outside() -> Reason {
    let why = "the edit is of files outside of the workspace folders".to_owned();
    Reason::Unusable { code: "unfit-edit", why }
}

/// The text of a file that an edit was made for.
fn opened(files: &OpenFiles, path: &str, version: Option<i32>) -> std::result::Result<Base, Reason> {
    let entry = files.entry(path).ok().flatten().ok_or(Reason::Stale)?;
    let base = files.open(&entry).map_err(|_| Reason::Stale)?;
    match (version, base.revision) {
        (Some(version), Revision::Version(now)) if version == now => Ok(base),
        (Some(_), _) => Err(Reason::Stale),
        (None, _) => Ok(base),
    }
}

/// The files that are left out, by their paths before the change; a file may be named by either path.
fn by_old_path(whole: &[FileEdit], left_out: BTreeSet<String>) -> BTreeSet<String> {
    let is_left_out = |path: &str| left_out.contains(path);
    let files =
        whole.iter().filter(|file| is_left_out(&file.path) || file.new_path().is_some_and(is_left_out));
    files.map(|file| file.path.clone()).collect()
}
