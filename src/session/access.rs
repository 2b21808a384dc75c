//! Which files a model may be shown: those that are open, and of those that were closed what was done in them.

use std::collections::HashMap;
use std::sync::Arc;

use super::Session;
use crate::document::DocumentId;
use crate::privacy::{ModelAccess, Verdict};
use crate::snapshot::RecentEdit;

/// The access of closed files in which the user has made a recent edit, as it was when they were closed.
pub(super) type ClosedFiles = HashMap<DocumentId, ModelAccess>;

impl Session {
    /// Whether a model may be shown an open file.
    pub fn access(&self, id: &DocumentId) -> Option<&ModelAccess> {
        Some(&self.files.get(id)?.info().access)
    }

    /// Judges an open file anew: the access that it had is revoked.
    pub fn set_access(&mut self, id: &DocumentId, access: ModelAccess) {
        let Some(file) = self.files.get_mut(id) else { return };
        let before = std::mem::replace(&mut file.info_mut().access, access);
        before.revoke();
        let is_closed_to_models = !self.access(id).is_some_and(ModelAccess::is_open);
        // What is still to be judged was gathered from by the same rules as long as these stand.
        if before.is_open() && is_closed_to_models {
            self.forget_related();
        }
    }

    /// Settles an access that was pending.
    ///
    /// False if it was replaced meanwhile, as when rules change.
    pub fn resolve_access(&mut self, id: &DocumentId, pending: &ModelAccess, verdict: Verdict) -> bool {
        let current = match self.files.get_mut(id) {
            Some(file) => Some(&mut file.info_mut().access),
            None => self.closed.get_mut(id),
        };
        let Some(current) = current.filter(|current| current.is_same(pending)) else { return false };
        *current = current.with_verdict(verdict);
        true
    }

    /// The rules have changed: nothing is shown that was allowed by earlier ones, until it is judged anew.
    ///
    /// A closed file is not judged again, so that what was done in it is not shown any more.
    pub fn forget_verdicts(&mut self) {
        self.closed.clear();
        self.forget_related();
    }

    /// The user's last edits, oldest first.
    ///
    /// Those in the file `id`, and in other files that a model may be shown.
    pub fn recent_edits(&self, id: &DocumentId) -> Vec<Arc<RecentEdit>> {
        let access = |other: &DocumentId| self.access(other).or_else(|| self.closed.get(other));
        let is_shown = |other: &DocumentId| other == id || access(other).is_some_and(ModelAccess::is_open);
        self.recent_edits.all().into_iter().filter(|edit| is_shown(&edit.document)).collect()
    }

    /// Revokes the access of a file that is about to be forgotten, and keeps its verdict for the edits in it.
    pub(super) fn close_access(&mut self, id: &DocumentId) {
        if let Some(access) = self.access(id).cloned() {
            access.revoke();
            self.closed.insert(id.clone(), access);
        }
        self.closed.retain(|id, _| self.recent_edits.names(id));
    }
}
