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
use crate::workspace::Workspace;

/// Maximum number of files read for one open file.
const MOST_FILES: usize = 32;
/// Larger files (bytes) are mostly data or generated.
const MOST_FILE_BYTES: usize = 100 * 1024;

/// Has files near `id` learned in the background, once the workspace is known.
///
/// Takes locks, so the session must not be locked.
pub(super) fn learn(session: &SessionLock, assist: &Assist, readers: &Readers, id: &DocumentId) {
    let (path, folder, grammar, workspace, walk) = {
        let session = session.lock();
        let Ok(tracked) = session.tracked(id) else { return };
        let Some(path) = tracked.path_on_disk() else { return };
        let Some(folder) = session.folders().iter().find(|folder| path.starts_with(folder)) else { return };
        let Some(grammar) = tracked.document().grammar() else { return };
        if session.settings_of(tracked).privacy.context != ContextScope::Workspace {
            return;
        }
        let workspace = Arc::clone(session.workspace());
        // Taken with the settings: each change of the rules begins another walk.
        let walk = workspace.current_walk();
        (path.to_owned(), folder.clone(), grammar, workspace, walk)
    };
    if !workspace.is_complete() || !assist.take_wish_for_neighbors(id) {
        return;
    }
    let (assist, id) = (assist.clone(), id.clone());
    let learn_all = move || {
        for path in workspace.beside(&path, grammar, MOST_FILES) {
            let Some(uri) = file_uri(&path) else { continue };
            let current = Arc::clone(&workspace);
            let is_allowed = move || current.is_current(walk);
            if !assist.learn_neighbor(&id, DocumentId::new(&uri), || read(&workspace, &path), is_allowed) {
                break;
            }
        }
    };
    if let Err(stuck) = readers.start(&Purpose::Related.lane(&folder), learn_all) {
        tracing::debug!(%stuck, "no other files are learned");
    }
}

/// The text of a file, unless it is too large or cannot be read. Blocks on the disk.
fn read(workspace: &Workspace, path: &Path) -> Option<String> {
    match workspace.text(path) {
        Ok(text) => Some(text).filter(|text| text.len() <= MOST_FILE_BYTES),
        Err(why) => {
            tracing::trace!(path = %path.display(), %why, "a file is not learned");
            None
        }
    }
}
