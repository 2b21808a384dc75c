//! Has the local engine learn files near an open one from the disk.
//!
//! The engine predicts what the open files repeat. Where few are open, the files near them show as well how names are
//! used in this project.

use std::path::Path;
use std::sync::Arc;

use super::convert::file_uri;
use super::session_lock::SessionLock;
use crate::assist::Assist;
use crate::config::ContextScope;
use crate::disk::{Purpose, Readers};
use crate::document::DocumentId;
use crate::grammar::Grammar;
use crate::workspace::Workspace;

/// Maximum number of files read for one open file.
const MOST_FILES: usize = 32;
/// Larger files (bytes) are mostly data or generated.
const MOST_FILE_BYTES: usize = 100 * 1024;

/// Has files near `id` learned in the background, once the workspace is known.
///
/// Takes locks, so the session must not be locked.
pub(super) fn learn(session: &SessionLock, assist: &Assist, readers: &Readers, id: &DocumentId) {
    let (path, folder, grammar, workspace) = {
        let session = session.lock();
        let Ok(tracked) = session.tracked(id) else { return };
        let Some(path) = tracked.path_on_disk() else { return };
        let Some(folder) = session.folders().iter().find(|folder| path.starts_with(folder)) else { return };
        let Some(grammar) = tracked.document().grammar() else { return };
        if session.settings_of(tracked).privacy.context != ContextScope::Workspace {
            return;
        }
        (path.to_owned(), folder.clone(), grammar, Arc::clone(session.workspace()))
    };
    if !workspace.is_complete() || !assist.take_wish_for_neighbors(id) {
        return;
    }
    let (assist, id) = (assist.clone(), id.clone());
    let read = move || read(&assist, &workspace, grammar, (&id, &path));
    if let Err(stuck) = readers.start(&Purpose::Related.lane(&folder), read) {
        tracing::debug!(%stuck, "no other files are learned");
    }
}

/// Reads the files near an open one, nearest first, until there is no room for more. Blocks on the disk.
fn read(
    assist: &Assist,
    workspace: &Arc<Workspace>,
    grammar: &'static Grammar,
    (id, path): (&DocumentId, &Path),
) {
    let walk = workspace.current_walk();
    for path in workspace.beside(path, grammar, MOST_FILES) {
        let Some(uri) = file_uri(&path) else { continue };
        let text = match workspace.text(&path) {
            Ok(text) if text.len() <= MOST_FILE_BYTES => text,
            Ok(_) => continue,
            Err(why) => {
                tracing::trace!(path = %path.display(), %why, "a file is not learned");
                continue;
            }
        };
        // The rules may have changed since.
        let current = Arc::clone(workspace);
        if !assist.learn_neighbor(id, DocumentId::new(&uri), &text, move || current.is_current(walk)) {
            break;
        }
    }
}
