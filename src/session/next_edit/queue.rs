//! The queue of one file's next edits, including those shown and rejected before.
//!
//! Every change to the file rebases all of them. A change at the position of an edit drops it, unless the
//! change is the beginning of that edit.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::AbortHandle;

use crate::document::{Document, DocumentId, Splice};
use crate::edit::{Edit, rebase};
use crate::session::ghost::Source;
use crate::session::limits::{DRIFTING_CHANGES, PAST_EDITS, REJECTED_EDITS, SEARCH_INTERVAL};
use crate::session::running::RunningWork;
use crate::snapshot::Rename;

/// An edit that is, or may be, suggested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextEdit {
    /// The number under which the editor reports the user's reaction.
    pub id: u64,
    /// The edit (bytes of the current text).
    pub edit: Edit,
    /// The text that it replaces.
    pub old: String,
    /// Whether it repeats, at one more location, a change that the user made elsewhere.
    pub repeats: bool,
    /// The rename that it certainly follows from, if any.
    pub rename: Option<Arc<Rename>>,
    /// The gear and model that made it.
    pub source: Source,
}

/// The next edits of one file.
#[derive(Debug, Default)]
pub struct NextEditQueue {
    /// In display order.
    pub(in crate::session) queued: VecDeque<NextEdit>,
    past: VecDeque<NextEdit>,
    rejected: VecDeque<RejectedEdit>,
    /// The number of changes since the last one that led towards a queued edit.
    drift: usize,
    /// The revision in which a search found nothing, and the line of the cursor.
    nothing: Option<(u64, usize)>,
    /// When the last search began.
    pub(super) searched: Option<Instant>,
    /// The running search.
    search: Option<RunningWork>,
    /// The file that edits in this one lead to.
    pub(in crate::session) other_file: Option<DocumentId>,
}

#[derive(Debug)]
struct RejectedEdit {
    next: NextEdit,
    /// Its current position, while that is known.
    at: Option<Range<usize>>,
}

impl NextEditQueue {
    /// Rebases everything over a change.
    pub(in crate::session) fn advance(&mut self, splice: &Splice) {
        let typed = Edit::from(splice);
        let mut leads_to_one = false;
        let past = &mut self.past;
        self.queued.retain_mut(|next| {
            match rebase::over(std::slice::from_ref(&next.edit), std::slice::from_ref(&typed)) {
                Ok(mut rest) => match rest.pop() {
                    Some(edit) => {
                        if edit.text.len() < next.edit.text.len() {
                            leads_to_one = true;
                            next.old.clear();
                        }
                        next.edit = edit;
                        true
                    }
                    None => {
                        leads_to_one = true;
                        remember(past, next.clone(), PAST_EDITS);
                        false
                    }
                },
                Err(_) => {
                    remember(past, next.clone(), PAST_EDITS);
                    false
                }
            }
        });
        if !leads_to_one && !splice.text.contains('\n') {
            // Repetitions are searched again with the new text of the edit: a word may be half typed. A line
            // break is not part of a word, and a new search would start from it.
            self.queued.retain(|next| {
                if next.repeats {
                    // Another server may perform its rename, which counts as accepting it.
                    remember(past, next.clone(), PAST_EDITS);
                }
                !next.repeats
            });
        }
        for rejected in &mut self.rejected {
            rejected.at = rejected.at.take().and_then(|at| moved(at, splice));
        }
        self.drift = if leads_to_one { 0 } else { self.drift + 1 };
        if self.drift > DRIFTING_CHANGES {
            self.clear();
        }
    }

    /// Appends an edit.
    ///
    /// Returns false if the user rejected it before, or if it overlaps a queued edit.
    pub(in crate::session) fn add(&mut self, next: NextEdit) -> bool {
        if self.is_rejected(&next) || self.queued.iter().any(|other| overlap(other, &next)) {
            return false;
        }
        self.drift = 0;
        self.nothing = None;
        self.queued.push_back(next);
        true
    }

    /// The gear and model behind an edit, while it is known.
    pub(in crate::session) fn source(&self, id: u64) -> Option<&Source> {
        self.queued.iter().chain(&self.past).find(|next| next.id == id).map(|next| &next.source)
    }

