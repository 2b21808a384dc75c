//! What the user did lately, as steps: the best hint at what comes next.
//!
//! Changes that lie close together in place and time make one step; a pause or a jump begins the next. A step is plain
//! text once it is over. Only the running one holds versions of its file, and these share all but what changed.

mod change;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ropey::Rope;

use crate::document::{Document, DocumentId, Splice};
use crate::snapshot::Step;
use change::Applied;

/// The most steps that are remembered, the running one among them.
const STEPS: usize = 6;
/// Changes that lie further apart than this many lines belong to two steps.
const NEARBY_LINES: usize = 8;
/// Changes that lie further apart than this in time belong to two steps.
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes of one side of a step. What is larger was not typed: a file that was formatted, a branch that was switched.
const STEP_BYTES: usize = 4 * 1024;
/// Bytes of the lines that a change was made in. Longer ones are data: as steps they would hold megabytes.
const LINES_BYTES: usize = 8 * 1024;
/// A step that goes on in the lines of an earlier one is seen as one with it for this long.
const SAME_THOUGHT: Duration = Duration::from_secs(60);
/// Changes looked through for one that an undo takes back.
const UNDOABLE: usize = 64;
/// Lines shown above and below a step.
const CONTEXT_LINES: usize = 2;
/// Bytes of a line of context at most; a longer one is left out.
const CONTEXT_BYTES: usize = 200;

/// The last steps in all files of a session.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Those that are over, oldest first.
    steps: VecDeque<Arc<Step>>,
    running: Option<Running>,
    /// The last changes with what they took away, to know an undo by; of one file.
    changes: VecDeque<Applied>,
    changed: Option<DocumentId>,
    /// Whether the last change brought back what had been there before.
    undone: bool,
}

/// A step that may go on: the bytes `old` of `before` became the bytes `new` of `after`.
#[derive(Debug)]
struct Running {
    document: DocumentId,
    path: Arc<str>,
    before: Rope,
    old: Range<usize>,
    after: Rope,
    new: Range<usize>,
    last: Instant,
    is_accepted: bool,
    /// The step that this one goes on with, if it began in the lines of one, and where these stand in `before`.
    goes_on: Option<(Arc<Step>, Range<usize>)>,
}

