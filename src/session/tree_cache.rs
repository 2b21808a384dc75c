//! Which files keep a syntax tree: those parsed last, within a budget.

use std::collections::VecDeque;

use super::files::Files;
use crate::document::DocumentId;

/// Bytes of text of all the files that keep a tree; the newest one always may.
///
/// People work on a few files at a time and leave many open; a tree takes some 27 bytes for each of these.
pub(super) const TREE_BUDGET: usize = 96 * 1024;

/// The files that may have a tree, the one parsed last first.
#[derive(Debug, Default)]
pub(super) struct TreeCache(VecDeque<DocumentId>);

impl TreeCache {
    /// Keeps the trees of the files parsed last, as far as [`TREE_BUDGET`] goes.
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
            let keep = tracked.document().keeps_tree() && (first || bytes <= TREE_BUDGET);
            first = false;
            if !keep {
                tracked.drop_tree();
            }
            keep
        });
    }
}
