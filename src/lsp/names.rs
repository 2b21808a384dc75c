//! Keeps the index of the names that the workspace uses, so that an edit with a made-up one can be told.

use std::path::Path;
use std::sync::Arc;

use super::backend::Shared;
use super::convert;
use crate::document::DocumentId;
use crate::index::walk::{self, walk};
use crate::privacy::Verdict;

/// Takes in the workspace folders, in the background. What was known before is forgotten.
pub(super) fn gather(shared: &Arc<Shared>) {
    let (folders, settings) = {
        let session = shared.session();
        (session.folders().to_vec(), session.scoped().clone())
    };
    let index = Arc::clone(shared.assist().index());
    let number = index.begin();
    if folders.is_empty() {
        return;
    }
    // The walk must not keep alive what it works for.
    let alive = Arc::downgrade(shared);
    let walk = move || {
        let denied = |path: &Path| {
            let shown = path.to_string_lossy().replace('\\', "/");
            settings.of(Some(path)).privacy.gate.verdict(&shown) != Verdict::Open
        };
        let is_over = || alive.strong_count() == 0 || !index.is_current(number);
        let walked = walk(&index, &folders, &denied, &is_over);
        let (files, bytes) = index.size();
        tracing::debug!(?walked, files, bytes, "the workspace's names");
    };
    // A lane of its own, for it takes long: an older walk ends at the next file.
    if let Err(stuck) = shared.readers.start(Path::new("names"), walk) {
        tracing::warn!(%stuck, "the workspace's names are not known");
    }
}

/// Takes in a file as it is in the editor: one that was opened, for it may be new, or saved.
pub(super) fn take_in(shared: &Arc<Shared>, id: &DocumentId) {
    let Some(path) = convert::file_path(id.as_str()).filter(|path| !walk::holds_keys(path)) else { return };
    let (document, clearance) = {
        let session = shared.session();
        if !session.folders().iter().any(|folder| path.starts_with(folder)) {
            return;
        }
        let Ok(tracked) = session.tracked(id) else { return };
        (Arc::clone(tracked.document()), tracked.clearance().clone())
    };
    let Some(grammar) = document.grammar() else { return };
    let index = Arc::clone(shared.assist().index());
    tokio::spawn(async move {
        // Nothing is known of what is private, here either.
        if clearance.verdict().await != Verdict::Open {
            return;
        }
        let put = move || index.put(&path, grammar, &document.text().to_string());
        if let Err(panic) = tokio::task::spawn_blocking(put).await {
            tracing::error!(%panic, "a file's names could not be taken in");
        }
    });
}

/// Forgets a file that was closed, if it is gone: never saved, or deleted.
pub(super) fn let_go(shared: &Arc<Shared>, id: &DocumentId) {
    let Some(path) = convert::file_path(id.as_str()) else { return };
    let index = Arc::clone(shared.assist().index());
    let lane = path.parent().unwrap_or(&path).to_owned();
    let look = move || {
        if !path.exists() {
            index.remove(&path);
        }
    };
    if let Err(stuck) = shared.readers.start(&lane, look) {
        tracing::debug!(%stuck, "whether a closed file is gone is not known");
    }
}
