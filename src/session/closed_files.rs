//! The access of closed files in which the user has made a recent edit.

use std::collections::HashMap;

use crate::document::DocumentId;
use crate::privacy::{ModelAccess, Verdict};

/// The access of files as it was when they were closed.
///
/// A file that is not in it may not be shown.
#[derive(Debug, Default)]
pub(super) struct ClosedFiles(HashMap<DocumentId, ModelAccess>);

impl ClosedFiles {
    /// Takes in a file that is about to be forgotten. Drops those in which no recent edit was made.
    pub(super) fn push(
        &mut self,
        id: &DocumentId,
        access: ModelAccess,
        is_edited: impl Fn(&DocumentId) -> bool,
    ) {
        self.0.insert(id.clone(), access);
        self.0.retain(|id, _| is_edited(id));
    }

    /// A file was opened, and has an access of its own.
    pub(super) fn remove(&mut self, id: &DocumentId) {
        self.0.remove(id);
    }

    /// Settles an access that was pending when its file was closed. False if that is not known any more.
    pub(super) fn resolve(&mut self, id: &DocumentId, pending: &ModelAccess, verdict: Verdict) -> bool {
        let Some(access) = self.0.get_mut(id).filter(|access| access.is_same(pending)) else { return false };
        *access = access.with_verdict(verdict);
        true
    }

    /// Drops all: the rules that allowed them may have changed, and closed files are not judged anew.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether a model may be shown what was done in a closed file.
    pub(super) fn is_open(&self, id: &DocumentId) -> bool {
        self.0.get(id).is_some_and(ModelAccess::is_open)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
