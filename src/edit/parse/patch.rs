//! The `*** Begin Patch` format: one section per file, and an end marker.
//!
//! Hunks are located by context and `@@` definitions.
//!
//! Every line between the first and the last marker belongs to a section, or the patch is malformed: a line
//! outside of all sections would be lost while the rest is applied. Models may indent the markers or omit
//! their stars. Such a line is a marker where nothing else is valid, and later wherever it is written like
//! the markers before it. Elsewhere it is a line of the file, unless it is the last end marker.

use super::event::Event;
use super::header_path;
use super::hunk::{OpenHunk, header};
use crate::edit::{Refusal, line};

/// A patch that is still being read.
#[derive(Debug, Default)]
pub(super) struct Patch {
    section: Section,
    /// The path of the section that has no change yet.
    idle: Option<String>,
    /// The style of the last section's marker.
    style: MarkStyle,
    /// The lines of a patch whose first marker is indented, up to its end marker: all of it may be indented.
    indented: Option<Vec<String>>,
    /// Held lines, the first of which is either the end marker or a line of the file.
    held: Vec<String>,
}

#[derive(Debug, Default)]
enum Section {
    #[default]
    None,
    Update(OpenHunk),
    Add(String),
}

/// The style of a marker: its indentation, and whether it has stars.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MarkStyle {
    blanks: String,
    starred: bool,
}

impl Default for MarkStyle {
    fn default() -> Self {
        Self { blanks: String::new(), starred: true }
    }
}

/// A marker line `*** Word: rest`.
struct PatchMark<'l> {
    word: &'l str,
    rest: &'l str,
    style: MarkStyle,
}

impl<'l> PatchMark<'l> {
    fn of(line: &'l str) -> Option<Self> {
        let text = line.trim().trim_matches('*').trim();
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        let rest = rest.trim();
        let known = match word {
            "Begin Patch" | "End Patch" | "End of File" => rest.is_empty(),
            "Update File" | "Add File" | "Delete File" | "Move to" => !rest.is_empty(),
            _ => false,
        };
        let blanks = line::indent(line);
        let starred = line[blanks.len()..].starts_with("*** ");
        known.then(|| Self { word, rest, style: MarkStyle { blanks: blanks.to_owned(), starred } })
    }
}

/// Whether a line opens a patch.
///
/// A section's marker does too, because models often omit the first line.
pub(super) fn opens(line: &str) -> bool {
    PatchMark::of(line).is_some_and(|mark| {
        mark.style.starred && matches!(mark.word, "Begin Patch" | "Update File" | "Add File" | "Delete File")
    })
}

/// Whether a line is a marker that has a meaning only inside a patch.
pub(super) fn is_inner(line: &str) -> bool {
    PatchMark::of(line).is_some_and(|mark| {
        mark.style == MarkStyle::default() && matches!(mark.word, "End Patch" | "End of File" | "Move to")
    })
}

/// Returns the events of a section whose lines came without markers.
///
/// `word` is the word of the section's marker.
///
/// It is an error if the lines are not a valid section.
pub(super) fn section(word: &str, path: &str, lines: &str) -> Result<Vec<Event>, Refusal> {
    let mut events = Vec::new();
    let mut patch = Patch::default();
    let whole = lines.lines().next().is_some_and(opens);
    let head = if whole { String::new() } else { format!("*** {word}: {path}") };
    let end = if whole { "" } else { "*** End Patch" };
    let mut ended = false;
    for line in [head.as_str()].into_iter().chain(lines.lines()).chain([end]) {
        if ended && !line::is_blank(line) {
            return Err(Refusal::malformed(format!("`{}` follows the end of the patch", line.trim())));
        }
        ended |= patch.line(line, &mut events)?;
    }
    if ended { Ok(events) } else { Err(Refusal::Truncated { inside: "a patch" }) }
}

impl Patch {
    /// Begins a patch at its opening line, which must be passed to [`Patch::line`] too.
    pub(super) fn new(opener: &str) -> Self {
        let indented = (!line::indent(opener).is_empty()).then(Vec::new);
        Self { indented, ..Self::default() }
    }

