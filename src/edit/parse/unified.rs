//! Unified diffs, whose numbers and counts are only hints.
//!
//! Every line between two headers belongs to a hunk. Lines without a marker may be talk only where the diff
//! may have ended.

use super::event::Event;
use super::fence::Mark;
use super::header_path;
use super::hunk::{OpenHunk, header};
use super::line_kind::is_part_of_format;
use crate::edit::{Refusal, line};

/// The usual number of context lines in a hunk.
const CONTEXT: usize = 3;

/// A diff that is still being read.
#[derive(Debug, Default)]
pub(super) struct Unified {
    hunk: OpenHunk,
    /// The old and new line counts in the hunk's header.
    stated: Option<(usize, usize)>,
    /// Whether the hunk has had as many lines as its header states.
    is_whole: bool,
    /// Whether a header waits for its first line.
    headed: bool,
    /// The lines that git puts before the hunks of the current file.
    git: Box<GitHeader>,
    /// Lines that are a file header if the next lines complete it, and deleted lines otherwise.
    held: Vec<String>,
    /// A line of two dashes: the end of the diff if git's version follows, otherwise a deleted line.
    dashes: Option<String>,
}

impl Unified {
    /// Reads the next line; returns whether it ended the diff, as git's version does in a mail.
    ///
    /// The error is [`Refusal::FileOperation`] for a change to something other than text,
    /// [`Refusal::Malformed`] if a header has no lines.
    pub(super) fn line(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<bool, Refusal> {
        if let Some(dashes) = self.dashes.take() {
            if is_version(whole) {
                return self.close_before_talk(out).map(|()| true);
            }
            self.hunk_line(&dashes);
        }
        // Inside a hunk, a file header needs `---`, `+++` and a hunk header on consecutive lines.
        let wanted = match self.held.len() {
            0 => whole.starts_with("--- "),
            1 => whole.starts_with("+++ "),
            _ => whole.starts_with("@@"),
        };
        if wanted && self.held.len() < 2 {
            self.held.push(whole.to_owned());
            return Ok(false);
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
                return Ok(false);
            }
        }
        self.plain(whole, out).map(|()| false)
    }

