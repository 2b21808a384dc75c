//! One line of a recording.
//!
//! Entries about texts have the names and the units of VS Code's `workspaceRecording@1.0`: offsets count UTF-16
//! units, and an edit is a list of `[start, end, text]`. The other entries are Tandem's own.

use serde::{Deserialize, Serialize};

/// The format of the entries about texts.
pub const DOCUMENT_TYPE: &str = "workspaceRecording@1.0";
/// The version of Tandem's own entries. Readers skip files of other versions, except those of [`READABLE`].
pub const VERSION: u32 = 2;
/// The versions that can be read. Version 1 has no `inputs`, `unknown` and `ended`.
pub const READABLE: std::ops::RangeInclusive<u32> = 1..=VERSION;

/// The version of the program, in the header of its recordings.
pub const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// A replacement: start and end in UTF-16 units, and the new text.
pub type Replacement = (usize, usize, String);

/// An event and its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Milliseconds since 1970. Never decreases within a file, even if the machine's clock does.
    pub time: u64,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// What a completion depends on besides the file and the prompt, so that it can be replayed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "as for the events")]
pub struct Inputs {
    pub variant: usize,
    pub explicit: bool,
    pub eagerness: String,
    pub max_lines: usize,
    pub invisible: bool,
    pub style: Option<String>,
    pub is_redacted: bool,
    pub unread: usize,
    pub pace: Option<[f64; 5]>,
    pub edit: Vec<Replacement>,
    #[serde(default)]
    pub windows: Vec<(usize, usize)>,
}

/// A model's answer. Each chunk has the milliseconds since the request, and is as the model wrote it. `unknown` are the
/// words of it that no file of the project has, if the project was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "as for the events")]
pub struct AnswerEntry {
    pub request: u64,
    pub chunks: Vec<(u64, String)>,
    pub end: String,
    pub model: Option<String>,
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub cache_write_tokens: u64,
    pub output_tokens: u64,
    #[serde(default)]
    pub took: u64,
    pub unknown: Option<Vec<String>>,
}

impl AnswerEntry {
    /// Tokens read, of these the tokens read from and written to a cache, and tokens written.
    pub fn tokens(&self) -> [u64; 4] {
        [self.input_tokens, self.cached_tokens, self.cache_write_tokens, self.output_tokens]
    }
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are described in editors/recording.md, which a test compares")]
pub enum Event {
    /// The first line of a file. Files of one server have the same `uuid`.
    Header {
        document_type: String,
        repo_root_uri: String,
        uuid: String,
        tandem: u32,
        #[serde(default)]
        program: String,
    },
    /// The first mention of a file.
    DocumentEncountered { id: u64, relative_path: String, language: String },
    /// The whole text of a file.
    SetContent { id: u64, v: u64, content: String },
    /// A change of a file.
    Changed { id: u64, edit: Vec<Replacement>, v: u64 },
    /// The cursor moved.
    SelectionChanged { id: u64, selection: Vec<(usize, usize)> },
    /// A file was closed.
    Closed { id: u64 },
    /// A file was saved.
    Saved { id: u64 },
    /// The repository's HEAD points elsewhere.
    BranchChanged,
    /// A request of the editor was decided: shown, or not shown for a reason; `began` is when the request arrived.
    Decided { id: u64, job: String, explicit: bool, code: String, began: u64 },
    /// A model was asked.
    Requested {
        request: u64,
        id: u64,
        job: String,
        gear: String,
        model: String,
        at: usize,
        instructions: String,
        input: String,
        fim: Option<(String, String)>,
        max_tokens: u32,
        inputs: Option<Box<Inputs>>,
    },
    /// A model's answer ended.
    Answered(AnswerEntry),
    /// The job of a request ended: with a result, or without one for a reason. Missing if the job was aborted.
    Ended { request: u64, code: String, text: Option<String>, shown: usize, doubtful: bool },
    /// A suggestion was sent to the editor.
    Shown {
        id: u64,
        suggestion: u64,
        job: String,
        edit: Vec<Replacement>,
        gear: String,
        model: Option<String>,
    },
    /// The editor reported that it drew the suggestion.
    Drawn { suggestion: u64 },
    /// The user accepted the suggestion; `units` is how much of it, if not all.
    Accepted { suggestion: u64, units: Option<usize> },
    /// The user dismissed the suggestion.
    Dismissed { suggestion: u64 },
    /// So many notes arrived faster than they could be written, and are missing.
    Lost { notes: u64 },
}

impl Event {
    /// The event's kind, as it is written.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Header { .. } => "header",
            Self::DocumentEncountered { .. } => "documentEncountered",
            Self::SetContent { .. } => "setContent",
            Self::Changed { .. } => "changed",
            Self::SelectionChanged { .. } => "selectionChanged",
            Self::Closed { .. } => "closed",
            Self::Saved { .. } => "saved",
            Self::BranchChanged => "branchChanged",
            Self::Decided { .. } => "decided",
            Self::Requested { .. } => "requested",
            Self::Answered(_) => "answered",
            Self::Ended { .. } => "ended",
            Self::Shown { .. } => "shown",
            Self::Drawn { .. } => "drawn",
            Self::Accepted { .. } => "accepted",
            Self::Dismissed { .. } => "dismissed",
            Self::Lost { .. } => "lost",
        }
    }

    /// The file that the event is about, if a reader must know its text to interpret the event.
    pub fn document(&self) -> Option<u64> {
        match self {
            Self::DocumentEncountered { id, .. }
            | Self::SetContent { id, .. }
            | Self::Changed { id, .. }
            | Self::SelectionChanged { id, .. }
            | Self::Closed { id }
            | Self::Saved { id }
            | Self::Decided { id, .. }
            | Self::Requested { id, .. }
            | Self::Shown { id, .. } => Some(*id),
            Self::Header { .. }
            | Self::BranchChanged
            | Self::Answered(_)
            | Self::Ended { .. }
            | Self::Drawn { .. }
            | Self::Accepted { .. }
            | Self::Dismissed { .. }
            | Self::Lost { .. } => None,
        }
    }
}
