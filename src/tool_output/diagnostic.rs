//! The parsed output of a tool.

use super::limits::DIAGNOSTICS;
pub use crate::snapshot::Severity;

/// The diagnostics of an output, and counts of the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The diagnostics, in the order of the output.
    pub diagnostics: Vec<Diagnostic>,
    /// Lines that belong to no diagnostic, except blank lines.
    pub ignored_lines: usize,
    /// The first of these lines that reports neither success nor progress.
    pub unread: Option<String>,
    /// Diagnostics beyond the limit, which were dropped.
    pub dropped: usize,
    /// Whether a JSON document was truncated.
    pub is_cut: bool,
}

/// One message of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, as the tool names it.
    pub path: String,
    /// The start of the range.
    pub start: Place,
    /// The end of the range, if the tool reports it.
    pub end: Option<Place>,
    /// The unit in which the tool counts columns.
    pub unit: Unit,
    /// The severity.
    pub severity: Severity,
    /// The tool, such as `rustc`; `None` if the output does not show it.
    pub source: Option<String>,
    /// The diagnostic's code, such as `E0425`.
    pub code: Option<String>,
    /// The message, without the code.
    pub message: String,
    /// The tool's additional messages: helps and notes.
    pub notes: Vec<String>,
    /// The first line of the range, as the tool read it.
    pub line: Option<String>,
    /// Fixes that the output contains.
    pub fixes: Vec<Fix>,
}

/// A fix as suggested by a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The tool's description of the fix.
    pub title: String,
    /// How sure the tool is of the fix.
    pub safety: Safety,
    /// The edits, which belong together.
    pub edits: Vec<FixEdit>,
}

/// How sure a tool is that a fix preserves the meaning of the code, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// The tool itself would apply the fix unasked.
    Safe,
    /// The tool does not state it, or states that the fix may be wrong.
    Unknown,
    /// The tool states that the fix changes the meaning or has placeholders.
    Unsafe,
}

/// One replacement of a [`Fix`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixEdit {
    /// The file, if it is not the diagnostic's.
    pub path: Option<String>,
    /// The start of the old text.
    pub start: Place,
    /// The end of the old text.
    pub end: Place,
    /// The new text.
    pub text: String,
    /// The lines of the old text as the tool read them, if it shows them.
    pub lines: Option<String>,
}

/// A position in a file, as a tool reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Units from the beginning of the file.
    Offset(usize),
    /// A line, from 0, and the units before the position in it; the whole line if these are missing.
    Line(usize, Option<usize>),
    /// A line, from 0, and the characters between its indentation and the position.
    Code(usize, usize),
}

/// The unit in which a tool counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// UTF-16 code units. A byte-order mark is not counted.
    Utf16,
    /// Characters.
    Characters,
    /// Terminal columns: a tab extends to the next multiple of eight.
    Columns,
}

impl Diagnostic {
    /// An error at a position, with no message yet.
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
