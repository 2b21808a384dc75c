//! `textDocument/didClose`.

use super::pair;
use crate::assist::Assist;
use crate::disk::Readers;
use crate::document::DocumentId;
use crate::lsp::editor::Editor;
use crate::lsp::session_lock::SessionLock;
use crate::lsp::{file_report, indexing};

/// Forgets a file and stops what runs for it.
pub(in crate::lsp) fn did_close(
    session: &SessionLock,
    editor: &Editor,
    assist: &Assist,
    readers: &Readers,
    uri: &str,
) {
    let id = DocumentId::new(uri);
    let (was_open, had_hints) = {
        let mut session = session.lock();
        let had_hints = pair::count(&session, &id) > 0;
        (session.close(&id), had_hints)
    };
    if had_hints {
        pair::publish(session, editor, &id);
    }
    if !was_open {
        tracing::warn!(uri, "a file was closed that was not open");
    }
    indexing::close_file(session, readers, &id);
    assist.forget(&id);
    file_report::forget(editor, &id);
}
