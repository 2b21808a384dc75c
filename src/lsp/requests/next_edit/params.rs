//! The input of a search, read from the session at one moment.

use std::path::Path;
use std::sync::Arc;

use super::options::Reach;
use crate::assist::{NextEditParams, UnopenedFile, UnopenedFiles};
use crate::disk::Readers;
use crate::document::DocumentId;
use crate::job::Reason;
use crate::lsp::convert;
use crate::lsp::limits::SEARCHED_FILES;
use crate::lsp::protocol::NextEditRequest;
use crate::lsp::state::ServerState;
use crate::session::Session;
use crate::snapshot::{RecentEdit, Snapshot};

/// The input of a search, in addition to the snapshot and the recent edits.
pub(super) fn params(
    session: &Session,
    state: &Arc<ServerState>,
    request: &NextEditRequest,
    reach: Reach,
    (snapshot, recent_edits): (Snapshot, Vec<Arc<RecentEdit>>),
) -> Result<NextEditParams, Reason> {
    let document = &snapshot.document;
    let tracked = session.tracked(document.id())?;
    let cursor = convert::byte(document, request.position, session.encoding());
    let is_all = reach == Reach::AllFiles;
    let other_files =
        if is_all { session.other_snapshots(document.id(), SEARCHED_FILES) } else { Vec::new() };
    Ok(NextEditParams {
        cursor,
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
