//! Writes changes of whole lines as edits of the text, with the file's own line endings.

use std::ops::Range;

use super::FileText;
use crate::edit::parse::block::{Line, Role};
use crate::edit::{Edit, diff, line};

impl FileText<'_> {
    /// Writes a block's change as edits.
    ///
    /// `at` holds the file's line for each old line, and `added` the text of each added one.
    pub(crate) fn edits(
        &self,
        lines: &[Line],
        at: &[usize],
        added: Vec<String>,
        final_newline: Option<bool>,
    ) -> Vec<Edit> {
        let mut edits = Vec::new();
        let (mut at, mut added) = (at.iter().copied().peekable(), added.into_iter());
        let mut next = at.peek().copied().unwrap_or(0);
        // One run of deleted and added lines between kept ones.
        let mut run: Option<Range<usize>> = None;
        let mut coming = Vec::new();
        for line in lines {
            match line.role {
                Role::Add => coming.extend(added.next()),
                Role::Keep | Role::Delete => {
                    let Some(here) = at.next() else { break };
                    let delete = line.role == Role::Delete;
                    let joins = run.as_ref().is_none_or(|run| run.end == here);
                    if !delete || !joins {
                        let place = run.take().unwrap_or(next..next);
                        edits.extend(self.replace_lines(place, std::mem::take(&mut coming), final_newline));
                    }
                    if delete {
                        run = Some(run.map_or(here, |run| run.start)..here + 1);
                    }
                    next = here + 1;
                }
            }
        }
        edits.extend(self.replace_lines(run.unwrap_or(next..next), coming, final_newline));
        edits
    }

    /// Replaces whole lines.
    ///
    /// The file keeps its final newline, or the lack of one, unless the reply states otherwise.
    pub(crate) fn replace_lines(
        &self,
        place: Range<usize>,
        added: Vec<String>,
        final_newline: Option<bool>,
    ) -> Option<Edit> {
        if place.is_empty() && added.is_empty() {
            return None;
        }
        let mut span = self.starts[place.start]..self.starts[place.end];
        let mut text = String::new();
        let at_end = place.end == self.lines.len();
        let unterminated = |line: &&str| line::ending(line).is_empty();
        if at_end && place.is_empty() && self.lines.last().is_some_and(unterminated) {
            text.push_str(line::ending_for(&self.lines, &place, 0).unwrap_or(self.ending));
        }
        for (number, line) in added.iter().enumerate() {
            // A byte-order mark precedes the file's first line, and belongs to no line.
            text.push_str(line.trim_start_matches('\u{feff}'));
            text.push_str(line::ending_for(&self.lines, &place, number).unwrap_or(self.ending));
        }
        if at_end && !self.lines.is_empty() {
            let ended = self.lines.last().is_some_and(|line| !unterminated(line));
            if !final_newline.unwrap_or(ended) {
                if added.is_empty() && !ended {
                    // The last lines are deleted: the one before them becomes the unterminated last one.
                    let before = &self.text[..span.start];
                    span.start -= before.len()
                        - before
                            .strip_suffix("\r\n")
                            .map_or(before.strip_suffix(['\n', '\r']).unwrap_or(before).len(), str::len);
                } else {
                    text.truncate(line::body(&text).len());
                }
            }
        }
        Some(Edit::new(span, text))
    }

    /// The minimal edits that are equivalent to an edit of this text.
    pub(crate) fn narrow(&self, edit: &Edit) -> Vec<Edit> {
        let mut edits = diff::minimal(&self.text[edit.span.clone()], &edit.text);
        for small in &mut edits {
            small.span = small.span.start + edit.span.start..small.span.end + edit.span.start;
        }
        edits
    }
}
