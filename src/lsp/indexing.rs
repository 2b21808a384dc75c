//! Keeps the workspace index in sync with the files open in the editor.

use std::path::PathBuf;
use std::sync::Arc;

use super::convert;
use super::session_lock::SessionLock;
use crate::background::Background;
use crate::disk::{Purpose, Readers};
use crate::document::DocumentId;
use crate::privacy::Verdict;

/// Indexes files in the background.
///
/// No file waits for the disk of another. Memory holds one tree for indexing, since there is a single thread.
pub(super) fn start(session: &SessionLock, background: &Background, ids: Vec<DocumentId>) {
    for id in ids {
        let (session, background) = (session.clone(), background.clone());
        tokio::spawn(async move { index_file(&session, &background, &id).await });
    }
}

/// Indexes a file as it is in the editor.
///
/// The file was opened, possibly as a new file, or changed.
pub(super) async fn index_file(session: &SessionLock, background: &Background, id: &DocumentId) {
    let Some(path) = convert::file_path(id.as_str()) else { return };
    let (workspace, document, access) = {
        let session = session.lock();
        if !session.folders().iter().any(|folder| path.starts_with(folder)) {
            return;
        }
        let Ok(tracked) = session.tracked(id) else { return };
        (Arc::clone(session.workspace()), Arc::clone(tracked.document()), tracked.access().clone())
    };
    // Withheld files are not indexed either.
    if access.verdict().await != Verdict::Open {
        return;
    }
    let open = move || workspace.open(&path, &document, || access.is_revoked());
    if let Err(panic) = background.run(open).await {
        tracing::error!(%panic, "a file could not be taken in");
    }
}

/// Indexes a closed file as it is on disk, or drops it if it was never saved or was deleted.
///
/// The session has already closed the file, so that no version of it is indexed after this.
pub(super) fn close_file(session: &SessionLock, readers: &Readers, id: &DocumentId) {
    let Some(path) = convert::file_path(id.as_str()) else { return };
    let (workspace, lane) = {
        let session = session.lock();
        let roots = session.folders().iter().filter(|it| path.starts_with(it));
        let root = roots.min_by_key(|it| it.components().count());
        let root = root.map_or_else(|| path.parent().unwrap_or(&path), PathBuf::as_path);
        (Arc::clone(session.workspace()), Purpose::Index.lane(root))
    };
    workspace.close(&path);
    let walk = workspace.current_walk();
    if workspace.symbols(&path).is_none() {
        return;
    }
    if let Err(stuck) = readers.start(&lane, move || workspace.read_again(walk, &path)) {
        tracing::debug!(%stuck, "what a closed file has is not known");
    }
}
