//! The parts of a file that a model is shown in tagged blocks and may change.

use std::ops::Range;

use crate::document::Document;
use crate::edit::span::{self, Window};
use crate::edit::{Exceptions, Request};
use crate::snapshot::Snapshot;

/// A run of whole lines of a file, from the first part that is shown to the last.
pub(super) struct Excerpt {
    /// Start of the excerpt in the file (bytes).
    pub(super) start: usize,
    pub(super) text: String,
    /// The parts that are shown, in bytes of `text`. The model does not see the text between them.
    pub(super) parts: Vec<Range<usize>>,
    pub(super) window: Window,
}

impl Excerpt {
    /// An excerpt of a document with these parts (bytes, in order).
    pub(super) fn of(document: &Document, parts: Vec<Range<usize>>) -> Self {
        let start = parts.first().map_or(0, |part| part.start);
        let end = parts.last().map_or(0, |part| part.end);
        let text = document.slice(start..end);
        let parts: Vec<Range<usize>> =
            parts.into_iter().map(|part| part.start - start..part.end - start).collect();
        let window = span::cut_parts(&text, &parts);
        Self { start, text, parts, window }
    }

    /// The tag of the line at a byte of the file, if the line is shown.
    pub(super) fn tag_at(&self, byte: usize) -> Option<&str> {
        self.window.tag_at(byte.checked_sub(self.start)?)
    }

    /// The request against which a reply about this excerpt is parsed, located and checked.
    pub(super) fn request<'a>(&'a self, file: &'a Snapshot) -> Request<'a> {
        Request {
            text: &self.text,
            path: Some(&file.path),
            range: Some(0..self.text.len()),
            window: Some(&self.window),
            parts: &self.parts,
            file: Some((&file.document, self.start)),
            grammar: file.document.grammar(),
            allowed: Exceptions {
                invisible: file.settings.allow_invisible_characters,
                ..Exceptions::default()
            },
            ..Request::default()
        }
    }

    /// The part that contains a span of `text`.
    pub(super) fn part_with(&self, span: &Range<usize>) -> Option<&Range<usize>> {
        self.parts.iter().find(|part| part.start <= span.start && span.end <= part.end)
    }
}
