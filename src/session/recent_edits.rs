//! The user's recent edits, the best predictor of the next edit.
//!
//! Changes that are close in position and time form one edit; a pause or a jump begins the next. A finished
//! edit is plain text. The versions of a file that are held, by the running edit and as known texts, share all
//! but the changed text.

mod applied;
mod known;
mod running;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use ropey::Rope;

use crate::document::{Document, DocumentId, Splice};
use crate::session::limits::{
    CHANGED_LINES_BYTES, EDIT_MERGE_TIME, EDIT_SIDE_BYTES, RECENT_EDITS, UNDO_CHANGES,
};
use crate::snapshot::RecentEdit;
use applied::AppliedChange;
use known::{Direction, KnownText, KnownTexts};
use running::Running;

/// The last edits in all files of a session.
#[derive(Debug, Default)]
pub(super) struct RecentEdits {
    /// Finished edits, oldest first.
    finished: VecDeque<Arc<RecentEdit>>,
    running: Option<Running>,
    /// Earlier texts, each with the edits that led to it.
    known: KnownTexts,
    /// The last changes of one file, used to recognize an undo.
    changes: VecDeque<AppliedChange>,
    changed: Option<DocumentId>,
    /// Whether the last change was an undo or a redo.
    is_undo: bool,
    /// The direction of the last change, if it returned to an earlier text. Such a change is not an edit.
    returned: Option<Direction>,
    /// The expected text of a file once the editor applies the edit that was last made for it.
    made: Option<(DocumentId, Rope)>,
    /// The last change, if it continued the running edit.
    joined: Option<Box<Joined>>,
}

/// A change that was merged into the running edit, and the state before it.
///
/// The editor reports an accepted suggestion after its change; the change must then become a separate edit.
#[derive(Debug)]
struct Joined {
    finished: VecDeque<Arc<RecentEdit>>,
    running: Running,
    text: Rope,
    change: AppliedChange,
}

impl RecentEdits {
    /// Records the changes from `before` to `after`.
    pub(super) fn record(
        &mut self,
        before: &Document,
        after: &Document,
        path: &Arc<str>,
        splices: &[Splice],
        now: Instant,
    ) {
        let id = after.id();
        if self.changed.as_ref() != Some(id) {
            self.changed = Some(id.clone());
            self.changes.clear();
        }
        self.is_undo = false;
        let changed = splices.last().map_or(0, |splice| splice.span.start);
        self.returned = self.recall(before, after, changed, now);
        let mut text = before.text().clone();
        let mut is_typed = true;
        for (number, splice) in splices.iter().enumerate() {
            let is_last = number + 1 == splices.len();
            let next =
                if is_last { after.text().clone() } else { spliced(&text, &splice.span, &splice.text) };
            // An editor may replace whole lines, or the whole text, for one key press.
            let change = AppliedChange::new(&text, splice).narrowed();
            is_typed &= change.is_key();
            if change.old.len().max(change.new.len()) > EDIT_SIDE_BYTES {
                self.changes.clear();
                if self.returned.is_none() {
                    self.end_running();
                    self.remember(id, &text);
                    self.lose_places(id);
                }
            } else if change.old != change.new {
                self.is_undo = self.takes_back(&change);
                let lines = line_bytes(&text, &change.span());
                if self.returned.is_some() {
                    // The edits before this text were restored with it.
                } else if lines.max(lines - change.old.len() + change.new.len()) > CHANGED_LINES_BYTES {
                    self.end_running();
                    self.move_places(id, &change);
                } else {
                    self.extend(id, path, &text, &next, &change, now);
                }
                self.changes.push_back(change);
                if self.changes.len() > UNDO_CHANGES {
                    self.changes.pop_front();
                }
            }
            text = next;
        }
        if self.returned.is_some() {
            self.is_undo = !is_typed;
        }
        // A change that is made again after an undo also leads to an earlier text, but is not a redo.
        if let Some((_, made)) = self.made.take_if(|(document, _)| document == id) {
            self.is_undo &= made != text;
        }
    }

    /// Restores the edits that had led to `after`, if its text is known. Returns the direction of the return.
    fn recall(
        &mut self,
        before: &Document,
        after: &Document,
        changed: usize,
        now: Instant,
    ) -> Option<Direction> {
        let id = after.id();
        let KnownText { mut edits, direction, .. } = self.known.take(id, after.text(), changed)?;
        self.end_running();
        // What is redone or typed once more is made now: the rest of a name that follows belongs to it.
        if let Some(last) = edits.last_mut().filter(|_| direction == Direction::Forth) {
            Arc::make_mut(last).ended = now;
        }
        let (left, others) = self.finished.drain(..).partition(|edit| edit.document == *id);
        self.finished = others;
        self.finished.extend(edits);
        self.finished.make_contiguous().sort_by_key(|edit| edit.ended);
        let over = self.finished.len().saturating_sub(RECENT_EDITS - 1);
        self.finished.drain(..over);
        self.known.remember(KnownText {
            document: id.clone(),
            text: before.text().clone(),
            edits: left.into(),
            direction: match direction {
                Direction::Back => Direction::Forth,
                Direction::Forth => Direction::Back,
            },
        });
        Some(direction)
    }