impl History {
    /// Takes the changes that made `after` of `before`.
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
        self.undone = false;
        let mut text = before.text().clone();
        for splice in splices {
            let next = spliced(&text, &splice.span, &splice.text);
            // An editor may replace whole lines, or the whole text, for one key.
            let change = Applied::new(&text, splice).narrowed();
            if change.old.len().max(change.new.len()) > STEP_BYTES {
                self.forget_places(id);
            } else if change.old != change.new {
                self.undone = self.takes_back(&change);
                let made = change.at..change.at + change.new.len();
                if line_bytes(&text, &change.span()).max(line_bytes(&next, &made)) > LINES_BYTES {
                    self.end_running();
                    self.move_places(id, &change);
                } else {
                    self.extend(id, path, &text, &next, &change, now);
                }
                self.changes.push_back(change);
                if self.changes.len() > UNDOABLE {
                    self.changes.pop_front();
                }
            }
            text = next;
        }
    }

    /// The steps so far, oldest first.
    pub(super) fn steps(&self) -> Vec<Arc<Step>> {
        let running = self.running.as_ref().map(|running| Arc::new(running.to_step()));
        self.steps.iter().cloned().chain(running).collect()
    }

    /// Whether one of the steps was made in this file.
    pub(super) fn tells_of(&self, id: &DocumentId) -> bool {
        self.steps.iter().any(|step| step.document == *id)
            || self.running.as_ref().is_some_and(|running| running.document == *id)
    }

    /// Whether the last change, which was made to this file, was an undo or a redo: it led to a text that had been
    /// there before, and did more than take back one key.
    pub(super) fn ends_in_undo(&self, id: &DocumentId) -> bool {
        self.undone && self.changed.as_ref() == Some(id)
    }

    /// The step that runs in this file, or ended there last, was a suggestion that the user accepted.
    pub(super) fn accepted(&mut self, id: &DocumentId) {
        if let Some(running) = self.running.as_mut().filter(|running| running.document == *id) {
            running.is_accepted = true;
            self.end_running();
        } else if let Some(step) = self.steps.iter_mut().rev().find(|step| step.document == *id) {
            Arc::make_mut(step).is_accepted = true;
        }
    }

    /// The text of a file is no longer known: its steps stay as a story, without places.
    pub(super) fn forget_places(&mut self, id: &DocumentId) {
        if self.changed.as_ref() == Some(id) {
            self.changes.clear();
        }
        if self.running.as_ref().is_some_and(|running| running.document == *id) {
            self.end_running();
        }
        for step in self.steps.iter_mut().filter(|step| step.document == *id && step.at.is_some()) {
            Arc::make_mut(step).at = None;
        }
    }

    fn extend(
        &mut self,
        id: &DocumentId,
        path: &Arc<str>,
        text: &Rope,
        next: &Rope,
        change: &Applied,
        now: Instant,
    ) {
        let goes_on = self.running.as_ref().is_some_and(|running| running.takes(id, text, change, now));
        if !goes_on {
            self.end_running();
        }
        let goes_on_with = self.move_places(id, change);
        match &mut self.running {
            Some(running) => running.extend(next, change, now),
            None => {
                let goes_on = goes_on_with.filter(|(step, _)| now.duration_since(step.ended) <= SAME_THOUGHT);
                if let Some((earlier, _)) = &goes_on
                    && let Some(step) = self
                        .steps
                        .iter_mut()
                        .find(|step| step.document == earlier.document && step.ended == earlier.ended)
                {
                    Arc::make_mut(step).is_part = true;
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
                    goes_on,
                });
            }
        }
        if self.running.as_ref().is_some_and(Running::is_nothing) {
            self.running = None;
        }
    }

    /// Carries the places of the steps that are over across a change; gives the newest one whose lines it meets, with
    /// its place before the change.
    fn move_places(&mut self, id: &DocumentId, change: &Applied) -> Option<(Arc<Step>, Range<usize>)> {
        let span = change.span();
        let mut met = None;
        for step in self.steps.iter_mut().rev().filter(|step| step.document == *id) {
            let Some(at) = step.at.clone() else { continue };
            if span.end <= at.start && !(span.end == at.start && span.is_empty()) {
                let moved = at.start - span.len() + change.new.len();
                Arc::make_mut(step).at = Some(moved..moved + at.len());
            } else if span.start < at.end || at == span {
                met = met.or_else(|| Some((Arc::clone(step), at)));
                Arc::make_mut(step).at = None;
            }
        }
        met
    }

    fn end_running(&mut self) {
        if let Some(running) = self.running.take() {
            self.steps.push_back(Arc::new(running.to_step()));
            if self.steps.len() >= STEPS {
                self.steps.pop_front();
            }
        }
    }

    /// Whether a change, together with some of those before it, changes nothing: then it took them back.
    fn takes_back(&self, change: &Applied) -> bool {
        let mut net = change.clone();
        let mut keys = change.old.chars().count() + change.new.chars().count();
        for earlier in self.changes.iter().rev() {
            match earlier.then(&net) {
                Some(joined) => net = joined,
                // Made elsewhere: it only moved the place.
                None => {
                    if net.at > earlier.at {
                        net.at = net.at - earlier.new.len() + earlier.old.len();
                    }
                    continue;
                }
            }
            keys = keys.max(earlier.old.chars().count() + earlier.new.chars().count());
            if net.old == net.new {
                // One key taken back is typing.
                return keys > 1;
            }
        }
        false
    }
}

impl Running {
    fn takes(&self, id: &DocumentId, text: &Rope, change: &Applied, now: Instant) -> bool {
        if self.document != *id {
            return false;
        }
        let span = change.span();
        let line = |byte: usize| text.byte_to_line(byte);
        let (first, last) = (line(self.new.start), line(self.new.end));
        !self.is_accepted
            && now.duration_since(self.last) <= PAUSE
            && line(span.start) <= last + NEARBY_LINES
            && line(span.end) + NEARBY_LINES >= first
            && self.new.end.max(span.end) - self.new.start.min(span.start) + change.new.len() <= STEP_BYTES
    }

