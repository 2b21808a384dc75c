//! `textDocument/didSave`.

use crate::document::DocumentId;
use crate::lsp::state::ServerState;
use crate::lsp::{indexing, workspace_walk};
use crate::privacy::IGNORE_FILES;

/// Renews the outline of a file and its entry in the index.
///
/// After a change of an ignore file, checks the access of all open files and walks the workspace again.
pub(in crate::lsp) fn did_save(state: &ServerState, uri: &str) {
    let id = DocumentId::new(uri);
    if let Ok(tracked) = state.session.lock().tracked_mut(&id) {
        tracked.mark_outline_stale();
    }
    indexing::start(&state.session, &state.background, vec![id]);
    if IGNORE_FILES.iter().any(|name| uri.rsplit('/').next() == Some(name)) {
        state.access.check_all();
        workspace_walk::index_workspace(state);
    }
}
