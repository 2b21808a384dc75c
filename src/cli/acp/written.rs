//! Tracks the files that the turns of a session wrote.

use std::collections::HashMap;
use std::sync::Arc;

use crate::cli::limits::FILE_BYTES;
use crate::disk::{self, Links};
use crate::edit::EditSet;
use crate::edit::edit_set::Revision;
use crate::edit::effect::effects;
use crate::lock::Mutex;
use crate::workspace::Folder;

/// The files that a session wrote, by path below its folder, each with the revision that it left there.
///
/// As long as a file has this revision, it contains no work besides that of the turns. Its guard is held for a
/// single call.
#[derive(Debug, Clone, Default)]
pub(super) struct Written(Arc<Mutex<HashMap<String, Option<Revision>>>>);

impl Written {
    /// Records the files that a change wrote or deleted.
    pub(super) fn remember(&self, set: &EditSet) {
        let effects = effects(set);
        let left = effects.iter().map(|it| {
            let bytes = it.new.as_deref().map(|text| Revision::of_bytes(text.as_bytes()));
            (it.path.to_owned(), bytes)
        });
        self.0.lock().extend(left);
    }

    /// Whether a file is as the session left it. Reads the file.
    pub(super) fn is_as_left(&self, folder: &Folder, path: &str) -> bool {
        let left = self.0.lock().get(path).copied();
        let now = || {
            let bytes = disk::bytes(&folder.place(path), FILE_BYTES, Links::Follow).ok();
            bytes.map(|bytes| Revision::of_bytes(&bytes))
        };
        left.is_some_and(|left| left == now())
    }
}
