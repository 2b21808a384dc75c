//! One moment of a session, as plain data: the input of every job.

mod cells;
mod related;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use crate::config::Settings;
use crate::document::{Document, DocumentId};
use crate::privacy::{ModelAccess, Verdict};
use crate::workspace::Workspace;
use cells::part;
pub use cells::{Cells, joined, nearest};
pub use related::{OmittedPart, Related, RelatedKind, RelatedPart, heading_bytes};

/// Characters of a diagnostic's message that a model is shown.
const MAX_PROMPT_CHARS: usize = 300;

/// One file at the time of a request.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The file.
    pub document: Arc<Document>,
    /// The path to show to a model and to the user: relative to its workspace folder where there is one.
    pub path: Arc<str>,
    /// The editor's name for its language; empty if it is not known.
    pub language_id: Arc<str>,
    /// Imports and signatures of the file, possibly of an earlier version.
    ///
    /// Empty before the first parse.
    pub outline: Arc<str>,
    /// The settings at that moment.
    pub settings: Arc<Settings>,
    /// Whether a model may be shown the file.
    pub access: ModelAccess,
    /// The files around it. They are shared, and change after that moment.
    pub workspace: Arc<Workspace>,
    /// Parts of those files that were gathered for this file at an earlier moment.
    pub related: Arc<Related>,
    /// The other cells, if the file is a cell of a notebook.
    pub cells: Option<Arc<Cells>>,
}

impl Snapshot {
    /// A snapshot of a file of an unknown language, with nothing beside it.
    pub fn of_file(
        document: Document,
        path: impl Into<Arc<str>>,
        settings: Arc<Settings>,
        access: Verdict,
        workspace: Arc<Workspace>,
    ) -> Self {
        Self {
            document: Arc::new(document),
            path: path.into(),
            language_id: "".into(),
            outline: "".into(),
            settings,
            access: ModelAccess::settled(access),
            workspace,
            related: Arc::default(),
            cells: None,
        }
    }

    /// A snapshot of a project as a whole, without a file.
    ///
    /// Access to each file that is then shown must have been checked.
    pub fn of_no_file(id: &str, settings: &Arc<Settings>, workspace: &Arc<Workspace>) -> Self {
        let document = Document::new(DocumentId::new(id), "", 0, "");
        Self::of_file(document, "", Arc::clone(settings), Verdict::Open, Arc::clone(workspace))
    }

    /// The file, or the cell joined with the other cells of its notebook, and its byte offset there.
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

    /// Whether a name may occur in another cell of its notebook.
    pub fn is_in_other_cells(&self, name: &str) -> bool {
        self.cells.as_ref().is_some_and(|cells| cells.may_have_name(name))
    }
}

/// One of the user's recent edits: some lines of a file before and after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentEdit {
    /// The file.
    pub document: DocumentId,
    /// The file's path as shown, as [`Snapshot::path`].
    pub path: Arc<str>,
    /// The line on which the edit begins, from 0, in the text after it.
    pub line: usize,
    /// The lines before the edit, as whole lines.
    pub old: String,
    /// The lines after the edit, as whole lines.
    pub new: String,
    /// `old` and `new` merged with those of earlier edits in the same lines.
    ///
    /// A word typed with a pause in the middle is one change.
    pub merged: (String, String),
    /// The byte offset of `new` in the second part of `merged`.
    pub offset: usize,
    /// Whether a later edit's `merged` contains this edit.
    pub is_merged: bool,
    /// Whether `merged` combines an accepted suggestion with the user's typing.
    pub is_mixed: bool,
    /// Whether a later edit that contains it is mixed, so that each is shown to a model separately.
    pub is_shown_separately: bool,
    /// A line or two above.
    pub above: String,
    /// A line or two below.
    pub below: String,
    /// The byte range of `new` in the current text.
    ///
    /// `None` once these lines changed again, or their location is lost.
    pub at: Option<Range<usize>>,
    /// Whether the edit was a suggestion that the user accepted.
    pub is_accepted: bool,
    /// The time of its last change.
    pub ended: Instant,
}

impl RecentEdit {
    /// Whether it and the edits merged with it changed only white space, as a formatter does.
    pub fn is_blank(&self) -> bool {
        let solid = |text: &'_ str| text.chars().filter(|it| !it.is_whitespace()).collect::<String>();
        solid(&self.merged.0) == solid(&self.merged.1)
    }
}

/// A name that the user changed at its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The file that declares it.
    pub document: DocumentId,
    /// The version of that file, as [`Document::revision`].
    pub revision: u64,
    /// The name before.
    pub from: String,
    /// The name after.
    pub to: String,
    /// The declaration's byte range in that version.
    pub at: Range<usize>,
}

/// A report from another server, such as a compiler's, on a file (LSP's *diagnostic*).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The byte range that it is about.
    pub span: Range<usize>,
    /// The severity.
    pub severity: Severity,
    /// The server's message.
    pub message: String,
    /// The diagnostic's code, such as `E0425`.
    pub code: Option<String>,
    /// The tool that reports it, such as `rustc`.
    pub source: Option<String>,
    /// Related locations: the location as shown, and its message.
    pub related: Vec<(String, String)>,
}

impl Diagnostic {
    /// A diagnostic that has only a message.
    pub fn new(span: Range<usize>, severity: Severity, message: &str) -> Self {
        Self { span, severity, message: message.to_owned(), code: None, source: None, related: Vec::new() }
    }

    /// Whether both are the same report: one may arrive by several channels.
    pub fn is_same(&self, other: &Self) -> bool {
        self.span == other.span && self.message == other.message
    }

    /// Sorts diagnostics by their position in the file and removes duplicates.
    pub fn sort(all: &mut Vec<Self>) {
        let key = |it: &Self| (it.span.start, it.span.end, it.severity);
        all.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message)));
        all.dedup_by(|a, b| a.is_same(b));
    }

    /// Whether it is among `sorted`, which is in the order of the file.
    pub fn is_among(&self, sorted: &[Self]) -> bool {
        let key = |it: &Self| (it.span.start, it.span.end);
        let first = sorted.partition_point(|it| key(it) < key(self));
        sorted[first..].iter().take_while(|it| key(it) == key(self)).any(|it| it.is_same(self))
    }

    /// The diagnostic as a model is shown it, on one line.
    ///
    /// It consists of the severity, the diagnostic's line of the document, and the message.
    pub fn prompt_line(&self, document: &Document) -> String {
        let start = self.span.start.min(document.text().len_bytes());
        let line = document.slice(document.line_start(start)..document.next_line_start(start));
        let message: String = self.message.chars().take(MAX_PROMPT_CHARS).collect();
        let told = format!("{} on `{}`: {message}", self.severity.word(), line.trim());
        told.replace(['\n', '\r'], " ")
    }
}

/// The severity of a diagnostic, as in LSP; the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program cannot be built or run.
    Error,
    /// The program probably does not do what was intended.
    Warning,
    /// A remark.
    Information,
    /// A hint.
    Hint,
}

impl Severity {
    /// The word for the severity as a model is shown it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information | Self::Hint => "note",
        }
    }
}
