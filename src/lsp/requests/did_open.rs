//! `textDocument/didOpen`.

use std::sync::Arc;

use crate::document::DocumentId;
use crate::index::Index;
use crate::lsp::access::{self, AccessChecker};
use crate::lsp::editor::Editor;
use crate::lsp::protocol::OpenedDocument;
use crate::lsp::session_lock::SessionLock;
use crate::lsp::{convert, file_report, indexing};
use crate::session::FileInfo;

/// Tracks a file from its whole text.
pub(in crate::lsp) fn did_open(
    session: &SessionLock,
    editor: &Editor,
    checker: &AccessChecker,
    index: &Arc<Index>,
    opened: &OpenedDocument,
) {
    let id = DocumentId::new(&opened.uri);
    // Earlier reports were about an earlier text.
    file_report::forget(editor, &id);
    let path = convert::file_path(&opened.uri);
    let (outcome, check) = {
        let mut session = session.lock();
        let shown = convert::shown_path(&opened.uri, session.folders()).into();
        let check = access::check(&id, path.as_deref(), session.scoped(), session.folders());
        let info = FileInfo { shown, path, access: check.access() };
        (session.open(id.clone(), &opened.language_id, opened.version, &opened.text, info), check)
    };
    checker.finish(&id, check);
    indexing::index_file(session, index, &id);
    file_report::report(editor, session, &id, &outcome);
}
