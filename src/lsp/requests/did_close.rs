//! `textDocument/didClose`.

use crate::assist::Assist;
use crate::disk::Readers;
use crate::document::DocumentId;
use crate::lsp::indexing;
use crate::lsp::session_lock::SessionLock;

/// Forgets a file and stops what runs for it.
pub(in crate::lsp) fn did_close(session: &SessionLock, assist: &Assist, readers: &Readers, uri: &str) {
    let id = DocumentId::new(uri);
    let was_open = session.lock().close(&id);
    if !was_open {
        tracing::warn!(uri, "a file was closed that was not open");
    }
    indexing::close_file(session, readers, &id);
    assist.closed(&id);
}
