//! Which files a model may be shown.

use std::sync::Arc;

use super::Session;
use crate::document::DocumentId;
use crate::privacy::{ModelAccess, Verdict};
use crate::snapshot::RecentEdit;

impl Session {
    /// Whether a model may be shown an open file.
    pub fn access(&self, id: &DocumentId) -> Option<&ModelAccess> {
        Some(&self.files.get(id)?.info().access)
    }

    /// Judges an open file anew: the access that it had is revoked.
    pub fn set_access(&mut self, id: &DocumentId, access: ModelAccess) {
        let Some(file) = self.files.get_mut(id) else { return };
        let is_shown = access.is_open();
        let before = std::mem::replace(&mut file.info_mut().access, access);
        before.revoke();
        // Of a file that no model could be shown before, nothing was gathered.
        if before.is_open() && !is_shown {
            self.forget_related();
        }
    }

    /// Settles an access that was pending.
    ///
    /// False if it was replaced meanwhile, as when rules change.
    pub fn resolve_access(&mut self, id: &DocumentId, pending: &ModelAccess, verdict: Verdict) -> bool {
        let Some(file) = self.files.get_mut(id) else { return self.closed.resolve(id, pending, verdict) };
        let access = &mut file.info_mut().access;
        let is_current = access.is_same(pending);
        if is_current {
            *access = access.with_verdict(verdict);
        }
        is_current
    }

    /// The rules have changed: what was allowed by earlier ones is not shown any more.
    ///
    /// The open files are to be [judged anew](Self::set_access).
    pub fn forget_verdicts(&mut self) {
        self.closed.clear();
        self.forget_related();
    }

    /// The user's last edits, oldest first.
    ///
    /// Those in the file `id`, and in other files that a model may be shown.
    pub fn recent_edits(&self, id: &DocumentId) -> Vec<Arc<RecentEdit>> {
        let is_shown = |other: &DocumentId| match self.access(other) {
            Some(access) => other == id || access.is_open(),
            None => self.closed.is_open(other),
        };
        self.recent_edits.all().into_iter().filter(|edit| is_shown(&edit.document)).collect()
    }
}
