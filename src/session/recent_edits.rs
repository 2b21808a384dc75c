//! The user's recent edits: the best hint at the next one.
//!
//! Changes that are close in place and time make one edit; a pause or a jump begins the next. An edit is
//! plain text once it is over. Only the running one holds versions of its file, which share all but the
//! changed text.

mod applied;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use ropey::Rope;

use crate::document::{Document, DocumentId, Splice};
use crate::session::limits::{
    CHANGED_LINES_BYTES, CONTEXT_LINE_BYTES, CONTEXT_LINES, EDIT_LINES, EDIT_MERGE_TIME, EDIT_PAUSE,
    EDIT_SIDE_BYTES, RECENT_EDITS, UNDO_CHANGES,
};
use crate::snapshot::RecentEdit;
use applied::AppliedChange;

/// The last edits in all files of a session.
#[derive(Debug, Default)]
pub(super) struct RecentEdits {
    /// Those that are over, oldest first.
    finished: VecDeque<Arc<RecentEdit>>,
    running: Option<Running>,
    /// The last changes of one file, by which an undo is recognized.
    changes: VecDeque<AppliedChange>,
    changed: Option<DocumentId>,
    /// Whether the last change was an undo or a redo.
    is_undo: bool,
    /// The text that a file has once the edit is applied that was last made for it.
    made: Option<(DocumentId, Rope)>,
    /// The last change, if it went on with the running edit.
    joined: Option<Box<Joined>>,
}

/// A change that was taken as a part of the running edit, and all that was before it.
///
/// An editor reports after the change that it was an accepted suggestion, which is an edit by itself.
#[derive(Debug)]
struct Joined {
    finished: VecDeque<Arc<RecentEdit>>,
    running: Running,
    text: Rope,
    change: AppliedChange,
}

/// An edit that may go on: the bytes `old` of `before` became the bytes `new` of `after`.
#[derive(Debug, Clone)]
struct Running {
    document: DocumentId,
    path: Arc<str>,
    before: Rope,
    old: Range<usize>,
    after: Rope,
    new: Range<usize>,
    last: Instant,
    is_accepted: bool,
    /// The edit in whose lines this one began, and where these lines are in `before`.
    continues: Option<(Arc<RecentEdit>, Range<usize>)>,
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
        let mut text = before.text().clone();
        for (number, splice) in splices.iter().enumerate() {
            let is_last = number + 1 == splices.len();
            let next =
                if is_last { after.text().clone() } else { spliced(&text, &splice.span, &splice.text) };
            // An editor may replace whole lines, or the whole text, for one key.
            let change = AppliedChange::new(&text, splice).narrowed();
            if change.old.len().max(change.new.len()) > EDIT_SIDE_BYTES {
                self.forget_places(id);
            } else if change.old != change.new {
                self.is_undo = self.takes_back(&change);
                let made = change.at..change.at + change.new.len();
                if line_bytes(&text, &change.span()).max(line_bytes(&next, &made)) > CHANGED_LINES_BYTES {
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
        // What was made again after an undo leads to an earlier text, too, and is no redo.
        if let Some((_, made)) = self.made.take_if(|(document, _)| document == id) {
            self.is_undo &= made != text;
        }
    }

    /// An edit was made for a file: these spans of its text, sorted and disjoint, each with what takes its place.
    ///
    /// If it is the next change of that file, it is no undo, whatever text it leads to.
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
            tell_apart(&mut all, &edit, running);
            all.push_back(Arc::new(edit));
        }
        all.into()
    }

    /// Whether one of the edits was made in this file.
    pub(super) fn names(&self, id: &DocumentId) -> bool {
        self.finished.iter().any(|edit| edit.document == *id)
            || self.running.as_ref().is_some_and(|running| running.document == *id)
    }

    /// Whether the last change was an undo or a redo in this file.
    ///
    /// It led to an earlier text, and was more than one key. An accepted suggestion is neither.
    pub(super) fn ends_in_undo(&self, id: &DocumentId) -> bool {
        self.is_undo && self.changed.as_ref() == Some(id)
    }

