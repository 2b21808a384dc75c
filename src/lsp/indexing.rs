//! Keeps the index of the names that the workspace uses.
//!
//! By it, made-up names in an edit are found.

use std::path::Path;
use std::sync::Arc;

use super::convert;
use super::session_lock::SessionLock;
use crate::disk::Readers;
use crate::document::DocumentId;
use crate::index::Index;
use crate::index::walk::walk;
use crate::privacy::Verdict;

/// Indexes the workspace folders in the background, from an empty index.
pub(super) fn index_workspace(session: &SessionLock, index: &Arc<Index>, readers: &Readers) {
    let (folders, settings) = {
        let session = session.lock();
        (session.folders().to_vec(), session.scoped().clone())
    };
    let index = Arc::clone(index);
    let number = index.begin();
    if folders.is_empty() {
        return;
    }
    // The walk ends with the server.
    let session = session.downgrade();
    let walk = move || {
        let denied = |path: &Path| settings.verdict(path) != Verdict::Open;
        let is_over = || session.is_gone() || !index.is_current(number);
        let walked = walk(&index, &folders, &denied, &is_over);
        let (files, bytes) = index.size();
        tracing::debug!(?walked, files, bytes, "the workspace's names");
    };
    // A lane of its own, since it takes long: an older walk ends at the next file.
    if let Err(stuck) = readers.start(Path::new("names"), walk) {
        tracing::warn!(%stuck, "the workspace's names are not known");
    }
}

/// Indexes a file as it is in the editor: one that was opened, since it may be new, or saved.
pub(super) fn index_file(session: &SessionLock, index: &Arc<Index>, id: &DocumentId) {
    let Some(path) = convert::file_path(id.as_str()) else { return };
    let (document, access) = {
        let session = session.lock();
        if !session.folders().iter().any(|folder| path.starts_with(folder)) {
            return;
        }
        let Ok(tracked) = session.tracked(id) else { return };
        (Arc::clone(tracked.document()), tracked.access().clone())
    };
    let Some(grammar) = document.grammar() else { return };
    let index = Arc::clone(index);
    tokio::spawn(async move {
        // Names of withheld files stay out of the index, too.
        if access.verdict().await != Verdict::Open {
            return;
        }
        let put = move || index.put(&path, grammar, &document.text().to_string());
        if let Err(panic) = tokio::task::spawn_blocking(put).await {
            tracing::error!(%panic, "a file's names could not be taken in");
        }
    });
}

/// Forgets a closed file if it does not exist: it was never saved, or was deleted.
pub(super) fn forget_file(index: &Arc<Index>, readers: &Readers, id: &DocumentId) {
    let Some(path) = convert::file_path(id.as_str()) else { return };
    let index = Arc::clone(index);
    let lane = path.parent().unwrap_or(&path).to_owned();
    let look = move || {
        if !path.exists() {
            index.remove(&path);
        }
    };
    if let Err(stuck) = readers.start(&lane, look) {
        tracing::debug!(%stuck, "whether a closed file is gone is not known");
    }
}
