//! Unified diffs, whose numbers and counts are taken as hints only.
//!
//! Every line between two headers belongs to a hunk; lines without a mark may be talk only where the diff may have ended.

use super::hunk::{Hunk, header};
use super::lines::Event;
use super::path;
use crate::edit::{Refusal, line};

/// Lines of context that a hunk has as a rule.
const CONTEXT: usize = 3;

/// A diff while its lines come in.
#[derive(Debug, Default)]
pub(super) struct Unified {
    hunk: Hunk,
    /// The old and new line counts that the hunk's header states.
    stated: Option<(usize, usize)>,
    /// Whether a header waits for its first line.
    headed: bool,
    /// Whether git's own header lines are being read.
    in_head: bool,
    /// What git's header says of a file that comes or goes, which an empty one has nothing else to say of.
    empty: Option<Event>,
    /// The path that the file had, if the diff renames it.
    renamed: Option<String>,
    /// Lines that are a file header if the next ones go on like one, and deleted lines if not.
    held: Vec<String>,
}

impl Unified {
    /// Takes the next line.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when a header has no lines, or the diff is one of bytes.
    pub(super) fn line(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<(), Refusal> {
        // Inside a hunk a file header needs `---`, `+++` and a hunk header in a row.
        let wanted = match self.held.len() {
            0 => whole.starts_with("--- "),
            1 => whole.starts_with("+++ "),
            _ => whole.starts_with("@@"),
        };
        if wanted && self.held.len() < 2 {
            self.held.push(whole.to_owned());
            return Ok(());
        }
        let held = std::mem::take(&mut self.held);
        if wanted || (held.len() == 2 && self.hunk.is_blank() && !self.headed) {
            self.close_before_talk(out)?;
            self.file_header(&held, out);
        } else {
            for line in held {
                self.hunk_line(&line);
            }
            if whole.starts_with("--- ") {
                self.held.push(whole.to_owned());
                return Ok(());
            }
        }
        self.plain(whole, out)
    }

    fn plain(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<(), Refusal> {
        let body = line::body(whole);
        if let Some(head) = header(whole) {
            if self.hunk.is_blank() {
                // Several definitions, one within the other, each behind a mark of its own.
                self.check_counts()?;
            } else {
                self.close_hunk(out)?;
            }
            self.in_head = false;
            self.headed = true;
            self.stated = head.old.map(|(_, count)| count).zip(head.new_count);
            self.hunk.next(head.old.map(|(start, _)| start), head.definition);
        } else if body.trim() == "\\ No newline at end of file" {
            self.hunk.no_newline();
        } else if let Some(rest) = body.strip_prefix("diff --git ") {
            self.close_before_talk(out)?;
            self.renamed = None;
            self.in_head = true;
            if let Some(path) = rest.split_whitespace().last() {
                out.push(Event::File(path::of_header(path).to_owned()));
            }
        } else if self.in_head && !line::is_blank(body) {
            self.git_header(body, out)?;
        } else {
            self.hunk_line(whole);
        }
        Ok(())
    }

    fn hunk_line(&mut self, whole: &str) {
        self.in_head = false;
        self.hunk.line(whole);
    }

    /// A line between `diff --git` and what it is about.
    fn git_header(&mut self, body: &str, out: &mut Vec<Event>) -> Result<(), Refusal> {
        const KNOWN: [&str; 5] =
            ["index ", "old mode ", "new mode ", "similarity index ", "dissimilarity index "];
        if let Some(path) = body.strip_prefix("rename from ") {
            let path = path::of_header(path).to_owned();
            out.push(Event::File(path.clone()));
            self.renamed = Some(path);
        } else if let Some(path) = body.strip_prefix("rename to ") {
            out.push(Event::MoveTo(path::of_header(path).to_owned()));
        } else if body.starts_with("new file mode ") {
            self.empty = Some(Event::Create);
        } else if body.starts_with("deleted file mode ") {
            self.empty = Some(Event::Delete);
        } else if ["Binary files ", "GIT binary patch", "copy from ", "copy to "]
            .iter()
            .any(|it| body.starts_with(it))
        {
            return Err(Refusal::Malformed { detail: format!("`{body}` is nothing that lines can say") });
        } else if !KNOWN.iter().any(|start| body.starts_with(start)) {
            self.hunk_line(body);
        }
        Ok(())
    }

    /// Ends the diff where its fence closes.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when a header has no lines.
    pub(super) fn close(mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        self.flush(out);
        self.close_before_talk(out)
    }

    /// Ends the diff where the reply ends, which is no end mark: a cut must be told from an end by other signs. Returns
    /// whether the last hunk is as long as its header says.
    ///
    /// # Errors
    ///
    /// [`Refusal::Truncated`] when lines seem to be missing.
    pub(super) fn close_at_end_of_reply(
        mut self,
        ended_line: bool,
        out: &mut Vec<Event>,
    ) -> Result<bool, Refusal> {
        // A file's header, and nothing of the file.
        let headed = self.held.len() == 2;
        self.flush(out);
        let (old, new) = self.hunk.counts();
        let (before, after) = self.hunk.context();
        let missing = self.stated.and_then(|(stated_old, stated_new)| {
            Some((stated_old.checked_sub(old)?, stated_new.checked_sub(new)?)).filter(|it| *it != (0, 0))
        });
        // Context that is missing on both sides alike, up to a hunk's usual end.
        let tail = missing.is_some_and(|(old, new)| old == new && after + old == CONTEXT);
        // As much context behind the changes as before them makes a whole hunk, whatever the counts say.
        let balanced = after > 0 && after >= before && ended_line && !tail;
        // Without counts, a line that is not ended may be cut in any place, unless context follows the changes.
        let unended = self.stated.is_none() && !ended_line && before > 0 && after == 0;
        // The first sign of the next header.
        let opens = !ended_line && self.hunk.last_line().is_some_and(|text| text.trim() == "@");
        let cut = headed
            || opens
            || if self.hunk.has_changes() {
                missing.is_some() && !balanced || unended
            } else {
                self.headed || !self.hunk.is_blank()
            };
        if cut {
            return Err(Refusal::Truncated { inside: "a hunk" });
        }
        let whole = self.stated == Some((old, new));
        self.close_before_talk(out)?;
        Ok(whole)
    }

    fn flush(&mut self, out: &mut Vec<Event>) {
        let held = std::mem::take(&mut self.held);
        if held.len() == 2 && self.hunk.is_blank() {
            self.file_header(&held, out);
        } else {
            held.iter().for_each(|line| self.hunk_line(line));
        }
    }

    fn file_header(&mut self, held: &[String], out: &mut Vec<Event>) {
        self.in_head = false;
        self.empty = None;
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

    /// Ends the hunk where the next header stands.
    fn close_hunk(&mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        let hunk = std::mem::take(&mut self.hunk);
        self.stated = None;
        self.headed = false;
        out.extend(hunk.close()?.map(Event::Block));
        Ok(())
    }

    /// Ends the hunk where another diff may begin, or none.
    fn close_before_talk(&mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        if self.hunk.is_blank() {
            self.check_counts()?;
        }
        let hunk = std::mem::take(&mut self.hunk);
        self.stated = None;
        self.headed = false;
        out.extend(hunk.close_before_talk()?.map(Event::Block));
        out.extend(self.empty.take());
        Ok(())
    }

    /// Refuses a header that speaks of lines where there are none.
    fn check_counts(&self) -> Result<(), Refusal> {
        match self.stated {
            Some((old, new)) if self.headed && (old, new) != (0, 0) => {
                Err(Refusal::Malformed { detail: "no lines follow the header of a hunk".to_owned() })
            }
            _ => Ok(()),
        }
    }
}
