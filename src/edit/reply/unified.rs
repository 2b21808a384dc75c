//! Unified diffs, whose numbers and counts are taken as hints only.

use super::hunk::{Hunk, header};
use super::lines::Event;
use super::path;
use crate::edit::{Refusal, line};

/// A diff while its lines come in.
#[derive(Debug, Default)]
pub(super) struct Unified {
    hunk: Hunk,
    /// The old and new line counts that the hunk's header states.
    stated: Option<(usize, usize)>,
    /// The path that the file had, if the diff renames it.
    renamed: Option<String>,
    /// Lines that are a file header if the next ones go on like one, and deleted lines if not.
    held: Vec<String>,
}

impl Unified {
    /// Takes the next line.
    pub(super) fn line(&mut self, whole: &str, out: &mut Vec<Event>) {
        // Inside a hunk a file header needs `---`, `+++` and a hunk header in a row.
        let wanted = match self.held.len() {
            0 => whole.starts_with("--- "),
            1 => whole.starts_with("+++ "),
            _ => whole.starts_with("@@"),
        };
        if wanted && self.held.len() < 2 {
            self.held.push(whole.to_owned());
            return;
        }
        let held = std::mem::take(&mut self.held);
        if wanted || (held.len() == 2 && self.hunk.is_empty() && self.stated.is_none()) {
            self.close_hunk(out);
            self.file_header(&held, out);
        } else {
            for line in held {
                self.hunk.line(&line);
            }
            if whole.starts_with("--- ") {
                self.held.push(whole.to_owned());
                return;
            }
        }
        self.plain(whole, out);
    }

    fn plain(&mut self, whole: &str, out: &mut Vec<Event>) {
        let body = line::body(whole);
        if let Some(head) = header(whole) {
            self.close_hunk(out);
            self.stated = head.old.map(|(_, count)| count).zip(head.new_count);
            self.hunk.hint = head.old.map(|(start, _)| start);
            self.hunk.anchors.extend((!head.definition.is_empty()).then(|| head.definition.to_owned()));
        } else if body.trim() == "\\ No newline at end of file" {
            self.hunk.no_newline();
        } else if let Some(rest) = body.strip_prefix("diff --git ") {
            self.close_hunk(out);
            self.renamed = None;
            if let Some(path) = rest.split_whitespace().last() {
                out.push(Event::File(path::of_header(path).to_owned()));
            }
        } else if is_extended_header(body) && !self.hunk.has_changes() {
            if let Some(path) = body.strip_prefix("rename from ") {
                let path = path::of_header(path).to_owned();
                out.push(Event::File(path.clone()));
                self.renamed = Some(path);
            }
            if let Some(path) = body.strip_prefix("rename to ") {
                out.push(Event::MoveTo(path::of_header(path).to_owned()));
            }
        } else {
            self.hunk.line(whole);
        }
    }

    /// Ends the diff where its fence closes.
    pub(super) fn close(mut self, out: &mut Vec<Event>) {
        self.flush(out);
        self.close_hunk(out);
    }

    /// Ends the diff where the reply ends, which is no end mark: a cut must be told from an end by other signs.
    ///
    /// # Errors
    ///
    /// [`Refusal::Truncated`] when lines seem to be missing.
    pub(super) fn close_at_end_of_reply(
        mut self,
        ended_line: bool,
        out: &mut Vec<Event>,
    ) -> Result<(), Refusal> {
        self.flush(out);
        let (old, new) = self.hunk.counts();
        let (before, after) = self.hunk.context();
        let short = self.stated.is_some_and(|(stated_old, stated_new)| {
            (old, new) != (stated_old, stated_new) && old <= stated_old && new <= stated_new
        });
        // As much context behind the changes as before them makes a whole hunk, whatever the counts say.
        let balanced = after > 0 && after >= before && ended_line;
        // Without counts, a line that is not ended may be cut in any place, unless context follows the changes.
        let unended = self.stated.is_none() && !ended_line && before > 0 && after == 0;
        let cut = if self.hunk.has_changes() {
            short && !balanced || unended
        } else {
            self.stated.is_some() || !self.hunk.is_empty()
        };
        if cut {
            return Err(Refusal::Truncated { inside: "a hunk" });
        }
        self.close_hunk(out);
        Ok(())
    }

    fn flush(&mut self, out: &mut Vec<Event>) {
        let held = std::mem::take(&mut self.held);
        if held.len() == 2 && self.hunk.is_empty() {
            self.file_header(&held, out);
        } else {
            held.iter().for_each(|line| self.hunk.line(line));
        }
    }

    fn file_header(&self, held: &[String], out: &mut Vec<Event>) {
        let [old, new] = held else { return };
        let path =
            |line: &String, mark: &str| path::of_header(line::body(line).trim_start_matches(mark)).to_owned();
        let (old, new) = (path(old, "--- "), path(new, "+++ "));
        if new == "/dev/null" {
            out.push(Event::File(old));
            out.push(Event::Delete);
        } else {
            let added = old == "/dev/null";
            out.push(Event::File(self.renamed.clone().unwrap_or(new)));
            if added {
                out.push(Event::Create);
            }
        }
    }

    fn close_hunk(&mut self, out: &mut Vec<Event>) {
        let hunk = std::mem::take(&mut self.hunk);
        self.stated = None;
        if hunk.has_changes() {
            out.push(Event::Block(hunk.block(0)));
        }
    }
}

fn is_extended_header(line: &str) -> bool {
    [
        "index ",
        "new file mode ",
        "deleted file mode ",
        "old mode ",
        "new mode ",
        "similarity index ",
        "rename from ",
        "rename to ",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}
