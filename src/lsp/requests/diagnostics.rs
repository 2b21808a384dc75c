//! `tandem/diagnostics`: diagnostics of other servers for a document.

use crate::document::DocumentId;
use crate::lsp::limits::DIAGNOSTICS;
use crate::lsp::protocol::{Diagnostic, Diagnostics};
use crate::lsp::state::ServerState;
use crate::lsp::{convert, prepared_fixes};

/// Replaces a document's diagnostics.
///
/// Diagnostics of an earlier version are moved to the current position of their text. Fixes for them are made
/// in the background.
pub(in crate::lsp) fn diagnostics(state: &ServerState, reported: Diagnostics) {
    let id = DocumentId::new(&reported.uri);
    let mut session = state.session.lock();
    let current = {
        let Ok(tracked) = session.tracked(&id) else { return };
        let shown = |uri: &str| convert::shown_path(uri, session.folders());
        let read = |mut from: Diagnostic| {
            from.range = convert::range_now(tracked, reported.version, from.range)?;
            Some(convert::diagnostic(tracked.document(), &from, session.encoding(), shown))
        };
        reported.diagnostics.into_iter().take(DIAGNOSTICS).filter_map(read).collect()
    };
    if let Ok(tracked) = session.tracked_mut(&id) {
        tracked.set_diagnostics(current);
    }
    drop(session);
    state.fixes.schedule(&id);
    prepared_fixes::prepare(&state.session, &id);
}