    /// Remembers a text that is about to be edited, with the edits that led to it.
    fn remember(&mut self, id: &DocumentId, text: &Rope) {
        let own = self.finished.iter().filter(|edit| edit.document == *id);
        self.known.remember(KnownText {
            document: id.clone(),
            text: text.clone(),
            edits: own.cloned().collect(),
            direction: Direction::Back,
        });
    }

    /// Registers an edit made for a file: sorted, disjoint spans of its text, each with its replacement.
    ///
    /// If it is the next change of that file, it does not count as an undo, whatever text it leads to.
    pub(super) fn expect<'c>(
        &mut self,
        before: &Document,
        changes: impl DoubleEndedIterator<Item = (Range<usize>, &'c str)>,
    ) {
        let text = changes.rev().fold(before.text().clone(), |text, (span, new)| spliced(&text, &span, new));
        self.made = Some((before.id().clone(), text));
    }

    /// All edits, oldest first.
    pub(super) fn all(&self) -> Vec<Arc<RecentEdit>> {
        let mut all = self.finished.clone();
        if let Some(running) = &self.running {
            let edit = running.to_edit();
            mark_shown_separately(&mut all, &edit, running);
            all.push_back(Arc::new(edit));
        }
        all.into()
    }

    /// Whether one of the edits was made in this file.
    pub(super) fn has_edit_in(&self, id: &DocumentId) -> bool {
        self.finished.iter().any(|edit| edit.document == *id)
            || self.running.as_ref().is_some_and(|running| running.document == *id)
    }

    /// Whether the last change was an undo or a redo in this file.
    ///
    /// Such a change leads to an earlier text and is more than one key. An accepted suggestion does not count.
    pub(super) fn ends_in_undo(&self, id: &DocumentId) -> bool {
        self.is_undo && self.changed.as_ref() == Some(id)
    }

    /// Whether the last change was a redo in this file, so that the original change's next edits apply again.
    pub(super) fn ends_in_redo(&self, id: &DocumentId) -> bool {
        self.returned == Some(Direction::Forth) && self.changed.as_ref() == Some(id)
    }

    /// Marks the last change in this file as an accepted suggestion: an edit separate from the typing just
    /// before it.
    pub(super) fn mark_accepted(&mut self, id: &DocumentId) {
        self.is_undo &= self.changed.as_ref() != Some(id);
        if self.returned.is_some() && self.changed.as_ref() == Some(id) {
            return;
        }
        if self.running.as_ref().is_some_and(|running| running.document == *id) {
            if let Some(joined) = self.joined.take() {
                let Joined { finished, running, text, change } = *joined;
                let (path, after, now) = match &self.running {
                    Some(whole) => (Arc::clone(&whole.path), whole.after.clone(), whole.last),
                    None => return,
                };
                self.finished = finished;
                self.running = Some(running);
                self.end_running();
                self.extend(id, &path, &text, &after, &change, now);
            }
            if let Some(running) = &mut self.running {
                running.is_accepted = true;
            }
            self.end_running();
        } else if let Some(edit) = self.finished.iter_mut().rev().find(|edit| edit.document == *id) {
            Arc::make_mut(edit).is_accepted = true;
        }
    }

    /// Keeps the edits of a file without their positions, because the file's text is no longer known.
    pub(super) fn forget_places(&mut self, id: &DocumentId) {
        if self.changed.as_ref() == Some(id) {
            self.changes.clear();
        }
        self.known.forget(id);
        if self.running.as_ref().is_some_and(|running| running.document == *id) {
            self.end_running();
        }
        self.lose_places(id);
    }

    fn lose_places(&mut self, id: &DocumentId) {
        for edit in self.finished.iter_mut().filter(|edit| edit.document == *id && edit.at.is_some()) {
            Arc::make_mut(edit).at = None;
        }
    }

