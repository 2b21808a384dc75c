//! Which files a model may be shown.

use std::sync::Arc;

use super::Session;
use crate::document::DocumentId;
use crate::privacy::{ModelAccess, Verdict};
use crate::snapshot::RecentEdit;

impl Session {
    /// The model access of an open file.
    pub fn access(&self, id: &DocumentId) -> Option<&ModelAccess> {
        Some(&self.files.by_id.get(id)?.info().access)
    }

    /// Replaces the access of an open file and revokes the previous one.
    pub fn set_access(&mut self, id: &DocumentId, access: ModelAccess) {
        let Some(file) = self.files.by_id.get_mut(id) else { return };
        let is_shown = access.is_open();
        let before = std::mem::replace(&mut file.info_mut().access, access);
        before.revoke();
        // Nothing was gathered from a file that could not be shown before.
        if before.is_open() && !is_shown {
            self.forget_related();
        }
    }

    /// Sets the verdict of a pending access.
    ///
    /// Returns false if the access was replaced meanwhile, for example because the rules changed.
    pub fn resolve_access(&mut self, id: &DocumentId, pending: &ModelAccess, verdict: Verdict) -> bool {
        let Some(file) = self.files.by_id.get_mut(id) else {
            return self.closed.resolve(id, pending, verdict);
        };
        let access = &mut file.info_mut().access;
        let is_current = access.is_same(pending);
        if is_current {
            *access = access.with_verdict(verdict);
        }
        is_current
    }

    /// Drops all verdicts of closed files and the gathered context, after the rules have changed.
    ///
    /// The caller must [re-evaluate](Self::set_access) the open files.
    pub fn forget_verdicts(&mut self) {
        self.closed.clear();
        self.forget_related();
    }

    /// The user's last edits, oldest first.
    ///
    /// Includes edits in the file `id` and in other files that a model may be shown.
    pub fn recent_edits(&self, id: &DocumentId) -> Vec<Arc<RecentEdit>> {
        let is_shown = |other: &DocumentId| match self.access(other) {
            Some(access) => other == id || access.is_open(),
            None => self.closed.is_open(other),
        };
        self.recent_edits.all().into_iter().filter(|edit| is_shown(&edit.document)).collect()
    }
}
