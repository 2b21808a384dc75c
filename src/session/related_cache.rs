//! Which files keep what was gathered of others for them: those that it was gathered for last.

use std::collections::VecDeque;
use std::sync::Arc;

use super::files::Files;
use crate::document::DocumentId;
use crate::session::limits::RELATED_FILES;
use crate::snapshot::Related;

/// The files that have something of others, the one that it was gathered for last first.
#[derive(Debug, Default)]
pub(super) struct RelatedCache(VecDeque<DocumentId>);

impl RelatedCache {
    /// Keeps what was gathered for a file, and drops what was gathered longest ago.
    pub(super) fn keep(&mut self, files: &mut Files, id: &DocumentId, related: Arc<Related>) {
        let Ok(tracked) = files.tracked_mut(id) else { return };
        tracked.set_related(related);
        self.0.retain(|kept| kept != id && files.tracked_mut(kept).is_ok());
        self.0.push_front(id.clone());
        for dropped in self.0.split_off(RELATED_FILES.min(self.0.len())) {
            if let Ok(tracked) = files.tracked_mut(&dropped) {
                tracked.drop_related();
            }
        }
    }
}
