//! Next edits: the queue of one file, and when to search for more.

mod queue;
mod unopened;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::AbortHandle;

use super::change_log::ChangeLog;
use crate::document::{Document, DocumentId};
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
        let typed: Vec<Edit> =
            since.map(|splice| Edit::new(splice.span.clone(), splice.text.clone())).collect();
        let rebased = edits.into_iter().filter_map(|mut next| {
            for typed in &typed {
                next.edit = rebase::over(&[next.edit], std::slice::from_ref(typed)).ok()?.pop()?;
            }
            Some(next)
        });
        if !append {
            self.queue.clear();
        }
        for next in rebased {
            self.queue.add(next);
        }
    }

    /// Drops the queued edits.
    pub fn clear(&mut self) {
        self.queue.clear();
    }

    /// Queues the last rejected edit again.
    ///
    /// Returns false if there is none, or if the text at its position has changed.
    pub fn restore_rejected(&mut self) -> bool {
        self.queue.restore_rejected()
    }

    /// Records that edits in this file lead to edits in `other`.
    ///
    /// The next change to this file ends that.
    pub fn lead_to(&mut self, other: &DocumentId) {
        self.queue.lead_to(Some(other.clone()));
    }

    pub(super) fn take_other_file(&mut self) -> Option<DocumentId> {
        self.queue.lead_to(None)
    }

    /// Records that a search in `document` found nothing with the cursor on this line.
    pub fn note_nothing(&mut self, document: &Document, line: usize) {
        self.queue.note_nothing(document.revision(), line);
    }

    /// Whether a search in `document` with the cursor on this line found nothing.
    pub fn found_nothing(&self, document: &Document, line: usize) -> bool {
        self.queue.found_nothing(document.revision(), line)
    }

    /// Registers a search that is due, and stops the previous one.
    ///
    /// Returns how long the search must wait, since searches keep a minimum interval.
    pub fn replace_search(&mut self, search: AbortHandle, now: Instant) -> Duration {
        self.queue.replace_search(search, now)
    }

    /// Records that a search in `document` begins.
    ///
    /// Returns false if `document` is outdated, so that the search is not needed.
    pub fn begin_search(&mut self, document: &Document, now: Instant) -> bool {
        let is_current = self.document.revision() == document.revision();
        if is_current {
            self.queue.note_search(now);
        }
        is_current
    }

    pub(super) fn accept(&mut self, id: u64) -> bool {
        self.queue.accept(id)
    }

    pub(super) fn reject(&mut self, id: u64) -> bool {
        self.queue.reject(id)
    }
}
