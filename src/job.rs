//! The kinds of jobs, and the reasons for which a job has no result.

use crate::edit::Refusal;
use crate::text::{coded, named};

named! {
    /// A kind of work.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Job {
        /// Ghost text at a cursor.
        Complete = "completion",
        /// New text for a range of lines, by instruction.
        Rewrite = "rewrite",
        /// The edit that follows from the user's recent edits.
        NextEdit = "next edit",
        /// The edit that fixes what a diagnostic reports.
        Fix = "fix",
        /// The steps of a change across files, by instruction.
        Plan = "plan",
        /// One file's part of a plan.
        Step = "step",
        /// The answer to a question about the project.
        Ask = "question",
        /// A text about code: an explanation, a review, a commit message.
        Answer = "answer",
    }
}

coded! {
    /// Why a job has no result. Each has a stable code for machines and a clause for the user.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    pub enum Reason {
        /// The file is not open.
        #[error("the file is not open; open it and try again")]
        NotOpen = "not-open",
        /// The server's text of the file may differ from the editor's; ends when the whole text is sent.
        #[error("the server lost track of the file; close and open it again")]
        OutOfSync = "out-of-sync",
        /// The file is larger than the limit.
        #[error("the file is larger than `max_file_bytes`; raise that to work in it")]
        TooLarge = "too-large",
        /// The file is the JSON of a notebook, opened as text.
        #[error("this is the JSON of a notebook; open it as a notebook to work in its cells")]
        NotebookFile = "notebook-file",
        /// The file is withheld from models, or from every engine.
        #[error("no model is shown this file: {why}")]
        Withheld {
            /// `secret` or `ignored`.
            code: &'static str,
            /// Why the file is withheld.
            why: String,
        },
        /// The document changed while the answer was made.
        #[error("the document changed while the answer was made; try again")]
        Stale = "stale",
        /// A newer request for the same file took over.
        #[error("a newer request replaced this one")]
        Superseded = "superseded",
        /// The model, or the local engine, has nothing to add here.
        #[error("there is nothing to add here")]
        NothingToAdd = "nothing-to-add",
        /// The message of a commit was to be continued, and the commit would be empty.
        #[error("nothing is staged that a model may see; run `git add` first")]
        NothingStaged = "nothing-staged",
        /// No next edit follows from what was done.
        #[error("no follow-up edit was found")]
        NothingFollows = "nothing-to-add",
        /// The model returned the text unchanged.
        #[error("the model left the code as it is")]
        Unchanged = "unchanged",
        /// The model wrote no code where there was none.
        #[error("the model wrote no new code; to change code that is there, select it or put the comment right above it")]
        NothingWritten = "unchanged",
        /// No model is configured, and the local engine does not understand the instruction.
        #[error("no model is configured; `tandem setup` chooses one, or write `rename A to B`")]
        NoModel = "no-model",
        /// No model is configured, and the job cannot be done without one.
        #[error("no model is configured, and this needs one; `tandem setup` chooses one")]
        NeedsModel = "no-model",
        /// Models are configured, but none of them can do this job: why, and what to do about it.
        #[error("{0}")]
        UnfitModels(String) = "no-model",
        /// The answer did not come in time.
        #[error("the model did not answer in time; try again")]
        Deadline = "deadline",
        /// A slow model's answer did not come in time, with the time that was expected of it.
        #[error("{0}")]
        Late(String) = "deadline",
        /// The edit engine refused the edit that the answer contains.
        #[error(transparent)]
        Refused(#[from] Refusal),
        /// The disk did not answer in time, or something that the job needs cannot be read: one sentence for the user.
        #[error("{0}")]
        NotRead(String) = "not-read",
        /// The answer was unusable for another reason, or something that it needs is missing.
        #[error("{why}")]
        Unusable {
            /// A stable name for counting, such as `range-too-large`.
            code: &'static str,
            /// One sentence for the user.
            why: String,
        },
        /// The reply was not of the kind requested: it was empty, or no plan.
        #[error("{why}")]
        NoAnswer {
            /// A stable name for counting.
            code: &'static str,
            /// One sentence for the user.
            why: String,
        },
        /// No model was asked, because a suggestion would be unwelcome.
        #[error(transparent)]
        Quiet(SuppressionReason),
        /// The request to the model failed, with the cause.
        #[error("{0}")]
        Model(String) = "model",
        /// A spending cap is reached: which one, and how much is spent.
        #[error("{0}")]
        Capped(String) = "capped",
        /// The user snoozed suggestions.
        #[error("suggestions are snoozed; `tandem.snooze` with 0 minutes ends that")]
        Snoozed = "snoozed",
        /// The user cancelled the job.
        #[error("it was cancelled")]
        Cancelled = "cancelled",
        /// Next edits are switched off for this language.
        #[error("next edits are switched off by `next_edit`; request one explicitly, or change that")]
        Off = "off",
        /// There is no recent edit from which another could follow.
        #[error("there is no recent edit that something could follow from; edit the file first")]
        NothingDone = "nothing-done",
        /// No dismissed suggestion can be shown again.
        #[error("nothing was dismissed here, or its place has changed since")]
        NothingDismissed = "nothing-dismissed",
        /// No model is configured, and the local engine knows no certain fix.
        #[error("no model is configured, and no fix is certain here; `tandem setup` chooses a model")]
        NoFix = "no-model",
        /// The server itself failed.
        #[error("the server failed; report it with the server's log")]
        Internal = "internal",
    } match {
        Self::Refused(refusal) => refusal.code(),
        Self::Quiet(quiet) => quiet.code(),
        Self::Unusable { code, .. } | Self::NoAnswer { code, .. } | Self::Withheld { code, .. } => code,
    }
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
        matches!(self, Self::NothingToAdd | Self::NothingFollows | Self::Unchanged) || self.is_refusal()
    }
}

