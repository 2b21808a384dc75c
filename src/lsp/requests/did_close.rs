//! `textDocument/didClose`.

use super::pair;
use crate::document::DocumentId;
use crate::lsp::state::ServerState;
use crate::lsp::{file_report, indexing};

/// Forgets a file and stops its running work.
pub(in crate::lsp) fn did_close(state: &ServerState, id: &DocumentId) {
    let (was_open, had_hints) = {
        let mut session = state.session.lock();
        let had_hints = pair::count(&session, id) > 0;
        (session.close(id), had_hints)
    };
    if had_hints {
        pair::publish(state, id);
    }
    if !was_open {
        tracing::warn!(uri = %id, "a file was closed that was not open");
    }
    indexing::close_file(&state.session, &state.readers, id);
    state.serving.assist().forget(id);
    file_report::forget(&state.editor, id);
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tower_lsp::LspService;

    use crate::lsp::Start;
    use crate::lsp::backend::Backend;

    #[tokio::test]
    async fn a_closed_file_leaves_no_report_behind() {
        let (service, _socket) =
            LspService::build_with_lifecycle_methods(|client| Backend::new(client, Start::default()))
                .finish();
        let backend = service.inner();
        let large = "\n".repeat(backend.state.session.lock().settings().max_file_bytes + 1);
        for (uri, text) in [("file:///a/.env", ""), ("file:///a/large.rs", &large)] {
            let document = json!({ "uri": uri, "languageId": "rust", "version": 1, "text": text });
            backend.did_open(json!({ "textDocument": document })).await;
            assert_eq!(backend.state.editor.remembered(), 1, "{uri}");
            backend.did_close(json!({ "textDocument": { "uri": uri } })).await;
            assert_eq!(backend.state.editor.remembered(), 0, "{uri}");
        }
    }
}