    /// Marks the last change in this file as an accepted suggestion: an edit of its own, apart from what the user
    /// typed just before it.
    pub(super) fn mark_accepted(&mut self, id: &DocumentId) {
        self.is_undo &= self.changed.as_ref() != Some(id);
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

    /// The text of a file is no longer known: its edits stay, without their places.
    pub(super) fn forget_places(&mut self, id: &DocumentId) {
        if self.changed.as_ref() == Some(id) {
            self.changes.clear();
        }
        if self.running.as_ref().is_some_and(|running| running.document == *id) {
            self.end_running();
        }
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

    /// Moves the places of finished edits along with a change.
    ///
    /// Returns the newest one whose lines it touches, with the place before the change.
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
            tell_apart(&mut self.finished, &edit, &running);
            self.finished.push_back(Arc::new(edit));
            if self.finished.len() >= RECENT_EDITS {
                self.finished.pop_front();
            }
        }
    }

    /// Whether a change is an undo or a redo: it cancels out with some of those before it.
    ///
    /// Editors undo and redo in steps of several characters, so a single key never is: neither the first
    /// letter of a deleted word that is typed again, nor the last, after which all of it stands again.
    fn takes_back(&self, change: &AppliedChange) -> bool {
        if change.is_key() {
            return false;
        }
        let mut net = change.clone();
        for earlier in self.changes.iter().rev() {
            match earlier.then(&net) {
                Some(joined) => net = joined,
                // Made elsewhere: it only moves the place.
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

impl Running {
    fn takes(&self, id: &DocumentId, text: &Rope, change: &AppliedChange, now: Instant) -> bool {
        if self.document != *id {
            return false;
        }
        let span = change.span();
        let line = |byte: usize| text.byte_to_line(byte);
        let (first, last) = (line(self.new.start), line(self.new.end));
        !self.is_accepted
            && now.duration_since(self.last) <= EDIT_PAUSE
            && line(span.start) <= last + EDIT_LINES
            && line(span.end) + EDIT_LINES >= first
            && self.new.end.max(span.end) - self.new.start.min(span.start) + change.new.len()
                <= EDIT_SIDE_BYTES
    }

    fn extend(&mut self, next: &Rope, change: &AppliedChange, now: Instant) {
        let span = change.span();
        let (start, end) = (self.new.start.min(span.start), self.new.end.max(span.end));
        // The text between the edit and the change is the same on both sides.
        self.old = self.old.start - (self.new.start - start)..self.old.end + (end - self.new.end);
        self.new = start..end - span.len() + change.new.len();
        self.after = next.clone();
        self.last = now;
    }

    fn is_nothing(&self) -> bool {
        self.old.len() == self.new.len()
            && self.before.byte_slice(self.old.clone()) == self.after.byte_slice(self.new.clone())
    }

    fn to_edit(&self) -> RecentEdit {
        let (before, after) = (&self.before, &self.after);
        let line_start = |text: &Rope, byte| text.line_to_byte(text.byte_to_line(byte));
        let lead = self.new.start - line_start(after, self.new.start);
        let (old_start, new_start) = (self.old.start - lead, self.new.start - lead);
        let ends_a_line =
            |text: &Rope, start: usize, end: usize| start == end || line_start(text, end) == end;
        // Both sides end at a line end, and the same text follows.
        let whole =
            ends_a_line(before, old_start, self.old.end) && ends_a_line(after, new_start, self.new.end);
        let tail = if whole {
            0
        } else {
            let next = after.byte_to_line(self.new.end) + 1;
            after.line_to_byte(next.min(after.len_lines())) - self.new.end
        };
        let (mut old_lines, mut new_lines) = (old_start..self.old.end + tail, new_start..self.new.end + tail);
        // A line end typed at the end of a line changes only the next line.
        let (was, is) = (before.byte_slice(old_lines.clone()), after.byte_slice(new_lines.clone()));
        let same: usize =
            was.lines().zip(is.lines()).take_while(|(a, b)| a == b).map(|(line, _)| line.len_bytes()).sum();
        old_lines.start += same;
        new_lines.start += same;
        let new_start = new_lines.start;
        let old = before.byte_slice(old_lines.clone()).to_string();
        let new = after.byte_slice(new_lines.clone()).to_string();
        let with_earlier = self.continues.as_ref().and_then(|(earlier, place)| {
            let both = merge(earlier, place, before, &old_lines, &new).filter(|(old, new)| old != new)?;
            Some((both, old_lines.start.saturating_sub(place.start)))
        });
        let is_mixed = with_earlier.is_some()
            && self
                .continues
                .as_ref()
                .is_some_and(|(earlier, _)| earlier.is_mixed || earlier.is_accepted != self.is_accepted);
        let (merged, offset) = with_earlier.unwrap_or_else(|| ((old.clone(), new.clone()), 0));
        RecentEdit {
            document: self.document.clone(),
            path: Arc::clone(&self.path),
            line: after.byte_to_line(new_start),
            above: above(after, new_start),
            below: below(after, new_lines.end),
            at: Some(new_lines),
            merged,
            offset,
            is_merged: false,
            is_mixed,
            is_told: false,
            old,
            new,
            is_accepted: self.is_accepted,
            ended: self.last,
        }
    }
}

/// Has the edit that `edit` goes on with told by itself if the two are mixed.
fn tell_apart(finished: &mut VecDeque<Arc<RecentEdit>>, edit: &RecentEdit, running: &Running) {
    if edit.is_mixed
        && let Some((earlier, _)) = &running.continues
        && let Some(earlier) = same_as(finished, earlier)
    {
        earlier.is_told = true;
    }
}

/// An edit among those that are over, by its file and its time.
fn same_as<'a>(finished: &'a mut VecDeque<Arc<RecentEdit>>, edit: &RecentEdit) -> Option<&'a mut RecentEdit> {
    let mut finished = finished.iter_mut();
    finished.find(|it| it.document == edit.document && it.ended == edit.ended).map(Arc::make_mut)
}

/// Merges an earlier edit with one that replaced the lines `old` by `new`.
///
/// The earlier one is at `place` in the text `before`.
fn merge(
    earlier: &RecentEdit,
    place: &Range<usize>,
    before: &Rope,
    old: &Range<usize>,
    new: &str,
) -> Option<(String, String)> {
    let text = |span: Range<usize>| before.byte_slice(span).to_string();
    let (first, last) = (old.start..place.start.max(old.start), place.end.min(old.end)..old.end);
    let was = text(first) + &earlier.merged.0 + &text(last);
    let (first, last) = (place.start..old.start.max(place.start), old.end.min(place.end)..place.end);
    let is = text(first) + new + &text(last);
    (was.len().max(is.len()) <= EDIT_SIDE_BYTES).then_some((was, is))
}

fn spliced(text: &Rope, span: &Range<usize>, new: &str) -> Rope {
    let mut text = text.clone();
    let first = text.byte_to_char(span.start);
    let last = text.byte_to_char(span.end);
    text.remove(first..last);
    text.insert(first, new);
    text
}

/// Bytes of the lines that a span touches.
fn line_bytes(text: &Rope, span: &Range<usize>) -> usize {
    let after = (text.byte_to_line(span.end) + 1).min(text.len_lines());
    text.line_to_byte(after) - text.line_to_byte(text.byte_to_line(span.start))
}

fn above(text: &Rope, byte: usize) -> String {
    let line = text.byte_to_line(byte);
    context(text, line.saturating_sub(CONTEXT_LINES)..line)
}

fn below(text: &Rope, byte: usize) -> String {
    let line = text.byte_to_line(byte);
    context(text, line..(line + CONTEXT_LINES).min(text.len_lines()))
}

fn context(text: &Rope, lines: Range<usize>) -> String {
    let shown = lines.map(|line| text.line(line)).filter(|line| line.len_bytes() <= CONTEXT_LINE_BYTES);
    shown.map(|line| line.to_string()).collect()
}

#[cfg(test)]
mod tests;
