//! The `*** Begin Patch` format: sections per file, hunks found by context and `@@` definitions, an end mark.

use super::hunk::{Hunk, header};
use super::lines::Event;
use super::path;
use crate::edit::{Refusal, line};

/// A patch while its lines come in.
#[derive(Debug, Default)]
pub(super) struct Patch {
    section: Section,
}

#[derive(Debug, Default)]
enum Section {
    #[default]
    None,
    Update(Hunk),
    Add(String),
}

/// The mark `*** Word: rest` of a line, if it has one.
pub(super) fn mark(line: &str) -> Option<(&str, &str)> {
    let text = line.trim().trim_matches('*').trim();
    let starred = line.trim_start().starts_with("*** ");
    let (word, rest) = text.split_once(':').unwrap_or((text, ""));
    let known = matches!(
        word,
        "Begin Patch" | "End Patch" | "Update File" | "Add File" | "Delete File" | "Move to" | "End of File"
    );
    (starred && known).then_some((word, rest.trim()))
}

/// Whether a line opens a patch. A section's mark does too: the first line is easily forgotten.
pub(super) fn opens(line: &str) -> bool {
    matches!(mark(line), Some(("Begin Patch" | "Update File" | "Add File" | "Delete File", _)))
}

impl Patch {
    /// Takes the next line; returns whether it ended the patch.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when a mark stands where it cannot.
    pub(super) fn line(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<bool, Refusal> {
        if let Some((word, rest)) = mark(whole).filter(|_| !whole.starts_with([' ', '+', '-'])) {
            match word {
                "End of File" => {
                    if let Section::Update(hunk) = &mut self.section {
                        hunk.at_end = true;
                    }
                    self.close_hunk(out);
                }
                "Move to" => out.push(Event::MoveTo(path::of_header(rest).to_owned())),
                "Begin Patch" => {}
                _ => {
                    self.close(out);
                    match word {
                        "Update File" => {
                            out.push(Event::File(path::of_header(rest).to_owned()));
                            self.section = Section::Update(Hunk::default());
                        }
                        "Add File" => {
                            out.push(Event::File(path::of_header(rest).to_owned()));
                            self.section = Section::Add(String::new());
                        }
                        "Delete File" => {
                            out.push(Event::File(path::of_header(rest).to_owned()));
                            out.push(Event::Delete);
                        }
                        _ => return Ok(true),
                    }
                }
            }
            return Ok(false);
        }
        match &mut self.section {
            Section::Add(text) => {
                let body = line::body(whole);
                text.push_str(body.strip_prefix('+').unwrap_or(body));
                text.push('\n');
            }
            Section::Update(hunk) => match header(whole) {
                Some(head) => {
                    if !hunk.is_empty() {
                        self.close_hunk(out);
                    }
                    if let Section::Update(hunk) = &mut self.section {
                        hunk.hint = head.old.map(|(start, _)| start);
                        if !head.definition.is_empty() {
                            hunk.anchors.push(head.definition.to_owned());
                        }
                    }
                }
                None if line::body(whole).trim() == "\\ No newline at end of file" => hunk.no_newline(),
                None => hunk.line(whole),
            },
            Section::None => {}
        }
        Ok(false)
    }

    fn close(&mut self, out: &mut Vec<Event>) {
        self.close_hunk(out);
        if let Section::Add(text) = std::mem::take(&mut self.section) {
            out.push(Event::Whole(text));
        }
    }

    fn close_hunk(&mut self, out: &mut Vec<Event>) {
        if let Section::Update(hunk) = &mut self.section {
            let hunk = std::mem::take(hunk);
            if hunk.has_changes() {
                out.push(Event::Block(hunk.block(0)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks() {
        assert_eq!(mark("*** Update File: src/a.rs\n"), Some(("Update File", "src/a.rs")));
        assert_eq!(mark("*** End Patch ***"), Some(("End Patch", "")));
        assert_eq!(mark("*** Something: x"), None);
        assert_eq!(mark("Update File: x"), None);
        assert!(opens("*** Begin Patch") && !opens("*** End Patch"));
    }
}
