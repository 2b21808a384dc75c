//! What was gathered of other files: by which rules, and for which files it is kept.

use std::collections::VecDeque;
use std::sync::Arc;

use super::files::Files;
use crate::document::DocumentId;
use crate::session::limits::RELATED_FILES;
use crate::snapshot::Related;

/// The files that have something of others.
#[derive(Debug, Default)]
pub(super) struct RelatedCache {
    /// The file that it was gathered for last first.
    kept: VecDeque<DocumentId>,
    /// Raised when what was gathered before must not be shown any more.
    generation: u64,
}

impl RelatedCache {
    /// Drops all that was gathered.
    pub(super) fn forget(&mut self, files: &mut Files) {
        self.generation += 1;
        for (_, tracked) in files.iter_tracked_mut() {
            tracked.drop_related();
        }
    }

    /// How often all was dropped.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Keeps what was gathered for a file, unless all was dropped since it was begun in `generation`.
    ///
    /// Drops what was gathered longest ago.
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

    /// The open files that keep what is gathered for them now if it is gathered in this order: those that were
    /// edited last.
    pub(super) fn files(files: &Files) -> Vec<DocumentId> {
        let mut files: Vec<_> = files.iter_tracked().collect();
        files.sort_by_key(|(_, tracked)| tracked.last_edit().at);
        let first = files.len().saturating_sub(RELATED_FILES);
        files[first..].iter().map(|(id, _)| (*id).clone()).collect()
    }
}
