//! Reports to the user when a file cannot be tracked, once per cause.

use super::editor::Editor;
use super::session_lock::SessionLock;
use crate::document::DocumentId;
use crate::session::SyncOutcome;

/// Reports the outcome of an open or a change, if the user has to know it.
pub(super) fn report(editor: &Editor, session: &SessionLock, id: &DocumentId, outcome: &SyncOutcome) {
    match outcome {
        SyncOutcome::Tracked | SyncOutcome::Ignored => {}
        SyncOutcome::Regained => forget(editor, id),
        SyncOutcome::TooLarge { bytes } => {
            let limit = session.lock().settings().max_file_bytes;
            editor.warn_once(
                &too_large(id),
                format!(
                    "Tandem does not follow {id}: it has {bytes} bytes; raise `max_file_bytes` ({limit}) to work in it"
                ),
            );
        }
        SyncOutcome::OutOfSync(why) => report_out_of_sync(editor, id, &why.to_string()),
        SyncOutcome::NotOpen => editor.log(format!("{id} was changed, but it is not open here")),
    }
}

pub(super) fn report_out_of_sync(editor: &Editor, id: &DocumentId, why: &str) {
    editor.warn_once(
        &out_of_sync(id),
        format!("Tandem lost track of {id} ({why}); close and open the file again to go on with it"),
    );
}

/// Lets the next report on a file be shown again, after it was opened, closed or regained.
pub(super) fn forget(editor: &Editor, id: &DocumentId) {
    for cause in [too_large(id), out_of_sync(id), withheld(id)] {
        editor.forget(&cause);
    }
}

/// The cause key of messages about a withheld file.
pub(super) fn withheld(id: &DocumentId) -> String {
    format!("withheld: {id}")
}

fn too_large(id: &DocumentId) -> String {
    format!("too large: {id}")
}

fn out_of_sync(id: &DocumentId) -> String {
    format!("out of sync: {id}")
}
