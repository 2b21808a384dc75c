//! The cache of context gathered from other files: its generation, and the files that have some.

use std::collections::VecDeque;
use std::sync::Arc;

use super::files::Files;
use crate::document::DocumentId;
use crate::session::limits::RELATED_FILES;
use crate::snapshot::Related;

/// The files that have context from other files.
#[derive(Debug, Default)]
pub(super) struct RelatedCache {
    /// The file that context was gathered for last is first.
    kept: VecDeque<DocumentId>,
    /// Incremented when previously gathered context must not be shown any more.
    pub(super) generation: u64,
}

impl RelatedCache {
    /// Drops all gathered context.
    pub(super) fn forget(&mut self, files: &mut Files) {
        self.generation += 1;
        for (_, tracked) in files.iter_tracked_mut() {
            tracked.drop_related();
        }
    }

    /// Stores the context gathered for a file, unless everything was dropped since `generation`.
    ///
    /// Drops the oldest context beyond the limit.
    pub(super) fn keep(
        &mut self,
        files: &mut Files,
        id: &DocumentId,
        generation: u64,
        related: Arc<Related>,
    ) {
        if generation != self.generation {
            return;
        }
        let Ok(tracked) = files.tracked_mut(id) else { return };
        tracked.set_related(related);
        self.kept.retain(|kept| kept != id && files.tracked(kept).is_ok());
        self.kept.push_front(id.clone());
        for dropped in self.kept.split_off(RELATED_FILES.min(self.kept.len())) {
            if let Ok(tracked) = files.tracked_mut(&dropped) {
                tracked.drop_related();
            }
        }
    }

    /// The most recently edited files, oldest first: after gathering in this order, the cache holds all of
    /// them.
    pub(super) fn files(files: &Files) -> Vec<DocumentId> {
        let mut files: Vec<_> = files.iter_tracked().collect();
        files.sort_by_key(|(_, tracked)| tracked.last_edit.at);
        let first = files.len().saturating_sub(RELATED_FILES);
        files[first..].iter().map(|(id, _)| (*id).clone()).collect()
    }
}
