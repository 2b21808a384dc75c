//! The model access of closed files with recent edits.

use std::collections::HashMap;

use crate::document::DocumentId;
use crate::privacy::{ModelAccess, Verdict};

/// The access that files had when they were closed.
///
/// A file that is not in the map may not be shown.
#[derive(Debug, Default)]
pub(super) struct ClosedFiles(HashMap<DocumentId, ModelAccess>);

impl ClosedFiles {
    /// Adds a file that is being closed. Drops the files without recent edits.
    pub(super) fn push(
        &mut self,
        id: &DocumentId,
        access: ModelAccess,
        is_edited: impl Fn(&DocumentId) -> bool,
    ) {
        self.0.insert(id.clone(), access);
        self.0.retain(|id, _| is_edited(id));
    }

    /// Removes a file that was opened again and has a new access.
    pub(super) fn remove(&mut self, id: &DocumentId) {
        self.0.remove(id);
    }

    /// Sets the verdict of an access that was pending when its file was closed. Returns false if it is unknown.
    pub(super) fn resolve(&mut self, id: &DocumentId, pending: &ModelAccess, verdict: Verdict) -> bool {
        let Some(access) = self.0.get_mut(id).filter(|access| access.is_same(pending)) else { return false };
        *access = access.with_verdict(verdict);
        true
    }

    /// Drops all: the rules that allowed them may have changed, and closed files are not re-evaluated.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether a model may be shown the edits of a closed file.
    pub(super) fn is_open(&self, id: &DocumentId) -> bool {
        self.0.get(id).is_some_and(ModelAccess::is_open)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
