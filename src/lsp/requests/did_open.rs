//! `textDocument/didOpen`.

use crate::document::DocumentId;
use crate::lsp::protocol::OpenedDocument;
use crate::lsp::state::ServerState;
use crate::lsp::{access, convert, file_report};
use crate::session::FileInfo;

/// Tracks a file, or a cell of a notebook, from its whole text.
///
/// A cell gets the name of its notebook and the rules for it.
pub(in crate::lsp) fn did_open(state: &ServerState, opened: &OpenedDocument, notebook: Option<&str>) {
    let id = DocumentId::new(&opened.uri);
    // Earlier reports were about a previous text.
    file_report::forget(&state.editor, &id);
    let place = notebook.unwrap_or(&opened.uri);
    let path = convert::path_in(place);
    let (outcome, check) = {
        let mut session = state.session.lock();
        let shown = convert::shown_path(place, session.folders()).into();
        let check = access::check(&id, path.as_deref(), session.scoped(), session.folders());
        let info =
            FileInfo { shown, path, access: check.access.clone(), notebook: notebook.map(DocumentId::new) };
        let version = opened.version.unwrap_or_default();
        (session.open(id.clone(), &opened.language_id, version, &opened.text, info), check)
    };
    state.access.finish(&id, check);
    state.parser.open(&id);
    learn(state, &id);
    file_report::report(&state.editor, &state.session, &id, &outcome);
}

/// Trains the local engine on the file in the background.
fn learn(state: &ServerState, id: &DocumentId) {
    let Ok(snapshot) = state.session.lock().snapshot(id) else { return };
    let assist = state.serving.assist();
    tokio::spawn(async move { assist.opened(&snapshot).await });
}
