//! What is asked of a model, and what comes of it.

use std::fmt;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Job {
    /// Ghost text at a cursor.
    Complete,
    /// New text for a range of lines, by instruction.
    Rewrite,
}

impl Job {
    /// The word for it in messages and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "completion",
            Self::Rewrite => "rewrite",
        }
    }
}

/// What came of a job: a result, or nothing for a named reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// The result.
    Done(T),
    /// Why there is none.
    Nothing(Reason),
}

/// Why there is no result. Named, so that it can be counted and shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The file is not open here.
    NotOpen,
    /// The server lost track of the file; it waits for its whole text.
    OutOfSync,
    /// The file is larger than the limit.
    TooLarge,
    /// The document moved on while the answer was made.
    Stale,
    /// A newer request for the same file took over.
    Superseded,
    /// The model, or the local engine, has nothing to add here.
    NothingToAdd,
    /// The model gave the text back as it was.
    Unchanged,
    /// No model is configured, and the local engine does not understand what is asked.
    NoModel,
    /// The answer did not come in time.
    Deadline,
    /// The answer was not usable.
    Refused {
        /// A stable name for counting, such as `repeats-suffix`.
        code: &'static str,
        /// One sentence for the user.
        why: String,
    },
    /// The model could not be asked.
    Model(String),
    /// What may be spent is spent: which cap, and how it stands.
    Capped(String),
    /// The user wants to be left alone for a while.
    Snoozed,
    /// The user stopped it.
    Cancelled,
    /// The server itself failed.
    Internal,
}

impl Reason {
    /// A stable name for counting.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotOpen => "not-open",
            Self::OutOfSync => "out-of-sync",
            Self::TooLarge => "too-large",
            Self::Stale => "stale",
            Self::Superseded => "superseded",
            Self::NothingToAdd => "nothing-to-add",
            Self::Unchanged => "unchanged",
            Self::NoModel => "no-model",
            Self::Deadline => "deadline",
            Self::Refused { code, .. } => code,
            Self::Model(_) => "model",
            Self::Capped(_) => "capped",
            Self::Snoozed => "snoozed",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotOpen => "the file is not open; open it and try again",
            Self::OutOfSync => "the server lost track of the file; close and open it again",
            Self::TooLarge => "the file is larger than `max_file_bytes`",
            Self::Stale => "the document changed while the answer was made; try again",
            Self::Superseded => "a newer request took over",
            Self::NothingToAdd => "there is nothing to add here",
            Self::Unchanged => "the model changed nothing",
            Self::NoModel => "no model is configured; the local engine only takes `rename A to B`",
            Self::Deadline => "the model did not answer in time; try again",
            Self::Refused { why, .. } | Self::Model(why) | Self::Capped(why) => why,
            Self::Snoozed => "suggestions are snoozed; `tandem.snooze` with 0 minutes wakes them",
            Self::Cancelled => "you stopped it",
            Self::Internal => "the server failed; its log says where",
        })
    }
}
