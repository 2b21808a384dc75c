//! What was gathered of other files: by which rules, and for which files it is kept.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Session;
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

impl Session {
    /// Forgets what was gathered of other files: the rules that allowed it may have changed.
    pub fn forget_related(&mut self) {
        self.related.generation += 1;
        for (_, tracked) in self.files.iter_tracked_mut() {
            tracked.drop_related();
        }
    }

    /// The number of times that what was gathered of other files was forgotten.
    pub fn related_generation(&self) -> u64 {
        self.related.generation
    }

    /// Keeps what was gathered of other files for a file, and drops what was gathered longest ago.
    ///
    /// It is dropped, too, if all was [forgotten](Self::forget_related) since it was begun.
    pub fn keep_related(&mut self, id: &DocumentId, generation: u64, related: Arc<Related>) {
        if generation != self.related.generation {
            return;
        }
        let Ok(tracked) = self.files.tracked_mut(id) else { return };
        tracked.set_related(related);
        let kept = &mut self.related.kept;
        kept.retain(|kept| kept != id && self.files.tracked(kept).is_ok());
        kept.push_front(id.clone());
        for dropped in kept.split_off(RELATED_FILES.min(kept.len())) {
            if let Ok(tracked) = self.files.tracked_mut(&dropped) {
                tracked.drop_related();
            }
        }
    }

    /// The open files that keep what is gathered for them now if it is gathered in this order: those that were
    /// edited last.
    pub fn files_with_related(&self) -> Vec<DocumentId> {
        let mut files: Vec<_> = self.files.iter_tracked().collect();
        files.sort_by_key(|(_, tracked)| tracked.last_edit().at);
        let first = files.len().saturating_sub(RELATED_FILES);
        files[first..].iter().map(|(id, _)| (*id).clone()).collect()
    }
}