    /// Reads the next line; returns whether it ended the patch.
    ///
    /// It is an error if a line is outside of all sections, or if a section has no change.
    pub(super) fn line(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<bool, Refusal> {
        let Some(lines) = &mut self.indented else { return self.read(whole, out) };
        lines.push(whole.to_owned());
        let blanks = line::indent(&lines[0]).to_owned();
        let ends = |mark: &PatchMark<'_>| {
            mark.word == "End Patch" && (mark.style.blanks.is_empty() || mark.style.blanks == blanks)
        };
        if !PatchMark::of(whole).is_some_and(|mark| ends(&mark)) {
            return Ok(false);
        }
        let lines = self.indented.take().unwrap_or_default();
        let all = lines.iter().all(|line| line::is_blank(line) || line.starts_with(&blanks));
        let cut = if all { blanks.as_str() } else { "" };
        for line in &lines {
            if self.read(line.strip_prefix(cut).unwrap_or(line), out)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Ends the patch at the end of the reply.
    ///
    /// Returns the lines after an end marker that was uncertain so far; `None` if there was none.
    ///
    /// Fails as [`Patch::line`] does.
    pub(super) fn end_of_reply(&mut self, out: &mut Vec<Event>) -> Result<Option<Vec<String>>, Refusal> {
        if self.held.is_empty() {
            return Ok(None);
        }
        let rest = self.held.split_off(1);
        self.close(out)?;
        Ok(Some(rest))
    }

    fn read(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<bool, Refusal> {
        let mark = PatchMark::of(whole);
        let certain = mark.as_ref().is_some_and(|mark| {
            mark.style == MarkStyle::default()
                || mark.style == self.style
                || matches!(self.section, Section::None)
        });
        match mark {
            Some(mark) if certain => {
                for line in std::mem::take(&mut self.held) {
                    self.text(&line, out)?;
                }
                self.mark(&mark, out)
            }
            Some(PatchMark { word: "End Patch", .. }) => {
                self.held.push(whole.to_owned());
                Ok(false)
            }
            _ if !self.held.is_empty() => {
                self.held.push(whole.to_owned());
                Ok(false)
            }
            _ => self.text(whole, out).map(|()| false),
        }
    }

    fn mark(&mut self, mark: &PatchMark<'_>, out: &mut Vec<Event>) -> Result<bool, Refusal> {
        let path = || header_path::of_header(mark.rest).to_owned();
        match mark.word {
            "Begin Patch" => {}
            "End of File" => {
                if let Section::Update(hunk) = &mut self.section {
                    hunk.at_end = true;
                }
                self.close_hunk(out)?;
            }
            "Move to" => {
                self.idle = None;
                out.push(Event::MoveTo(path()));
            }
            "End Patch" => {
                self.close(out)?;
                return Ok(true);
            }
            word => {
                self.close(out)?;
                self.style.clone_from(&mark.style);
                out.push(Event::File(path()));
                match word {
                    "Update File" => {
                        self.idle = Some(path());
                        self.section = Section::Update(OpenHunk::default());
                    }
                    "Add File" => self.section = Section::Add(String::new()),
                    _ => out.push(Event::Delete),
                }
            }
        }
        Ok(false)
    }

    /// Reads a line that is not a marker.
    fn text(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<(), Refusal> {
        if matches!(self.section, Section::None) {
            if line::is_blank(whole) {
                return Ok(());
            }
            if !whole.starts_with(['+', '-', ' ', '@']) {
                return Err(Refusal::malformed(format!(
                    "`{}` is outside the sections of the patch",
                    whole.trim()
                )));
            }
            // Lines of the only file, or of a deleted one.
            self.section = Section::Update(OpenHunk::default());
        }
        match &mut self.section {
            Section::Add(text) => {
                let body = line::body(whole);
                text.push_str(body.strip_prefix('+').unwrap_or(body));
                text.push('\n');
            }
            Section::Update(hunk) => match header(whole) {
                Some(head) => {
                    if !hunk.is_blank() {
                        self.close_hunk(out)?;
                    }
                    if let Section::Update(hunk) = &mut self.section {
                        hunk.next(head.old.map(|(start, _)| start), head.definition);
                    }
                }
                None if line::body(whole).trim() == "\\ No newline at end of file" => hunk.no_newline(),
                None => hunk.line(whole),
            },
            Section::None => {}
        }
        Ok(())
    }

    fn close(&mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        self.close_hunk(out)?;
        if let Some(path) = self.idle.take() {
            return Err(Refusal::malformed(format!("its section for `{path}` has no change")));
        }
        if let Section::Add(text) = std::mem::take(&mut self.section) {
            out.push(Event::Whole(text));
        }
        Ok(())
    }

    fn close_hunk(&mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        if let Section::Update(hunk) = &mut self.section
            && let Some(block) = std::mem::take(hunk).close()?
        {
            self.idle = None;
            out.push(Event::Block(block));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks() {
        let read = |line| PatchMark::of(line).map(|mark| (mark.word, mark.rest, mark.style.starred));
        assert_eq!(read("*** Update File: src/a.rs\n"), Some(("Update File", "src/a.rs", true)));
        assert_eq!(read("  *** End Patch ***"), Some(("End Patch", "", true)));
        assert_eq!(read("Update File: x"), Some(("Update File", "x", false)));
        assert_eq!(read("*** Something: x"), None);
        assert_eq!(read("*** Update File:"), None);
        assert!(opens("*** Begin Patch") && !opens("*** End Patch") && !opens("Update File: x"));
    }
}