    fn plain(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<(), Refusal> {
        let body = line::body(whole);
        if let Some(head) = header(whole) {
            if self.hunk.is_blank() {
                // Nested definitions, each after a separate `@@` marker.
                self.check_counts()?;
            } else {
                self.close_hunk(out)?;
            }
            self.git.in_head = false;
            self.headed = true;
            self.stated = head.old.map(|(_, count)| count).zip(head.new_count);
            self.is_whole = false;
            self.hunk.next(head.old.map(|(start, _)| start), head.definition);
        } else if body.trim() == "\\ No newline at end of file" {
            self.hunk.no_newline();
        } else if let Some(paths) = body.strip_prefix("diff --git ") {
            self.close_before_talk(out)?;
            *self.git = GitHeader::of(paths);
            out.extend(self.git.path.clone().map(Event::File));
        } else if matches!(body, "-- " | "--") && self.hunk.has_changes() {
            self.dashes = Some(whole.to_owned());
        } else if !self.git.in_head || line::is_blank(body) || !self.git.line(body, out)? {
            self.hunk_line(whole);
        }
        Ok(())
    }

    fn hunk_line(&mut self, whole: &str) {
        self.git.in_head = false;
        self.hunk.line(whole);
        let is_marked = whole.starts_with(['+', '-', ' ']);
        self.is_whole = self.stated == Some(self.hunk.counts()) || self.is_whole && !is_marked;
    }

    /// Whether a line opens a fence behind the diff.
    pub(super) fn is_behind(&self, whole: &str) -> bool {
        self.is_whole && self.held.is_empty() && Mark::of(whole).is_some_and(|mark| !mark.info.is_empty())
    }

    /// Ends the diff at the end of its fence.
    ///
    /// It is an error if a header has no lines.
    pub(super) fn close(mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        self.flush(out);
        self.close_before_talk(out)
    }

    /// Ends the diff at the end of the reply and returns whether its last hunk matches its counts.
    ///
    /// The end of a reply is not an end marker, so a cut must be recognized in other ways.
    ///
    /// The error is [`Refusal::Truncated`] if lines seem to be missing.
    pub(super) fn close_at_end_of_reply(
        mut self,
        ended_line: bool,
        out: &mut Vec<Event>,
    ) -> Result<bool, Refusal> {
        // A file header without any lines of the file.
        let headed = self.held.len() == 2;
        if !self.held.is_empty() && self.hunk.is_blank() {
            return Err(Refusal::Truncated { inside: "a file's header" });
        }
        self.flush(out);
        if self.git.is_open && self.stated.is_none() && self.hunk.is_blank() || self.git.is_cut(ended_line) {
            return Err(Refusal::Truncated { inside: "a file's header" });
        }
        // git terminates every line and marks it. A partial line is sufficient only for context.
        if self.git.path.is_some() && !ended_line && !self.hunk.ends_in_context() {
            return Err(Refusal::Truncated { inside: "a hunk" });
        }
        let (old, new) = self.hunk.counts();
        let (before, after) = self.hunk.context();
        let missing = self.stated.and_then(|(stated_old, stated_new)| {
            Some((stated_old.checked_sub(old)?, stated_new.checked_sub(new)?)).filter(|it| *it != (0, 0))
        });
        // The same number of context lines is missing on both sides, up to the usual end of a hunk.
        let tail = missing.is_some_and(|(old, new)| old == new && after + old == CONTEXT);
        // As much context after the changes as before them makes a complete hunk, whatever the counts state.
        // More context than usual precedes another change.
        let as_before = (before.max(1)..=before.max(CONTEXT)).contains(&after);
        let balanced = as_before && ended_line && !tail;
        // A line with leading whitespace whose text is missing.
        let indents = !ended_line && self.hunk.ends_in_blanks();
        // Without counts, an unterminated line may be cut anywhere, unless context follows the changes.
        let unended = self.stated.is_none() && !ended_line && before > 0 && after == 0;
        // The first character of the next header.
        let opens = !ended_line && self.hunk.last_line().is_some_and(|text| text.trim() == "@");
        let cut = headed
            || opens
            || indents
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
        let is_whole = self.stated == Some(self.hunk.counts());
        if let Some(dashes) = self.dashes.take().filter(|_| !is_whole) {
            self.hunk_line(&dashes);
        }
        let held = std::mem::take(&mut self.held);
        if held.len() == 2 && self.hunk.is_blank() {
            self.file_header(&held, out);
        } else {
            held.iter().for_each(|line| self.hunk_line(line));
        }
    }

    fn file_header(&mut self, held: &[String], out: &mut Vec<Event>) {
        self.git.in_head = false;
        let [old, new] = held else { return };
        self.git.is_open = false;
        let path = |line: &str, mark| {
            header_path::of_git_header(line::body(line).trim_start_matches(mark)).into_owned()
        };
        let (old, new) = (path(old, "--- "), path(new, "+++ "));
        let (old, new) = header_path::of_sides(&old, &new);
        if new == header_path::NO_FILE {
            out.push(Event::File(old.to_owned()));
            out.push(Event::Delete);
        } else {
            out.push(Event::File(self.git.renamed.clone().unwrap_or_else(|| new.to_owned())));
            if old == header_path::NO_FILE {
                out.push(Event::Create);
            }
        }
    }

    /// Ends the hunk at the next header.
    fn close_hunk(&mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        let hunk = std::mem::take(&mut self.hunk);
        self.stated = None;
        self.headed = false;
        out.extend(hunk.close()?.map(Event::Block));
        Ok(())
    }

    /// Ends the hunk where another diff may follow, or none.
    fn close_before_talk(&mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        if self.hunk.is_blank() {
            self.check_counts()?;
        }
        let hunk = std::mem::take(&mut self.hunk);
        self.stated = None;
        self.headed = false;
        out.extend(hunk.close_before_talk(is_part_of_format)?.map(Event::Block));
        Ok(())
    }

    /// Refuses a header that states line counts but has no lines.
    fn check_counts(&self) -> Result<(), Refusal> {
        match self.stated {
            Some((old, new)) if self.headed && (old, new) != (0, 0) => {
                Err(Refusal::malformed("no lines follow the header of a hunk"))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a line is a git version: `2.43.0`, `2.39.5 (Apple Git-154)`.
fn is_version(line: &str) -> bool {
    let number = line.split_whitespace().next().unwrap_or_default();
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    line.starts_with(|sign: char| sign.is_ascii_digit())
        && number.contains('.')
        && number.split('.').take(2).all(is_digits)
}

/// The lines that git puts before the hunks of a file.
#[derive(Debug, Default)]
struct GitHeader {
    /// The path that both sides share, if it can be determined.
    path: Option<String>,
    /// The old path of the file, if the diff renames it.
    renamed: Option<String>,
    /// The path of the copied file, until the path of the copy is read.
    copied: Option<String>,
    /// The operation on a file without lines, for which no hunk follows.
    empty: Option<Event>,
    /// Whether a line with the change to the file must follow.
    is_open: bool,
    /// Whether the header lines are still being read.
    in_head: bool,
    /// Whether the last line ends in a file name, which may be cut.
    ends_in_name: bool,
}

impl GitHeader {
    /// Parses the text after `diff --git `.
    fn of(paths: &str) -> Self {
        let whole = paths.len();
        // `a/x b/x`, where `x` may contain spaces.
        let halves = paths.is_char_boundary(whole / 2).then(|| paths.split_at(whole / 2));
        let same = halves.map(|(old, new)| (old, new.trim_start())).filter(|(old, new)| {
            old.len() == new.len()
                && old.get(1..) == new.get(1..)
                && paths.as_bytes().get(whole / 2) == Some(&b' ')
        });
        let (old, new) = same.or_else(|| paths.rsplit_once(' ')).unwrap_or((paths, paths));
        let (old, new) = (header_path::of_git_header(old), header_path::of_git_header(new));
        let path = header_path::of_sides(&old, &new).1.to_owned();
        Self { path: Some(path), is_open: true, in_head: true, ..Self::default() }
    }

    /// Reads a line between `diff --git` and the first hunk; returns whether it is one of git's header lines.
    ///
    /// The error is [`Refusal::FileOperation`] for links, submodules and binary files.
    fn line(&mut self, body: &str, out: &mut Vec<Event>) -> Result<bool, Refusal> {
        const MODES: [&str; 4] = ["old mode ", "new mode ", "new file mode ", "deleted file mode "];
        let refuse = |what: &str| Err(Refusal::FileOperation { detail: what.to_owned() });
        self.ends_in_name = false;
        if body == "GIT binary patch" || body.starts_with("Binary files ") {
            return refuse("change a binary file");
        }
        if let Some(mode) = MODES.iter().find_map(|start| body.strip_prefix(start)) {
            if !mode.starts_with("100") {
                return refuse("change a link or a submodule");
            }
            self.empty = match body {
                _ if body.starts_with("new file") => Some(Event::Create),
                _ if body.starts_with("deleted") => Some(Event::Delete),
                // Modes are not text: only the lines after them matter.
                _ => {
                    self.is_open = body.starts_with("old mode ");
                    None
                }
            };
        } else if let Some(hashes) = body.strip_prefix("index ") {
            self.is_open = true;
            let (old, new) = hashes.split_once("..").unwrap_or((hashes, ""));
            let side = if self.empty == Some(Event::Create) { new } else { old };
            if side.starts_with(EMPTY_BLOB)
                && let Some(event) = self.empty.take()
            {
                self.is_open = false;
                out.push(event);
            }
        } else if let Some(path) = body.strip_prefix("rename from ") {
            let path = header_path::of_git_header(path).into_owned();
            out.push(Event::File(path.clone()));
            self.renamed = Some(path);
        } else if let Some(path) = body.strip_prefix("rename to ") {
            out.push(Event::MoveTo(header_path::of_git_header(path).into_owned()));
            self.ends_in_name = true;
        } else if let Some(path) = body.strip_prefix("copy from ") {
            self.copied = Some(header_path::of_git_header(path).into_owned());
        } else if let Some(path) = body.strip_prefix("copy to ") {
            out.push(Event::File(header_path::of_git_header(path).into_owned()));
            out.extend(self.copied.take().map(Event::CopyOf));
            self.ends_in_name = true;
        } else if let Some(share) = body.strip_prefix("similarity index ") {
            self.is_open = share != "100%";
        } else {
            return Ok(body.starts_with("dissimilarity index "));
        }
        Ok(true)
    }

    /// Whether a reply that ends here ends inside a name, or before a file's new name.
    fn is_cut(&self, ended_line: bool) -> bool {
        self.ends_in_name && !ended_line
    }
}

/// The start of git's SHA-1 for an empty file.
const EMPTY_BLOB: &str = "e69de29";