coded! {
    /// Why no automatic suggestion is made.
    ///
    /// An explicit request ignores all of these except [`SuppressionReason::Language`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
    pub enum SuppressionReason {
        /// Suggestions are switched off for the language.
        #[error("suggestions are switched off for this language by `languages`")]
        Language = "language-off",
        /// The cursor is in a comment or a string, and `disable_in` lists that.
        #[error("the cursor is in a comment or a string, and `disable_in` lists that")]
        Part = "disabled-here",
        /// The cursor is in a string that holds a secret.
        #[error("the cursor is in a string that seems to hold a secret")]
        Secret = "secret-string",
        /// The file has not changed since it was opened.
        #[error("nothing changed since the file was opened; type, or request a suggestion")]
        Untouched = "untouched",
        /// The last change was an undo or a redo.
        #[error("the last change was an undo or a redo; type on, or request a suggestion")]
        Undone = "after-undo",
        /// The last change deleted text.
        #[error("the last change deleted text; type on, or request a suggestion")]
        Deleted = "after-deletion",
        /// The last change was larger than one made by typing.
        #[error("the last change was larger than a typed one; type on, or request a suggestion")]
        Bulk = "bulk-change",
        /// The cursor is inside a word.
        #[error("the cursor is inside a word; move to its end, or request a suggestion")]
        MidWord = "mid-word",
        /// Code follows the cursor, and `eagerness` is low.
        #[error("code follows the cursor, and `eagerness` is low; request a suggestion")]
        MidLine = "mid-line",
        /// A suggestion was just dismissed.
        #[error("a suggestion was dismissed a moment ago; type on, or request another")]
        CoolDown = "cool-down",
        /// This suggestion was dismissed here before.
        #[error("this suggestion was dismissed here before; request one to see it again")]
        Rejected = "rejected-before",
        /// A suggestion is available, but `indicator_only` hides it.
        #[error("a suggestion is hidden by `indicator_only`; request it to see it")]
        IndicatorOnly = "indicator-only",
        /// The entry selected in the editor's menu cannot be continued.
        #[error("the entry selected in the editor's menu cannot be continued; close the menu")]
        Menu = "menu",
        /// A model's suggestion differs from the prediction on screen.
        #[error("the model's suggestion differs from what is shown; type on, or request it explicitly")]
        PredictionStays = "prediction-stays",
        /// The model would take too long to read the prompt.
        #[error("the model reads too slowly for this; request it explicitly")]
        SlowModel = "slow-model",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_may_answer_the_same_request_later() {
        let (not_read, why) = (Reason::NotRead("it is slow".to_owned()), "it is large".to_owned());
        assert_eq!(
            (not_read.code(), not_read.is_lasting(), not_read.is_refusal()),
            ("not-read", false, false)
        );
        assert!(Reason::Unusable { code: "range-too-large", why }.is_lasting());
    }
}