    fn extend(
        &mut self,
        id: &DocumentId,
        path: &Arc<str>,
        text: &Rope,
        next: &Rope,
        change: &AppliedChange,
        now: Instant,
    ) {
        let continues_running =
            self.running.as_ref().is_some_and(|running| running.takes(id, text, change, now));
        self.joined = None;
        if !continues_running {
            self.end_running();
        } else if let Some(running) = &self.running {
            self.joined = Some(Box::new(Joined {
                finished: self.finished.clone(),
                running: running.clone(),
                text: text.clone(),
                change: change.clone(),
            }));
        }
        if self.running.is_none() {
            self.remember(id, text);
        }
        let touched = self.move_places(id, change);
        match &mut self.running {
            Some(running) => running.extend(next, change, now),
            None => {
                let continues = touched.filter(|(edit, _)| now.duration_since(edit.ended) <= EDIT_MERGE_TIME);
                if let Some((earlier, _)) = &continues
                    && let Some(edit) = same_as(&mut self.finished, earlier)
                {
                    edit.is_merged = true;
                }
                self.running = Some(Running {
                    document: id.clone(),
                    path: Arc::clone(path),
                    before: text.clone(),
                    old: change.span(),
                    after: next.clone(),
                    new: change.at..change.at + change.new.len(),
                    last: now,
                    is_accepted: false,
                    continues,
                });
            }
        }
        if self.running.as_ref().is_some_and(Running::is_nothing) {
            self.running = None;
        }
    }

    /// Moves the positions of finished edits along with a change.
    ///
    /// Returns the newest edit whose lines the change touches, with its position before the change.
    fn move_places(
        &mut self,
        id: &DocumentId,
        change: &AppliedChange,
    ) -> Option<(Arc<RecentEdit>, Range<usize>)> {
        let span = change.span();
        let mut met = None;
        for edit in self.finished.iter_mut().rev().filter(|edit| edit.document == *id) {
            let Some(at) = edit.at.clone() else { continue };
            if span.end <= at.start && !(span.end == at.start && span.is_empty()) {
                let moved = at.start - span.len() + change.new.len();
                Arc::make_mut(edit).at = Some(moved..moved + at.len());
            } else if span.start < at.end || at == span {
                met = met.or_else(|| Some((Arc::clone(edit), at)));
                Arc::make_mut(edit).at = None;
            }
        }
        met
    }

    fn end_running(&mut self) {
        self.joined = None;
        if let Some(running) = self.running.take() {
            let edit = running.to_edit();
            mark_shown_separately(&mut self.finished, &edit, &running);
            self.finished.push_back(Arc::new(edit));
            if self.finished.len() >= RECENT_EDITS {
                // A formatter may change whitespace in many locations, and accepted edits follow from the last own one.
                let own = self.finished.iter().rposition(|edit| !edit.is_accepted && !edit.is_merged);
                let blank = self.finished.iter().position(|edit| edit.is_blank());
                self.finished.remove(blank.unwrap_or(usize::from(own == Some(0))));
            }
        }
    }

    /// Whether a change is an undo or a redo: it cancels out with some of the changes before it.
    ///
    /// Editors undo and redo in steps of several characters, so a single key never counts: neither the first
    /// character of a deleted word that is typed again, nor the last one, which completes the word.
    fn takes_back(&self, change: &AppliedChange) -> bool {
        if change.is_key() {
            return false;
        }
        let mut net = change.clone();
        for earlier in self.changes.iter().rev() {
            match earlier.then(&net) {
                Some(joined) => net = joined,
                // A change elsewhere only shifts the position.
                None => {
                    if net.at > earlier.at {
                        net.at = net.at - earlier.new.len() + earlier.old.len();
                    }
                    continue;
                }
            }
            if net.old == net.new {
                return true;
            }
        }
        false
    }
}

/// If `edit` mixes an accepted suggestion with typing, marks the edit it continues to be shown separately.
fn mark_shown_separately(finished: &mut VecDeque<Arc<RecentEdit>>, edit: &RecentEdit, running: &Running) {
    if edit.is_mixed
        && let Some((earlier, _)) = &running.continues
        && let Some(earlier) = same_as(finished, earlier)
    {
        earlier.is_shown_separately = true;
    }
}

/// Finds a finished edit by its file and time.
fn same_as<'a>(finished: &'a mut VecDeque<Arc<RecentEdit>>, edit: &RecentEdit) -> Option<&'a mut RecentEdit> {
    let mut finished = finished.iter_mut();
    finished.find(|it| it.document == edit.document && it.ended == edit.ended).map(Arc::make_mut)
}

fn spliced(text: &Rope, span: &Range<usize>, new: &str) -> Rope {
    let mut text = text.clone();
    let first = text.byte_to_char(span.start);
    let last = text.byte_to_char(span.end);
    text.remove(first..last);
    text.insert(first, new);
    text
}

/// The size of the lines that a span touches, in bytes.
fn line_bytes(text: &Rope, span: &Range<usize>) -> usize {
    let after = (text.byte_to_line(span.end) + 1).min(text.len_lines());
    text.line_to_byte(after) - text.line_to_byte(text.byte_to_line(span.start))
}

#[cfg(test)]
mod tests;
