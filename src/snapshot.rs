//! One moment of a session, as plain data: what every job works from.

mod cells;
mod related;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use crate::config::Settings;
use crate::document::{Document, DocumentId};
use crate::privacy::ModelAccess;
use crate::workspace::Workspace;
use cells::part;
pub use cells::{Cells, joined, nearest};
pub use related::{LeftOut, Related, RelatedKind, RelatedPart, heading_bytes};

/// Characters of a diagnostic's message that a model is told.
const TOLD_CHARS: usize = 300;

/// One file as it was when a request came in.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The file.
    pub document: Arc<Document>,
    /// The path to show to a model and to the user: relative to its workspace folder where there
    /// is one.
    pub path: Arc<str>,
    /// Imports and signatures of the file, from an earlier version perhaps.
    ///
    /// Empty before its first parse.
    pub outline: Arc<str>,
    /// The settings of that moment.
    pub settings: Arc<Settings>,
    /// Whether a model may be shown the file.
    pub access: ModelAccess,
    /// The files around it, which are not of that moment: they go on.
    pub workspace: Arc<Workspace>,
    /// What was gathered from them for this file, at an earlier moment.
    pub related: Arc<Related>,
    /// The other cells, if it is a notebook's cell.
    pub cells: Option<Arc<Cells>>,
}

impl Snapshot {
    /// The file, or the cell between the others of its notebook, and where it begins there (bytes).
    pub fn with_cells(&self) -> (Cow<'_, Self>, usize) {
        let Some(cells) = &self.cells else { return (Cow::Borrowed(self), 0) };
        let mut text = joined(&cells.before);
        let start = text.len();
        text.extend(self.document.text().chunks());
        if !cells.after.is_empty() {
            part(&mut text);
            text.push_str(&joined(&cells.after));
        }
        let document = Arc::new(self.document.with_text(&text));
        let outline = Arc::clone(&cells.outline);
        (Cow::Owned(Self { document, outline, cells: None, ..self.clone() }), start)
    }

    /// Whether a name may stand in another cell of its notebook.
    pub fn is_in_other_cells(&self, name: &str) -> bool {
        self.cells.as_ref().is_some_and(|cells| cells.may_have_name(name))
    }
}

/// One of the user's recent edits: what some lines of a file were, and what replaced them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentEdit {
    /// The file.
    pub document: DocumentId,
    /// How the file is shown, as [`Snapshot::path`].
    pub path: Arc<str>,
    /// The line on which the edit begins, from 0, in the text after it.
    pub line: usize,
    /// The lines that were there, as whole lines.
    pub old: String,
    /// The lines that replaced them, as whole lines.
    pub new: String,
    /// `old` and `new` merged with those of earlier edits in the same lines.
    ///
    /// A word typed with a pause in the middle is one change.
    pub merged: (String, String),
    /// Where `new` begins in the second part of `merged` (bytes).
    pub offset: usize,
    /// Whether it is contained in a later edit's `merged`.
    pub is_merged: bool,
    /// Whether `merged` joins an accepted suggestion with what the user typed.
    pub is_mixed: bool,
    /// Whether a later edit that contains it is mixed, so that each is told by itself.
    pub is_told: bool,
    /// A line or two above.
    pub above: String,
    /// A line or two below.
    pub below: String,
    /// Where `new` stands now (bytes).
    ///
    /// `None` once these lines changed again, or are no longer known.
    pub at: Option<Range<usize>>,
    /// Whether it was a suggestion that the user accepted.
    pub is_accepted: bool,
    /// When its last change was made.
    pub ended: Instant,
}

impl RecentEdit {
    /// Whether it and those it is merged with changed blanks alone, as a formatter does.
    pub fn is_blank(&self) -> bool {
        let solid = |text: &'_ str| text.chars().filter(|it| !it.is_whitespace()).collect::<String>();
        solid(&self.merged.0) == solid(&self.merged.1)
    }
}

/// A name that the user changed where it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The file that declares it.
    pub document: DocumentId,
    /// The version of that file, as [`Document::revision`].
    pub revision: u64,
    /// What it was called.
    pub from: String,
    /// What it is called.
    pub to: String,
    /// Where it is declared, in bytes of that version.
    pub at: Range<usize>,
}

/// What another server, such as a compiler's, reports for a file (LSP's *diagnostic*).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where, in bytes.
    pub span: Range<usize>,
    /// How bad it is.
    pub severity: Severity,
    /// The server's words.
    pub message: String,
    /// Its number or name, such as `E0425`.
    pub code: Option<String>,
    /// The tool that reports it, such as `rustc`.
    pub source: Option<String>,
    /// Related places: the place as shown, and its message.
    pub related: Vec<(String, String)>,
}

impl Diagnostic {
    /// A diagnostic with nothing but a message.
    pub fn new(span: Range<usize>, severity: Severity, message: &str) -> Self {
        Self { span, severity, message: message.to_owned(), code: None, source: None, related: Vec::new() }
    }

    /// Whether it is the same report as another: one may come by several ways.
    pub fn is_same(&self, other: &Self) -> bool {
        self.span == other.span && self.message == other.message
    }

    /// Puts diagnostics in the order of the file, each once.
    pub fn sort(all: &mut Vec<Self>) {
        let key = |it: &Self| (it.span.start, it.span.end, it.severity);
        all.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message)));
        all.dedup_by(|a, b| a.is_same(b));
    }

    /// Whether it is among others, which are in the order of the file.
    pub fn is_among(&self, sorted: &[Self]) -> bool {
        let key = |it: &Self| (it.span.start, it.span.end);
        let first = sorted.partition_point(|it| key(it) < key(self));
        sorted[first..].iter().take_while(|it| key(it) == key(self)).any(|it| it.is_same(self))
    }

    /// What a model is told of it, on one line.
    ///
    /// It is how bad it is, its line of the document, and the message.
    pub fn told(&self, document: &Document) -> String {
        let start = self.span.start.min(document.text().len_bytes());
        let line = document.slice(document.line_start(start)..document.next_line_start(start));
        let message: String = self.message.chars().take(TOLD_CHARS).collect();
        let told = format!("{} on `{}`: {message}", self.severity.word(), line.trim());
        told.replace(['\n', '\r'], " ")
    }
}

/// How bad a diagnostic is, as in LSP; the worst first.
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
