//! Next edits in a file that is not open, kept with the file whose change leads to them.
//!
//! Only the text on disk is known of such a file. So its edits are only offered as a jump target; when the file
//! is opened with the same text, they become its next edits.

use std::path::PathBuf;
use std::sync::Arc;

use super::queue::NextEdit;
use crate::document::Document;
use crate::session::ghost::Source;
use crate::session::limits::REJECTED_EDITS;

/// Edits in a file that is not open.
#[derive(Debug)]
pub struct UnopenedEdits {
    /// The file.
    pub path: PathBuf,
    /// Its text on disk.
    pub document: Arc<Document>,
    /// The edits, at least one, in display order.
    pub edits: Vec<NextEdit>,
}

/// The edits in an unopened file that a file's last change leads to.
#[derive(Debug, Default)]
pub(in crate::session) struct Unopened {
    pub(in crate::session) offered: Option<UnopenedEdits>,
    /// Rejected edits: the text before, and after.
    rejected: Vec<(String, String)>,
}

impl Unopened {
    /// Replaces the offered edits.
    ///
    /// Returns false if the user has rejected all of them.
    pub(in crate::session) fn offer(&mut self, mut offered: UnopenedEdits) -> bool {
        let is_rejected = |next: &NextEdit| {
            self.rejected.iter().any(|(old, new)| *old == next.old && *new == next.edit.text)
        };
        offered.edits.retain(|next| !is_rejected(next));
        self.offered = (!offered.edits.is_empty()).then_some(offered);
        self.offered.is_some()
    }

    /// The gear and model behind an offered edit.
    pub(in crate::session) fn source(&self, id: u64) -> Option<&Source> {
        let edits = self.offered.iter().flat_map(|it| &it.edits);
        edits.into_iter().find(|next| next.id == id).map(|next| &next.source)
    }

    /// Records that the user rejected an edit, which ends the whole offer. Returns true if it was offered.
    pub(in crate::session) fn reject(&mut self, id: u64) -> bool {
        if self.source(id).is_none() {
            return false;
        }
        let rejected = self.offered.take().into_iter().flat_map(|it| it.edits).find(|next| next.id == id);
        self.rejected.extend(rejected.map(|next| (next.old, next.edit.text)));
        if self.rejected.len() > REJECTED_EDITS {
            self.rejected.remove(0);
        }
        true
    }
}
