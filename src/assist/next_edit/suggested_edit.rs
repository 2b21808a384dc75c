//! One edit that may be suggested.

use std::sync::Arc;

use super::aligned::aligned;
use crate::document::Document;
use crate::edit::Edit;
use crate::route::Gear;
use crate::snapshot::Rename;

/// One edit that may be suggested.
#[derive(Debug, Clone)]
pub struct SuggestedEdit {
    /// The version of the file that it edits.
    pub document: Arc<Document>,
    /// The edit, in bytes of `document`.
    pub edit: Edit,
    /// The text that it replaces.
    pub old: String,
    /// The gear that made it.
    pub gear: Gear,
    /// Whether it repeats the user's edits in other locations.
    pub repeats: bool,
    /// The rename, if the edit certainly follows from one.
    pub rename: Option<Arc<Rename>>,
}

impl SuggestedEdit {
    pub(super) fn local(document: &Arc<Document>, edit: Edit, rename: Option<&Arc<Rename>>) -> Self {
        let edit = aligned(document, edit);
        let old = document.slice(edit.span.clone());
        Self {
            document: Arc::clone(document),
            old,
            edit,
            gear: Gear::Local,
            repeats: true,
            rename: rename.cloned(),
        }
    }

    /// Whether both edits touch a line of the same file.
    pub(super) fn shares_a_line(&self, other: &Self) -> bool {
        let lines = |it: &Self| it.document.whole_lines(it.edit.span.clone());
        let (own, theirs) = (lines(self), lines(other));
        self.document.id() == other.document.id() && own.start < theirs.end && theirs.start < own.end
    }
}
