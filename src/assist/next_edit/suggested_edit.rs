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
    /// The version of a file that it is an edit of.
    pub document: Arc<Document>,
    /// The edit, in bytes of that.
    pub edit: Edit,
    /// The text that it replaces.
    pub old: String,
    /// The gear that made it.
    pub gear: Gear,
    /// Whether it repeats what the user did in other places.
    pub repeats: bool,
    /// What was renamed, if it follows from that for certain.
    pub rename: Option<Arc<Rename>>,
}

impl SuggestedEdit {
    /// An edit of the local engine.
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

    /// Whether a line of the same file is touched by both.
    pub(super) fn shares_a_line(&self, other: &Self) -> bool {
        let lines = |it: &Self| it.document.whole_lines(it.edit.span.clone());
        let (own, theirs) = (lines(self), lines(other));
        self.document.id() == other.document.id() && own.start < theirs.end && theirs.start < own.end
    }
}
