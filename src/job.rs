//! The kinds of jobs, and the reasons for which a job has no result.

use std::fmt;

use crate::edit::Refusal;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Job {
    /// Ghost text at a cursor.
    Complete,
    /// New text for a range of lines, by instruction.
    Rewrite,
    /// The edit that follows from the user's recent edits.
    NextEdit,
    /// The edit that fixes what a diagnostic reports.
    Fix,
    /// The steps of a change across files, by instruction.
    Plan,
    /// One file's part of a plan.
    Step,
    /// The answer to a question about the project.
    Ask,
    /// A text about code: an explanation, a review, a commit message.
    Answer,
}

impl Job {
    /// The job's word in messages and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "completion",
            Self::Rewrite => "rewrite",
            Self::NextEdit => "next edit",
            Self::Fix => "fix",
            Self::Plan => "plan",
            Self::Step => "step",
            Self::Ask => "question",
            Self::Answer => "answer",
        }
    }
}

/// Why a job has no result. Each has a stable code for machines and a clause for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The file is not open.
    NotOpen,
    /// The server's text of the file may differ from the editor's; ends when the whole text is sent.
    OutOfSync,
    /// The file is larger than the limit.
    TooLarge,
    /// The file is the JSON of a notebook, opened as text.
    NotebookFile,
    /// The file is withheld from models, or from every engine.
    Withheld {
        /// `secret` or `ignored`.
        code: &'static str,
        /// Why the file is withheld.
        why: String,
    },
    /// The document changed while the answer was made.
    Stale,
    /// A newer request for the same file took over.
    Superseded,
    /// The model, or the local engine, has nothing to add here.
    NothingToAdd,
    /// The model returned the text unchanged.
    Unchanged,
    /// The model wrote no code where there was none.
    NothingWritten,
    /// No model is configured, and the local engine does not understand the instruction.
    NoModel,
    /// No model is configured, and the job cannot be done without one.
    NeedsModel,
    /// Models are configured, but none of them can do this job: why, and what to do about it.
    UnfitModels(String),
    /// The answer did not come in time.
    Deadline,
    /// A slow model's answer did not come in time, with the time that was expected of it.
    Late(String),
    /// The edit engine refused the edit that the answer contains.
    Refused(Refusal),
    /// The answer was unusable for another reason, or something that it needs is missing.
    Unusable {
        /// A stable name for counting, such as `not-read`.
        code: &'static str,
        /// One sentence for the user.
        why: String,
    },
    /// The reply was not of the kind requested: it was empty, or no plan.
    NoAnswer {
        /// A stable name for counting.
        code: &'static str,
        /// One sentence for the user.
        why: String,
    },
    /// No model was asked, because a suggestion would be unwelcome.
    Quiet(SuppressionReason),
    /// The request to the model failed, with the cause.
    Model(String),
    /// A spending cap is reached: which one, and how much is spent.
    Capped(String),
    /// The user snoozed suggestions.
    Snoozed,
    /// The user cancelled the job.
    Cancelled,
    /// Next edits are switched off for this language.
    Off,
    /// There is no recent edit from which another could follow.
    NothingDone,
    /// No dismissed suggestion can be shown again.
    NothingDismissed,
    /// No model is configured, and the local engine knows no certain fix.
    NoFix,
    /// The server itself failed.
    Internal,
}

impl Reason {
    /// Whether no model can be asked, so that only the local engine is available.
    pub fn is_lack_of_model(&self) -> bool {
        matches!(self, Self::NoModel | Self::NeedsModel | Self::NoFix | Self::UnfitModels(_))
    }

