//! `textDocument/didOpen`.

use crate::assist::Assist;
use crate::document::DocumentId;
use crate::lsp::access::{self, AccessChecker};
use crate::lsp::background_parse::BackgroundParser;
use crate::lsp::editor::Editor;
use crate::lsp::protocol::OpenedDocument;
use crate::lsp::session_lock::SessionLock;
use crate::lsp::{convert, file_report};
use crate::session::FileInfo;

/// Tracks a file, or a cell of a notebook, from its whole text.
///
/// A cell gets the name of its notebook and the rules for it.
pub(in crate::lsp) fn did_open(
    session: &SessionLock,
    editor: &Editor,
    checker: &AccessChecker,
    parser: &BackgroundParser,
    assist: &Assist,
    opened: &OpenedDocument,
    notebook: Option<&str>,
) {
    let id = DocumentId::new(&opened.uri);
    // Earlier reports were about a previous text.
    file_report::forget(editor, &id);
    let place = notebook.unwrap_or(&opened.uri);
    let path = convert::path_in(place);
    let (outcome, check) = {
        let mut session = session.lock();
        let shown = convert::shown_path(place, session.folders()).into();
        let check = access::check(&id, path.as_deref(), session.scoped(), session.folders());
        let info = FileInfo { shown, path, access: check.access(), notebook: notebook.map(DocumentId::new) };
        let version = opened.version.unwrap_or_default();
        (session.open(id.clone(), &opened.language_id, version, &opened.text, info), check)
    };
    checker.finish(&id, check);
    parser.open(&id);
    learn(session, assist, &id);
    file_report::report(editor, session, &id, &outcome);
}

/// Trains the local engine on the file in the background.
fn learn(session: &SessionLock, assist: &Assist, id: &DocumentId) {
    let Ok(snapshot) = session.lock().snapshot(id) else { return };
    let assist = assist.clone();
    tokio::spawn(async move { assist.opened(&snapshot).await });
}