    /// Drops the queued edits.
    pub fn clear(&mut self) {
        for next in self.queued.drain(..) {
            remember(&mut self.past, next, PAST_EDITS);
        }
        self.drift = 0;
    }

    /// Records that the user accepted an edit. Returns true if it is known.
    pub(in crate::session) fn accept(&mut self, id: u64) -> bool {
        self.take(id).is_some()
    }

    /// Records that the user rejected an edit. Returns true if it is known.
    ///
    /// The other queued edits are dropped, too.
    pub(in crate::session) fn reject(&mut self, id: u64) -> bool {
        let Some(next) = self.take(id) else { return false };
        self.clear();
        let at = Some(next.edit.span.clone());
        remember(&mut self.rejected, RejectedEdit { next, at }, REJECTED_EDITS);
        true
    }

    /// Puts the last rejected edit back at the front of the queue.
    ///
    /// Returns false if there is none, or if the text at its position has changed.
    pub fn restore_rejected(&mut self) -> bool {
        let Some(RejectedEdit { mut next, at: Some(at) }) = self.rejected.pop_back() else { return false };
        next.edit.span = at;
        self.queued.retain(|other| !overlap(other, &next));
        self.queued.push_front(next);
        self.drift = 0;
        true
    }

    /// Records that edits in this file lead to edits in `other`.
    ///
    /// The next change to this file ends that.
    pub fn lead_to(&mut self, other: &DocumentId) {
        self.other_file = Some(other.clone());
    }

    /// Registers a search that is due, and stops the previous one.
    ///
    /// Returns how long the search must wait, since searches keep a minimum interval.
    pub fn replace_search(&mut self, search: AbortHandle, now: Instant) -> Duration {
        self.search = Some(search.into());
        self.searched.map_or(Duration::ZERO, |at| (at + SEARCH_INTERVAL).saturating_duration_since(now))
    }

    /// Records that a search in `document` found nothing with the cursor on this line.
    pub fn note_nothing(&mut self, document: &Document, line: usize) {
        self.nothing = Some((document.revision(), line));
    }

    /// Whether a search in `document` with the cursor on this line found nothing.
    pub fn found_nothing(&self, document: &Document, line: usize) -> bool {
        self.nothing == Some((document.revision(), line))
    }

    /// Whether the user rejected this edit.
    ///
    /// Matches the same text at the same position, or a rejected repetition anywhere.
    fn is_rejected(&self, next: &NextEdit) -> bool {
        self.rejected.iter().any(|rejected| {
            let NextEdit { old, edit: Edit { text: new, .. }, repeats, .. } = &rejected.next;
            let is_same = *old == next.old && *new == next.edit.text;
            let is_there = rejected
                .at
                .as_ref()
                .is_some_and(|at| at.start <= next.edit.span.end && next.edit.span.start <= at.end);
            // To the user, two edits with the same new text at the same position are one, wherever they begin.
            (is_same && *repeats) || (is_there && (is_same || new.trim() == next.edit.text.trim()))
        })
    }

    fn take(&mut self, id: u64) -> Option<NextEdit> {
        let find = |edits: &mut VecDeque<NextEdit>| {
            let at = edits.iter().position(|next| next.id == id)?;
            edits.remove(at)
        };
        find(&mut self.queued).or_else(|| find(&mut self.past))
    }
}

/// Whether two edits of one text conflict.
fn overlap(a: &NextEdit, b: &NextEdit) -> bool {
    a.edit.span.start <= b.edit.span.end && b.edit.span.start <= a.edit.span.end
}

/// A range after a change; `None` if its inside changed.
fn moved(at: Range<usize>, splice: &Splice) -> Option<Range<usize>> {
    if splice.span.end <= at.start {
        let start = at.start - splice.span.len() + splice.text.len();
        return Some(start..start + at.len());
    }
    (splice.span.start >= at.end).then_some(at)
}

fn remember<T>(list: &mut VecDeque<T>, it: T, most: usize) {
    list.push_back(it);
    if list.len() > most {
        list.pop_front();
    }
}

#[cfg(test)]
mod tests;
