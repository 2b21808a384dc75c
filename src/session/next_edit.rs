//! Next edits: what waits to be shown, in which file, and when to look for more.

mod waiting;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::AbortHandle;

use super::{File, Session, Tracked};
use crate::document::{Document, DocumentId};
use crate::edit::{Edit, rebase};
use crate::privacy::Verdict;
use crate::snapshot::Snapshot;
pub use waiting::NextEdit;
pub(super) use waiting::NextEdits;

/// How long nothing is suggested after a rejection, unless it is asked for.
const COOL_DOWN: Duration = Duration::from_secs(5);

impl Session {
    /// The next edit that waits to be shown in a file.
    pub fn next_edit(&self, id: &DocumentId) -> Option<&NextEdit> {
        self.tracked(id).ok()?.next_edits.first()
    }

    /// The other file that what was done in this one leads to, if an edit waits there.
    pub fn next_edit_elsewhere(&self, id: &DocumentId) -> Option<&DocumentId> {
        let other = self.tracked(id).ok()?.next_edits.elsewhere.as_ref()?;
        self.next_edit(other).map(|_| other)
    }

    /// Notes that what was done in a file leads to another one. That ends with the next change to the first.
    pub fn lead_elsewhere(&mut self, from: &DocumentId, to: &DocumentId) {
        if let Some(tracked) = self.tracked_mut(from) {
            tracked.next_edits.elsewhere = Some(to.clone());
        }
    }

    /// The other files that are followed, the one changed last first, at most so many. None of them is a file that
    /// no model may be shown, for all that is known.
    pub fn elsewhere(&self, id: &DocumentId, most: usize) -> Vec<Snapshot> {
        let mut others: Vec<(&DocumentId, &Tracked)> = self
            .files
            .iter()
            .filter_map(|(other, file)| match file {
                File::Tracked(tracked) if other != id => Some((other, &**tracked)),
                _ => None,
            })
            .collect();
        others.sort_by_key(|(id, tracked)| (std::cmp::Reverse(tracked.last_change().1), id.as_str()));
        let shown = others.into_iter().filter(|(_, tracked)| {
            tracked.clearance().known().is_none_or(|verdict| *verdict == Verdict::Open)
        });
        let snapshots = shown.filter_map(|(id, _)| self.snapshot(id).ok()).map(|snapshot| {
            // A tree that is made in passing is not kept.
            let document = match snapshot.document.tree() {
                Some(_) => snapshot.document,
                None => Arc::new(snapshot.document.without_tree()),
            };
            Snapshot { document, ..snapshot }
        });
        snapshots.take(most).collect()
    }

    /// Puts next edits that were made for `document` in the place of those that wait, or behind them if `more`. They
    /// are carried over what was typed since; those that meet it, and those that the user rejected before, are left out.
    pub fn offer_next_edits(&mut self, document: &Document, edits: Vec<NextEdit>, more: bool) {
        let Some(since) = self.changes_since(document) else { return };
        let Some(tracked) = self.tracked_mut(document.id()) else { return };
        let current = edits.into_iter().filter_map(|mut next| {
            for splice in &since {
                let typed = Edit::new(splice.span.clone(), splice.text.clone());
                next.edit = rebase::over(&[next.edit], &[typed]).ok()?.pop()?;
            }
            Some(next)
        });
        let current: Vec<NextEdit> = current.collect();
        if more {
            for next in current {
                tracked.next_edits.add(next);
            }
        } else {
            tracked.next_edits.replace(current);
        }
    }

    /// Whether the user dismissed a suggestion a moment ago.
    pub fn is_cooling_down(&self, now: Instant) -> bool {
        self.user.mood.since_rejection(now).is_some_and(|since| since < COOL_DOWN)
    }

    /// Notes that nothing is to be suggested for this version, with the cursor on this line.
    pub fn note_no_next_edit(&mut self, document: &Document, line: usize) {
        if let Some(tracked) = self.tracked_mut(document.id()) {
            tracked.next_edits.note_nothing(document.revision(), line);
        }
    }

    /// Whether that was noted.
    pub fn knows_no_next_edit(&self, document: &Document, line: usize) -> bool {
        self.tracked(document.id())
            .is_ok_and(|tracked| tracked.next_edits.knows_nothing(document.revision(), line))
    }

    /// Registers the search for a next edit that is now to be made for a file, and stops the one before it. Gives how
    /// long it has to wait, since another began a moment ago.
    pub fn search(&mut self, id: &DocumentId, job: AbortHandle, now: Instant) -> Duration {
        match self.tracked_mut(id) {
            Some(tracked) => tracked.search(job, now),
            None => {
                job.abort();
                Duration::ZERO
            }
        }
    }

    /// Counts the search as begun. False, and it need not be made, if the file has moved on.
    pub fn begin_search(&mut self, document: &Document, now: Instant) -> bool {
        let tracked = self.tracked_mut(document.id());
        let tracked = tracked.filter(|it| it.document().revision() == document.revision());
        tracked.map(|tracked| tracked.next_edits.note_search(now)).is_some()
    }
}
