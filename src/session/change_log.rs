//! The last changes of one file.
//!
//! They carry a tree or an edit for an earlier version forward to the current one.

use std::collections::VecDeque;

use crate::document::Splice;
use crate::session::limits::{LOGGED_BYTES, LOGGED_CHANGES};

/// The last changes, each with the revision that it was applied to. Revisions only grow.
#[derive(Debug, Default)]
pub(super) struct ChangeLog {
    changes: VecDeque<(u64, Vec<Splice>)>,
    bytes: usize,
}

impl ChangeLog {
    /// Adds the changes applied to the revision `before`.
    pub(super) fn push(&mut self, before: u64, splices: Vec<Splice>) {
        self.bytes += size(&splices);
        self.changes.push_back((before, splices));
        while self.changes.len() > LOGGED_CHANGES || self.bytes > LOGGED_BYTES {
            let Some((_, oldest)) = self.changes.pop_front() else { break };
            self.bytes -= size(&oldest);
        }
    }

    /// The changes from `revision` to `current`, oldest first.
    ///
    /// Returns `None` if some of them have been dropped.
    pub(super) fn since(&self, revision: u64, current: u64) -> Option<impl Iterator<Item = &Splice>> {
        let first = match self.changes.binary_search_by_key(&revision, |(before, _)| *before) {
            Ok(first) => first,
            Err(_) if revision == current => self.changes.len(),
            Err(_) => return None,
        };
        Some(self.changes.iter().skip(first).flat_map(|(_, splices)| splices))
    }
}

fn size(splices: &[Splice]) -> usize {
    splices.iter().map(|splice| splice.text.len()).sum()
}
