//! `textDocument/didChange`.

use tokio::time::Instant;

use super::pair;
use crate::document::DocumentId;
use crate::lsp::protocol::DidChange;
use crate::lsp::state::ServerState;
use crate::lsp::{convert, file_report};
use crate::session::{SyncOutcome, Tracked};

/// Applies the changes and schedules a parse.
pub(in crate::lsp) fn did_change(state: &ServerState, change: DidChange) {
    let id = DocumentId::new(&change.text_document.uri);
    let changes = convert::changes(change.content_changes);
    let (outcome, had_hidden, has_lost_hints) = {
        let mut session = state.session.lock();
        let had_hidden = session.tracked(&id).is_ok_and(Tracked::has_hidden_suggestion);
        let version = change.text_document.version;
        let hints = pair::count(&session, &id);
        let outcome = session.change(&id, version, &changes, Instant::now().into_std());
        (outcome, had_hidden, pair::count(&session, &id) < hints)
    };
    if has_lost_hints {
        pair::publish(state, &id);
    }
    if had_hidden {
        state.status_changed.notify_one();
    }
    if matches!(outcome, SyncOutcome::Tracked | SyncOutcome::Regained) {
        state.parser.schedule(&id);
    }
    file_report::report(&state.editor, &state.session, &id, &outcome);
}

/// Marks a file as out of sync, because a change of it could not be decoded.
pub(in crate::lsp) fn unreadable(state: &ServerState, id: &DocumentId) {
    let was_tracked = state.session.lock().mark_out_of_sync(id);
    if was_tracked {
        file_report::report_out_of_sync(&state.editor, id, "a change could not be read");
    }
}
