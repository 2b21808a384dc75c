//! What is read of an output.

use super::limits::DIAGNOSTICS;
pub use crate::snapshot::Severity;

/// What an output says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The diagnostics, in the order of the output.
    pub diagnostics: Vec<Diagnostic>,
    /// Lines that belong to no diagnostic, blank ones not counted.
    pub ignored_lines: usize,
    /// The first of them that says neither that all is well nor what a tool is doing.
    pub unread: Option<String>,
    /// Diagnostics beyond the limit, which were left out.
    pub dropped: usize,
    /// Whether a JSON document ended in the middle.
    pub is_cut: bool,
}

/// One message of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, as the tool names it.
    pub path: String,
    /// Where it begins.
    pub start: Place,
    /// Where it ends, if the tool says so.
    pub end: Option<Place>,
    /// What the tool counts in a line.
    pub unit: Unit,
    /// How bad it is.
    pub severity: Severity,
    /// The tool, such as `rustc`; `None` where the output does not tell.
    pub source: Option<String>,
    /// Its number or name, such as `E0425`.
    pub code: Option<String>,
    /// The message, without the code.
    pub message: String,
    /// What the tool adds to it: helps and notes.
    pub notes: Vec<String>,
    /// The line on which it begins, as the tool read it.
    pub line: Option<String>,
    /// Fixes that the output carries.
    pub fixes: Vec<Fix>,
}

/// A fix as a tool makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in the tool's words.
    pub title: String,
    /// How sure the tool is of it.
    pub safety: Safety,
    /// The edits. All belong together.
    pub edits: Vec<FixEdit>,
}

/// How sure a tool is that a fix keeps what the code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Safety {
    /// The tool itself would apply it unasked.
    Safe,
    /// The tool does not say, or says that it may be wrong.
    Unknown,
    /// The tool says that it changes the meaning, or leaves something to be filled in.
    Unsafe,
}

/// One replacement of a [`Fix`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixEdit {
    /// The file, if it is not the diagnostic's.
    pub path: Option<String>,
    /// Where the old text begins.
    pub start: Place,
    /// Where it ends.
    pub end: Place,
    /// The new text.
    pub text: String,
    /// The lines of the old text as the tool read them, where it shows them.
    pub lines: Option<String>,
}

/// A place in a file, as a tool names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// So many units from the beginning of the file.
    Offset(usize),
    /// A line, from 0, and the units before the place in it; the whole line without them.
    Line(usize, Option<usize>),
    /// A line, from 0, and the characters between its indentation and the place.
    Code(usize, usize),
}

/// What a tool counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// UTF-16 code units. A byte-order mark is not counted.
    Utf16,
    /// Characters.
    Characters,
    /// Columns of a terminal: a tab reaches to the next multiple of eight.
    Columns,
}

impl Diagnostic {
    /// An error at a place, with no message yet.
    pub(super) fn at(path: &str, start: Place, unit: Unit) -> Self {
        Self {
            path: path.to_owned(),
            start,
            end: None,
            unit,
            severity: Severity::Error,
            source: None,
            code: None,
            message: String::new(),
            notes: Vec::new(),
            line: None,
            fixes: Vec::new(),
        }
    }
}

impl Report {
    /// Keeps a diagnostic, if there is room.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.dropped += 1;
        }
    }
}
