//! `textDocument/didSave`.

use std::sync::Arc;

use crate::document::DocumentId;
use crate::index::Index;
use crate::lsp::access::AccessChecker;
use crate::lsp::indexing;
use crate::lsp::session_lock::SessionLock;
use crate::privacy::IGNORE_FILES;

/// Renews the outline and the index of a file.
///
/// After a change of an ignore file, checks the access of all open files.
pub(in crate::lsp) fn did_save(
    session: &SessionLock,
    checker: &AccessChecker,
    index: &Arc<Index>,
    uri: &str,
) {
    let id = DocumentId::new(uri);
    if let Ok(tracked) = session.lock().tracked_mut(&id) {
        tracked.mark_outline_stale();
    }
    indexing::index_file(session, index, &id);
    if IGNORE_FILES.iter().any(|name| uri.rsplit('/').next() == Some(name)) {
        checker.check_all();
    }
}
