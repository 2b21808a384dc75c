//! What the workspaces of one process share of their folders.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread::sleep;
use std::time::Duration;

use super::index::Layer;
use crate::lock::Mutex;

/// How often a walk that waits for another one of the same folder looks whether it is over.
const POLL: Duration = Duration::from_millis(20);

/// The layers of folders, each for as long as a workspace uses it. Cheap to clone; clones are the same.
#[derive(Debug, Clone, Default)]
pub struct SharedIndexes(Arc<Mutex<HashMap<PathBuf, Root>>>);

#[derive(Debug, Default)]
struct Root {
    layer: Weak<Layer>,
    /// Whether a walk goes on. Others wait for it, since they would find the same.
    is_walked: bool,
}

/// The only walk of a folder.
pub(super) struct WalkTurn<'a> {
    all: &'a SharedIndexes,
    root: PathBuf,
}

impl SharedIndexes {
    /// Waits for the end of another walk of this folder; `None` if cancelled meanwhile.
    pub(super) fn turn(&self, root: &Path, cancelled: &(dyn Fn() -> bool + Sync)) -> Option<WalkTurn<'_>> {
        while std::mem::replace(&mut self.0.lock().entry(root.to_owned()).or_default().is_walked, true) {
            if cancelled() {
                return None;
            }
            sleep(POLL);
        }
        Some(WalkTurn { all: self, root: root.to_owned() })
    }
}

impl WalkTurn<'_> {
    /// What an earlier walk has left.
    pub(super) fn layer(&self) -> Option<Arc<Layer>> {
        self.all.0.lock().get(&self.root)?.layer.upgrade()
    }

    /// Leaves a layer for later walks.
    pub(super) fn leave(&self, layer: &Arc<Layer>) {
        if let Some(root) = self.all.0.lock().get_mut(&self.root) {
            root.layer = Arc::downgrade(layer);
        }
    }
}

impl Drop for WalkTurn<'_> {
    fn drop(&mut self) {
        let mut all = self.all.0.lock();
        all.retain(|path, root| *path == self.root || root.is_walked || root.layer.strong_count() > 0);
        if let Some(root) = all.get_mut(&self.root) {
            root.is_walked = false;
        }
    }
}
