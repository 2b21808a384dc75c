//! One line of a recording.
//!
//! What is said of texts has the names and the units of VS Code's `workspaceRecording@1.0`: offsets count UTF-16 units,
//! and an edit is a list of `[start, end, text]`. The rest are entries of our own.

use serde::{Deserialize, Serialize};

/// The format of the entries about texts.
pub const DOCUMENT_TYPE: &str = "workspaceRecording@1.0";
/// The version of our own entries. A reader passes over a file of another one.
pub const VERSION: u32 = 1;

/// A replacement: from and to in UTF-16 units, and the new text.
pub type Replacement = (usize, usize, String);

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Milliseconds since 1970. Within a file they never go back, whatever the clock of the machine does.
    pub time: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are described in editors/recording.md, which a test compares")]
pub enum Event {
    /// The first line of a file. Files of one server have the same `uuid`.
    Header { document_type: String, repo_root_uri: String, uuid: String, tandem: u32 },
    /// A file is spoken of for the first time.
    DocumentEncountered { id: u64, relative_path: String, language: String },
    /// The whole text of a file.
    SetContent { id: u64, v: u64, content: String },
    /// A change of a file.
    Changed { id: u64, edit: Vec<Replacement>, v: u64 },
    /// The cursor is here.
    SelectionChanged { id: u64, selection: Vec<(usize, usize)> },
    /// A file was closed.
    Closed { id: u64 },
    /// A file was saved.
    Saved { id: u64 },
    /// The repository's HEAD leads elsewhere.
    BranchChanged,
    /// A request of the editor came to something, or to nothing for a reason; `began` is when it came.
    Decided { id: u64, job: String, explicit: bool, code: String, began: u64 },
    /// A model is asked.
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
    },
    /// Its answer is over. Each chunk has the milliseconds since the request, and is as the model wrote it.
    Answered {
        request: u64,
        chunks: Vec<(u64, String)>,
        end: String,
        model: Option<String>,
        input_tokens: u64,
        cached_tokens: u64,
        cache_write_tokens: u64,
        output_tokens: u64,
    },
    /// A suggestion went to the editor.
    Shown {
        id: u64,
        suggestion: u64,
        job: String,
        edit: Vec<Replacement>,
        gear: String,
        model: Option<String>,
    },
    /// The editor says that it drew it.
    Drawn { suggestion: u64 },
    /// The user took it; `units` is how much of it, if not all.
    Accepted { suggestion: u64, units: Option<usize> },
    /// The user dismissed it.
    Dismissed { suggestion: u64 },
    /// So many notes came faster than they could be written, and are not here.
    Lost { notes: u64 },
}

impl Event {
    /// The name of its kind, as it is written.
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
            Self::Answered { .. } => "answered",
            Self::Shown { .. } => "shown",
            Self::Drawn { .. } => "drawn",
            Self::Accepted { .. } => "accepted",
            Self::Dismissed { .. } => "dismissed",
            Self::Lost { .. } => "lost",
        }
    }

    /// The file that it is about, if it is about one whose text a reader has to know.
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
            | Self::Answered { .. }
            | Self::Drawn { .. }
            | Self::Accepted { .. }
            | Self::Dismissed { .. }
            | Self::Lost { .. } => None,
        }
    }
}
