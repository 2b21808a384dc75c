//! `textDocument/willSaveWaitUntil`: applies the ready fixes.
//!
//! For users who want fixes before each save.

use crate::document::DocumentId;
use crate::lsp::convert;
use crate::lsp::prepared_fixes::{FixWork, Occasion, replacements};
use crate::lsp::protocol::{OnDocument, TextEdit};
use crate::lsp::session_lock::SessionLock;

/// The edits of the fixes that are ready for the current text.
///
/// Empty if some are not ready, or if they are no longer wanted: a save does not wait, and a partial set would
/// be arbitrary.
pub(in crate::lsp) fn will_save(lock: &SessionLock, saved: &OnDocument) -> Vec<TextEdit> {
    let id = DocumentId::new(&saved.text_document.uri);
    let (document, work, encoding) = {
        let session = lock.lock();
        let Ok(tracked) = session.tracked(&id) else { return Vec::new() };
        if !session.scoped().of(tracked.place()).fix_before_save {
            return Vec::new();
        }
        (tracked.document().clone(), FixWork::of(&session, tracked), session.encoding())
    };
    if !work.is_ready() {
        return Vec::new();
    }
    let edits = work.sets(&document, &[], Occasion::Save).allowed().edits;
    if let Ok(tracked) = lock.lock().tracked_mut(&id) {
        tracked.record_replacements(replacements(&document, &edits).collect());
    }
    convert::text_edits(&document, &edits, encoding)
}
