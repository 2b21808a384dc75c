//! The jobs asked of a model, and their outcomes.

use std::fmt;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Job {
    /// Ghost text at a cursor.
    Complete,
    /// New text for a range of lines, by instruction.
    Rewrite,
    /// The edit that follows from what the user just did.
    NextEdit,
    /// The edit that a problem asks for.
    Fix,
}

impl Job {
    /// The word for it in messages and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "completion",
            Self::Rewrite => "rewrite",
            Self::NextEdit => "next edit",
            Self::Fix => "fix",
        }
    }
}

/// The outcome of a job: a result, or nothing for a named reason.
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
    /// The file is withheld from models, or from every engine.
    Withheld {
        /// `secret` or `ignored`.
        code: &'static str,
        /// Why it is.
        why: String,
    },
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
    /// No model was asked, so as not to disturb.
    Quiet(Quiet),
    /// The model could not be asked.
    Model(String),
    /// What may be spent is spent: which cap, and how it stands.
    Capped(String),
    /// The user wants to be left alone for a while.
    Snoozed,
    /// The user stopped it.
    Cancelled,
    /// It is switched off for this file.
    Off,
    /// The user did nothing yet, or nothing lately, that anything could follow from.
    NothingDone,
    /// No dismissed suggestion can be shown again.
    NothingDismissed,
    /// No model is configured, and the local engine knows no certain fix.
    NoFix,
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
            Self::Refused { code, .. } | Self::Withheld { code, .. } => code,
            Self::Quiet(quiet) => quiet.code(),
            Self::Model(_) => "model",
            Self::Capped(_) => "capped",
            Self::Snoozed => "snoozed",
            Self::Cancelled => "cancelled",
            Self::Off => "off",
            Self::NothingDone => "nothing-done",
            Self::NothingDismissed => "nothing-dismissed",
            Self::NoFix => "no-model",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Withheld { why, .. } => return write!(f, "no model is shown this file: {why}"),
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
            Self::Cancelled => "you stopped it",
            Self::Snoozed => "suggestions are snoozed; `tandem.snooze` with 0 minutes wakes them",
            Self::Quiet(quiet) => quiet.why(),
            Self::Off => "it is switched off in the settings",
            Self::NothingDone => "nothing was edited lately that something could follow from",
            Self::NothingDismissed => "nothing was dismissed here, or its place was changed since",
            Self::NoFix => "no model is configured, and the local engine knows no certain fix for this",
            Self::Internal => "the server failed; its log says where",
        })
    }
}

/// Why there is no automatic suggestion.
///
/// An explicit request ignores all of these except [`Quiet::Language`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quiet {
    /// Suggestions are switched off for the language.
    Language,
    /// The cursor is in a part of the code that is listed in `disable_in`.
    Part,
    /// The cursor is in a string that holds a secret.
    Secret,
    /// The file was not changed since it was opened.
    Untouched,
    /// The last change was an undo or a redo.
    Undone,
    /// A letter or two were just taken back.
    Deleted,
    /// More changed at once than typing can.
    Bulk,
    /// The cursor is inside a word.
    MidWord,
    /// Code follows the cursor, and `eagerness` is low.
    MidLine,
    /// A suggestion was just dismissed.
    CoolDown,
    /// This suggestion was dismissed here before.
    Rejected,
    /// There is one, but `indicator_only` is set.
    IndicatorOnly,
    /// The entry selected in the editor's menu cannot be continued.
    Menu,
}

impl Quiet {
    fn code(self) -> &'static str {
        match self {
            Self::Language => "language-off",
            Self::Part => "disabled-here",
            Self::Secret => "secret-string",
            Self::Untouched => "untouched",
            Self::Undone => "after-undo",
            Self::Deleted => "after-deletion",
            Self::Bulk => "bulk-change",
            Self::MidWord => "mid-word",
            Self::MidLine => "mid-line",
            Self::CoolDown => "cool-down",
            Self::Rejected => "rejected-before",
            Self::IndicatorOnly => "indicator-only",
            Self::Menu => "menu",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::Language => "suggestions are switched off for this language",
            Self::Part => "the cursor is in a comment or a string, and `disable_in` lists it",
            Self::Secret => "the cursor is in a string that seems to hold a secret",
            Self::Untouched => "nothing was changed in this file yet; ask by hand or type",
            Self::Undone => "the last change was an undo or a redo; type on, or ask by hand",
            Self::Deleted => "something was just deleted; type on, or ask by hand",
            Self::Bulk => "more changed at once than anybody types; type on, or ask by hand",
            Self::MidWord => "the cursor is inside a word",
            Self::MidLine => "code follows the cursor, and `eagerness` is low",
            Self::CoolDown => "a suggestion was dismissed a moment ago",
            Self::Rejected => "this suggestion was dismissed here before",
            Self::IndicatorOnly => "there is a suggestion; ask by hand to see it (`indicator_only` is set)",
            Self::Menu => "the entry selected in the editor's menu cannot be continued",
        }
    }
}
