//! The files that keep a syntax tree: those parsed in the last minute, within a budget.

use std::collections::VecDeque;
use std::time::Instant;

use super::files::Files;
use crate::document::DocumentId;
use crate::session::limits::{TREE_TEXT_BYTES, TREE_TIME, TREES};

/// The files that may have a tree, most recently parsed first, with the time of the parse.
#[derive(Debug, Default)]
pub(super) struct TreeCache(VecDeque<(DocumentId, Instant)>);

impl TreeCache {
    /// Keeps the trees of the most recently parsed files, within [`TREE_TEXT_BYTES`] and for [`TREE_TIME`].
    ///
    /// `newest` moves to the front and always keeps its tree. The other files are parsed again when they are
    /// next used, and so are files that a request parsed without listing them here.
    pub(super) fn keep(&mut self, files: &mut Files, newest: &DocumentId, now: Instant) {
        self.0.retain(|(id, _)| id != newest);
        self.0.push_front((newest.clone(), now));
        let mut bytes = 0;
        let mut seen = 0;
        self.0.retain(|(id, parsed)| {
            let Ok(tracked) = files.tracked_mut(id) else { return false };
            bytes += tracked.bytes_with_tree();
            let is_recent = bytes <= TREE_TEXT_BYTES
                && seen < TREES
                && now.saturating_duration_since(*parsed) < TREE_TIME;
            let keep = tracked.document().keeps_tree() && (seen == 0 || is_recent);
            seen += 1;
            if !keep {
                tracked.drop_tree();
            }
            keep
        });
        for (id, tracked) in files.iter_tracked_mut().filter(|(_, it)| it.bytes_with_tree() > 0) {
            if !self.0.iter().any(|(kept, _)| kept == id) {
                tracked.drop_tree();
            }
        }
    }
}