    fn extend(&mut self, next: &Rope, change: &Applied, now: Instant) {
        let span = change.span();
        let (start, end) = (self.new.start.min(span.start), self.new.end.max(span.end));
        // What is drawn in around the step was the same before it.
        self.old = self.old.start - (self.new.start - start)..self.old.end + (end - self.new.end);
        self.new = start..end - span.len() + change.new.len();
        self.after = next.clone();
        self.last = now;
    }

    fn is_nothing(&self) -> bool {
        self.old.len() == self.new.len()
            && self.before.byte_slice(self.old.clone()) == self.after.byte_slice(self.new.clone())
    }

    fn to_step(&self) -> Step {
        let (before, after) = (&self.before, &self.after);
        let line_start = |text: &Rope, byte| text.line_to_byte(text.byte_to_line(byte));
        let lead = self.new.start - line_start(after, self.new.start);
        let (old_start, new_start) = (self.old.start - lead, self.new.start - lead);
        let ends_a_line =
            |text: &Rope, start: usize, end: usize| start == end || line_start(text, end) == end;
        // Both sides end where a line does, and the same text follows.
        let whole =
            ends_a_line(before, old_start, self.old.end) && ends_a_line(after, new_start, self.new.end);
        let tail = if whole {
            0
        } else {
            let next = after.byte_to_line(self.new.end) + 1;
            after.line_to_byte(next.min(after.len_lines())) - self.new.end
        };
        let (mut old_lines, mut new_lines) = (old_start..self.old.end + tail, new_start..self.new.end + tail);
        // A key at the end of a line changes the next one only, if it is a line end.
        let (was, is) = (before.byte_slice(old_lines.clone()), after.byte_slice(new_lines.clone()));
        let same: usize =
            was.lines().zip(is.lines()).take_while(|(a, b)| a == b).map(|(line, _)| line.len_bytes()).sum();
        old_lines.start += same;
        new_lines.start += same;
        let new_start = new_lines.start;
        let old = before.byte_slice(old_lines.clone()).to_string();
        let new = after.byte_slice(new_lines.clone()).to_string();
        let whole = self.goes_on.as_ref().and_then(|(earlier, place)| {
            let whole = joined(earlier, place, before, &old_lines, &new).filter(|(old, new)| old != new)?;
            Some((whole, old_lines.start.saturating_sub(place.start)))
        });
        let (whole, lead) = whole.unwrap_or_else(|| ((old.clone(), new.clone()), 0));
        Step {
            document: self.document.clone(),
            path: Arc::clone(&self.path),
            line: after.byte_to_line(new_start),
            above: above(after, new_start),
            below: below(after, new_lines.end),
            at: Some(new_lines),
            whole,
            lead,
            is_part: false,
            old,
            new,
            is_accepted: self.is_accepted,
            ended: self.last,
        }
    }
}

/// An earlier step that stood at `place` in the text `before`, and one that made `new` of the lines `old` of it, as one.
fn joined(
    earlier: &Step,
    place: &Range<usize>,
    before: &Rope,
    old: &Range<usize>,
    new: &str,
) -> Option<(String, String)> {
    let text = |span: Range<usize>| before.byte_slice(span).to_string();
    let (first, last) = (old.start..place.start.max(old.start), place.end.min(old.end)..old.end);
    let was = text(first) + &earlier.whole.0 + &text(last);
    let (first, last) = (place.start..old.start.max(place.start), old.end.min(place.end)..place.end);
    let is = text(first) + new + &text(last);
    (was.len().max(is.len()) <= STEP_BYTES).then_some((was, is))
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
    let shown = lines.map(|line| text.line(line)).filter(|line| line.len_bytes() <= CONTEXT_BYTES);
    shown.map(|line| line.to_string()).collect()
}

#[cfg(test)]
mod tests;