    /// Whether an answer came and was refused.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Unusable { .. } | Self::NoAnswer { .. })
    }

    /// Whether the same request would have the same outcome.
    pub fn is_lasting(&self) -> bool {
        matches!(self, Self::NothingToAdd | Self::Unchanged) || self.is_refusal()
    }

    /// A stable name for counting.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotOpen => "not-open",
            Self::OutOfSync => "out-of-sync",
            Self::TooLarge => "too-large",
            Self::NotebookFile => "notebook-file",
            Self::Stale => "stale",
            Self::Superseded => "superseded",
            Self::NothingToAdd => "nothing-to-add",
            Self::Unchanged | Self::NothingWritten => "unchanged",
            Self::NoModel | Self::NeedsModel | Self::NoFix | Self::UnfitModels(_) => "no-model",
            Self::Deadline | Self::Late(_) => "deadline",
            Self::Refused(refusal) => refusal.code(),
            Self::Unusable { code, .. } | Self::NoAnswer { code, .. } | Self::Withheld { code, .. } => code,
            Self::Quiet(quiet) => quiet.code(),
            Self::Model(_) => "model",
            Self::Capped(_) => "capped",
            Self::Snoozed => "snoozed",
            Self::Cancelled => "cancelled",
            Self::Off => "off",
            Self::NothingDone => "nothing-done",
            Self::NothingDismissed => "nothing-dismissed",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Withheld { why, .. } if why.starts_with("no model is asked") => why,
            Self::Withheld { why, .. } => return write!(f, "no model is shown this file: {why}"),
            Self::NotOpen => "the file is not open; open it and try again",
            Self::OutOfSync => "the server lost track of the file; close and open it again",
            Self::TooLarge => "the file is larger than `max_file_bytes`; raise that to work in it",
            Self::NotebookFile => "this is the JSON of a notebook; open it as a notebook to work in its cells",
            Self::Stale => "the document changed while the answer was made; try again",
            Self::Superseded => "a newer request replaced this one",
            Self::NothingToAdd => "there is nothing to add here",
            Self::Unchanged => "the model left the code as it is",
            Self::NothingWritten => {
                "the model wrote no new code; to change code that is there, select it or put the comment right above it"
            }
            Self::NoModel => "no model is configured; `tandem setup` chooses one, or write `rename A to B`",
            Self::NeedsModel => "no model is configured, and this needs one; `tandem setup` chooses one",
            Self::Deadline => "the model did not answer in time; try again",
            Self::Refused(refusal) => return refusal.fmt(f),
            Self::Unusable { why, .. }
            | Self::NoAnswer { why, .. }
            | Self::Model(why)
            | Self::Late(why)
            | Self::Capped(why)
            | Self::UnfitModels(why) => why,
            Self::Cancelled => "it was cancelled",
            Self::Snoozed => "suggestions are snoozed; `tandem.snooze` with 0 minutes ends that",
            Self::Quiet(quiet) => quiet.why(),
            Self::Off => "next edits are switched off by `next_edit`; request one explicitly, or change that",
            Self::NothingDone => {
                "there is no recent edit that something could follow from; edit the file first"
            }
            Self::NothingDismissed => "nothing was dismissed here, or its place has changed since",
            Self::NoFix => {
                "no model is configured, and no fix is certain here; `tandem setup` chooses a model"
            }
            Self::Internal => "the server failed; report it with the server's log",
        })
    }
}

impl std::error::Error for Reason {}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Why no automatic suggestion is made.
///
/// An explicit request ignores all of these except [`SuppressionReason::Language`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppressionReason {
    /// Suggestions are switched off for the language.
    Language,
    /// The cursor is in a comment or a string, and `disable_in` lists that.
    Part,
    /// The cursor is in a string that holds a secret.
    Secret,
    /// The file has not changed since it was opened.
    Untouched,
    /// The last change was an undo or a redo.
    Undone,
    /// The last change deleted text.
    Deleted,
    /// The last change was larger than one made by typing.
    Bulk,
    /// The cursor is inside a word.
    MidWord,
    /// Code follows the cursor, and `eagerness` is low.
    MidLine,
    /// A suggestion was just dismissed.
    CoolDown,
    /// This suggestion was dismissed here before.
    Rejected,
    /// A suggestion is available, but `indicator_only` hides it.
    IndicatorOnly,
    /// The entry selected in the editor's menu cannot be continued.
    Menu,
    /// A model's suggestion differs from the prediction on screen.
    PredictionStays,
    /// The model would take too long to read the prompt.
    SlowModel,
}

impl SuppressionReason {
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
            Self::PredictionStays => "prediction-stays",
            Self::SlowModel => "slow-model",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::Language => "suggestions are switched off for this language by `languages`",
            Self::Part => "the cursor is in a comment or a string, and `disable_in` lists that",
            Self::Secret => "the cursor is in a string that seems to hold a secret",
            Self::Untouched => "nothing changed since the file was opened; type, or request a suggestion",
            Self::Undone => "the last change was an undo or a redo; type on, or request a suggestion",
            Self::Deleted => "the last change deleted text; type on, or request a suggestion",
            Self::Bulk => "the last change was larger than a typed one; type on, or request a suggestion",
            Self::MidWord => "the cursor is inside a word; move to its end, or request a suggestion",
            Self::MidLine => "code follows the cursor, and `eagerness` is low; request a suggestion",
            Self::CoolDown => "a suggestion was dismissed a moment ago; type on, or request another",
            Self::Rejected => "this suggestion was dismissed here before; request one to see it again",
            Self::IndicatorOnly => "a suggestion is hidden by `indicator_only`; request it to see it",
            Self::Menu => "the entry selected in the editor's menu cannot be continued; close the menu",
            Self::PredictionStays => {
                "the model's suggestion differs from what is shown; type on, or request it explicitly"
            }
            Self::SlowModel => "the model reads too slowly for this; request it explicitly",
        }
    }
}
