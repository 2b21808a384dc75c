//! The running edit, with the versions of its file.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use ropey::Rope;

use super::applied::AppliedChange;
use crate::document::DocumentId;
use crate::session::limits::{CONTEXT_LINE_BYTES, CONTEXT_LINES, EDIT_LINES, EDIT_PAUSE, EDIT_SIDE_BYTES};
use crate::snapshot::RecentEdit;

/// An edit that may continue: the bytes `old` of `before` became the bytes `new` of `after`.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) document: DocumentId,
    pub(super) path: Arc<str>,
    pub(super) before: Rope,
    pub(super) old: Range<usize>,
    pub(super) after: Rope,
    pub(super) new: Range<usize>,
    pub(super) last: Instant,
    pub(super) is_accepted: bool,
    /// The edit in whose lines this one began, and the span of these lines in `before`.
    pub(super) continues: Option<(Arc<RecentEdit>, Range<usize>)>,
}

impl Running {
    pub(super) fn takes(&self, id: &DocumentId, text: &Rope, change: &AppliedChange, now: Instant) -> bool {
        if self.document != *id {
            return false;
        }
        let span = change.span();
        let are_near = |first: usize, second: usize| {
            first <= second || text.byte_to_line(first) <= text.byte_to_line(second) + EDIT_LINES
        };
        // A formatter's changes beside an edit are not part of it.
        let is_beside = span.end < self.new.start || self.new.end < span.start;
        let is_formatting = is_beside && change.is_blank() && !change.is_key();
        !self.is_accepted
            && !is_formatting
            && now.duration_since(self.last) <= EDIT_PAUSE
            && self.new.end.max(span.end) - self.new.start.min(span.start) + change.new.len()
                <= EDIT_SIDE_BYTES
            && are_near(span.start, self.new.end)
            && are_near(self.new.start, span.end)
    }

    pub(super) fn extend(&mut self, next: &Rope, change: &AppliedChange, now: Instant) {
        let span = change.span();
        let (start, end) = (self.new.start.min(span.start), self.new.end.max(span.end));
        // The text between the edit and the change is the same on both sides.
        self.old = self.old.start - (self.new.start - start)..self.old.end + (end - self.new.end);
        self.new = start..end - span.len() + change.new.len();
        self.after = next.clone();
        self.last = now;
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.old.len() == self.new.len()
            && self.before.byte_slice(self.old.clone()) == self.after.byte_slice(self.new.clone())
    }

    pub(super) fn to_edit(&self) -> RecentEdit {
        let (before, after) = (&self.before, &self.after);
        let line_start = |text: &Rope, byte| text.line_to_byte(text.byte_to_line(byte));
        let lead = self.new.start - line_start(after, self.new.start);
        let (old_start, new_start) = (self.old.start - lead, self.new.start - lead);
        let ends_a_line =
            |text: &Rope, start: usize, end: usize| start == end || line_start(text, end) == end;
        // Both sides end at a line end, and are followed by the same text.
        let whole =
            ends_a_line(before, old_start, self.old.end) && ends_a_line(after, new_start, self.new.end);
        let tail = if whole {
            0
        } else {
            let next = after.byte_to_line(self.new.end) + 1;
            after.line_to_byte(next.min(after.len_lines())) - self.new.end
        };
        let (mut old_lines, mut new_lines) = (old_start..self.old.end + tail, new_start..self.new.end + tail);
        // A line break typed at the end of a line changes only the next line.
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
            is_shown_separately: false,
            old,
            new,
            is_accepted: self.is_accepted,
            ended: self.last,
        }
    }
}

/// Merges an earlier edit with one that replaced the lines `old` by `new`.
///
/// The earlier edit is at `place` in the text `before`.
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

fn above(text: &Rope, byte: usize) -> String {
    let line = text.byte_to_line(byte);
    context(text, line.saturating_sub(CONTEXT_LINES)..line)
}

fn below(text: &Rope, byte: usize) -> String {
    let line = text.byte_to_line(byte);
    // Where the text ends without a line end, there is no line below the last one.
    let line = if text.line_to_byte(line) == byte { line } else { text.len_lines() };
    context(text, line..(line + CONTEXT_LINES).min(text.len_lines()))
}

fn context(text: &Rope, lines: Range<usize>) -> String {
    let shown = lines.map(|line| text.line(line)).filter(|line| line.len_bytes() <= CONTEXT_LINE_BYTES);
    shown.map(|line| line.to_string()).collect()
}
