//! Next edits: the queue of one file, and when to search for more.

mod queue;
mod unopened;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Instant;

use super::change_log::ChangeLog;
use crate::document::Document;
use crate::edit::{Edit, rebase};
pub use queue::NextEdit;
pub(super) use queue::NextEditQueue;
pub(super) use unopened::Unopened;
pub use unopened::UnopenedEdits;

/// The next edits of one file, with the file's current version.
#[derive(Debug)]
pub struct NextEdits<'a> {
    document: &'a Arc<Document>,
    changes: &'a ChangeLog,
    queue: &'a mut NextEditQueue,
}

impl Deref for NextEdits<'_> {
    type Target = NextEditQueue;

    fn deref(&self) -> &NextEditQueue {
        self.queue
    }
}

impl DerefMut for NextEdits<'_> {
    fn deref_mut(&mut self) -> &mut NextEditQueue {
        self.queue
    }
}

impl<'a> NextEdits<'a> {
    pub(super) fn new(
        document: &'a Arc<Document>,
        changes: &'a ChangeLog,
        queue: &'a mut NextEditQueue,
    ) -> Self {
        Self { document, changes, queue }
    }

    /// Replaces the queued edits by edits made for `document`, or appends to them if `append`.
    ///
    /// The edits are rebased over the changes since. Edits that conflict with these changes, or that the user
    /// rejected before, are dropped.
    pub fn queue(&mut self, document: &Document, edits: Vec<NextEdit>, append: bool) {
        let Some(since) = self.changes.since(document.revision(), self.document.revision()) else { return };
        let typed: Vec<Edit> = since.map(Edit::from).collect();
        let rebased = edits.into_iter().filter_map(|mut next| {
            next.edit = rebase::over_all(vec![next.edit], typed.chunks(1)).ok()?.pop()?;
            Some(next)
        });
        if !append {
            self.queue.clear();
        }
        for next in rebased {
            self.queue.add(next);
        }
    }

    /// Records that a search in `document` begins.
    ///
    /// Returns false if `document` is outdated, so that the search is not needed.
    pub fn begin_search(&mut self, document: &Document, now: Instant) -> bool {
        let is_current = self.document.revision() == document.revision();
        if is_current {
            self.queue.searched = Some(now);
        }
        is_current
    }
}
