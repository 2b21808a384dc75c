//! The input of a search, read from the session at one moment.

use std::path::Path;
use std::sync::Arc;

use super::options::{Asked, Reach};
use crate::assist::{NextEditParams, UnopenedFile, UnopenedFiles};
use crate::config::ContextScope;
use crate::disk::Readers;
use crate::document::DocumentId;
use crate::job::Reason;
use crate::lsp::convert;
use crate::lsp::limits::SEARCHED_FILES;
use crate::session::Session;
use crate::snapshot::{RecentEdit, Snapshot};

/// The input of a search, in addition to the snapshot and the recent edits.
pub(super) fn params(
    session: &Session,
    Asked { state, request, reach, .. }: &Asked<'_>,
    (snapshot, recent_edits): (Snapshot, Vec<Arc<RecentEdit>>),
) -> Result<NextEditParams, Reason> {
    let document = &snapshot.document;
    let tracked = session.tracked(document.id())?;
    let cursor = convert::byte(document, request.position, session.encoding());
    let is_all = *reach == Reach::AllFiles;
    let other_files =
        if is_all { session.other_snapshots(document.id(), SEARCHED_FILES) } else { Vec::new() };
    Ok(NextEditParams {
        cursor,
        withheld: withheld(session, &snapshot, &recent_edits),
        recent_edits,
        diagnostics: tracked.diagnostics_near(cursor),
        eagerness: snapshot.settings.eagerness(tracked.language_id()),
        is_invoked: request.is_invoked(),
        other_files,
        // Edits that are applied together, without a look at each location, are limited to open files.
        unopened: (is_all && request.limit() == 1).then(|| unopened_files(session, &state.readers)),
        snapshot,
    })
}

/// The files whose edits no model is shown beside this one: those outside the workspace, and those that this file's
/// `privacy.context` or their own leaves out.
fn withheld(session: &Session, snapshot: &Snapshot, edits: &[Arc<RecentEdit>]) -> Vec<DocumentId> {
    let own = snapshot.document.id();
    // A cell has the path of its notebook.
    let path = |id: &DocumentId| convert::path_in(id.as_str());
    let own_path = path(own);
    let is_inside = |path: &Path| session.folders().iter().any(|folder| path.starts_with(folder));
    let is_shown = |other: &DocumentId| {
        let (Some(own_path), Some(path)) = (&own_path, path(other)) else { return false };
        let theirs = session.scoped().of(Some(&path)).privacy.context;
        let is_open = session.tracked(other).is_ok();
        // Outside of a workspace, files of one folder belong together.
        let is_near = match (is_inside(own_path), is_inside(&path)) {
            (false, false) => own_path.parent() == path.parent(),
            (own, other) => own && other,
        };
        let may_be = |scope: ContextScope| match scope {
            ContextScope::File => false,
            ContextScope::Open => is_open,
            ContextScope::Workspace => true,
        };
        let may_see = may_be(snapshot.settings.privacy.context) && may_be(theirs);
        *own_path == path || is_near && may_see
    };
    let mut others: Vec<DocumentId> = edits.iter().map(|edit| edit.document.clone()).collect();
    others.retain(|it| it != own && !is_shown(it));
    others.dedup();
    others
}

/// The input for describing unopened files.
fn unopened_files(session: &Session, readers: &Readers) -> UnopenedFiles {
    let open = session.paths().into_iter().filter_map(|(id, path)| Some((id, path?))).collect();
    let (folders, scoped) = (session.folders().to_vec(), session.scoped().clone());
    let describe = move |path: &Path, language: &str| {
        let settings = Arc::clone(scoped.of(Some(path)));
        if !settings.is_enabled(language) || !settings.next_edit(language) {
            return None;
        }
        let (id, shown) = (DocumentId::new(&convert::file_uri(path)?), convert::shown_file(path, &folders));
        Some(UnopenedFile { id, shown: shown.into(), settings })
    };
    let folders = session.folders().to_vec();
    UnopenedFiles { open, describe: Arc::new(describe), folders, readers: readers.clone() }
}
