//! Which files keep a syntax tree: those parsed last, within a budget.

use std::collections::VecDeque;

use super::files::Files;
use crate::document::DocumentId;
use crate::session::limits::TREE_TEXT_BYTES;

/// The files that may have a tree, the one parsed last first.
#[derive(Debug, Default)]
pub(super) struct TreeCache(VecDeque<DocumentId>);

impl TreeCache {
    /// Keeps the trees of the files parsed last, as far as [`TREE_TEXT_BYTES`] goes.
    ///
    /// `newest` is the first of them. The other files are parsed again when they are next worked on.
    pub(super) fn keep(&mut self, files: &mut Files, newest: &DocumentId) {
        self.0.retain(|id| id != newest);
        self.0.push_front(newest.clone());
        let mut bytes = 0;
        let mut first = true;
        self.0.retain(|id| {
            let Ok(tracked) = files.tracked_mut(id) else { return false };
            bytes += tracked.bytes_with_tree();
            let keep = tracked.document().keeps_tree() && (first || bytes <= TREE_TEXT_BYTES);
            first = false;
            if !keep {
                tracked.drop_tree();
            }
            keep
        });
    }
}
