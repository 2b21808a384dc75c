//! One moment of a session, as plain data: what every job works from.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use crate::config::Settings;
use crate::document::{Document, DocumentId};
use crate::privacy::Clearance;

/// One file as it was when a request came in.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The file.
    pub document: Arc<Document>,
    /// The path to show to a model and to the user: relative to its workspace folder where there is one.
    pub path: Arc<str>,
    /// Imports and signatures of the file, from an earlier version perhaps; empty before its first parse.
    pub outline: Arc<str>,
    /// The settings of that moment.
    pub settings: Arc<Settings>,
    /// Whether a model may be shown the file.
    pub clearance: Clearance,
}

/// One step of the user's work: what some lines of a file were, and what became of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The file.
    pub document: DocumentId,
    /// How the file is shown, as [`Snapshot::path`].
    pub path: Arc<str>,
    /// The line on which the step begins, from 0, in the text that it led to.
    pub line: usize,
    /// The whole lines that were there.
    pub old: String,
    /// The whole lines that took their place.
    pub new: String,
    /// `old` and `new` together with those of the steps before it in the same lines: a word typed with a pause in the
    /// middle is one change.
    pub whole: (String, String),
    /// Bytes of the second part of `whole` before `new`.
    pub lead: usize,
    /// Whether a later step's `whole` holds this one.
    pub is_part: bool,
    /// A line or two above.
    pub above: String,
    /// A line or two below.
    pub below: String,
    /// Where `new` stands now (bytes); `None` once these lines changed again, or are no longer known.
    pub at: Option<Range<usize>>,
    /// Whether it was a suggestion that the user accepted.
    pub is_accepted: bool,
    /// When its last change was made.
    pub ended: Instant,
}

/// Something that another server, such as a compiler's, finds wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, in bytes.
    pub span: Range<usize>,
    /// How bad it is.
    pub severity: Severity,
    /// The server's words.
    pub message: String,
    /// The problem's number or name, such as `E0425`.
    pub code: Option<String>,
    /// Who says so, such as `rustc`.
    pub source: Option<String>,
    /// What belongs to it elsewhere: the place as shown, and the words.
    pub related: Vec<(String, String)>,
}

impl Problem {
    /// A problem with nothing but a message.
    pub fn new(span: Range<usize>, severity: Severity, message: &str) -> Self {
        Self { span, severity, message: message.to_owned(), code: None, source: None, related: Vec::new() }
    }
}

/// How bad a problem is, as in LSP; the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program cannot be built or run.
    Error,
    /// It probably does not do what is meant.
    Warning,
    /// A remark.
    Information,
    /// A hint.
    Hint,
}

impl Severity {
    /// What a model is told that it is.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information | Self::Hint => "note",
        }
    }
}
