//! What a job adds to the pipeline: its target, its prompt, and how its answer is read and validated.

use std::ops::Range;
use std::time::Duration;

use super::AnswerStream;
use crate::assist::completion_params::CompletionParams;
use crate::assist::outcome::Completion;
use crate::context::NearbySecrets;
use crate::edit::Refusal;
use crate::job::{Job, Reason};
use crate::model::{Fim, OpenDocument, Request, Usage};
use crate::prompt::Prompt;
use crate::route::{Gear, RouteInput};

/// A job that the pipeline runs.
pub(in crate::assist) trait Task: Send {
    const JOB: Job;
    /// State from the prompt that is needed to read the answer.
    type Shown: Send;
    /// An answer that was read but not yet validated.
    type Draft: Send;
    /// The result.
    type Output: Send;

    /// Adds the facts that routing depends on besides the models and the file.
    fn route_input<'a>(&'a self, facts: RouteInput<'a>) -> RouteInput<'a> {
        facts
    }

    /// The byte range of the document that the job is about; empty if it is about no document.
    fn target(&self) -> Range<usize> {
        0..0
    }

    /// The secrets near the target, if the job has found them; else the pipeline searches for them.
    fn secrets(&self) -> Option<&NearbySecrets> {
        None
    }

    /// Renders the prompt for a gear's model.
    fn prompt(&mut self, gear: Gear) -> impl Future<Output = Result<(Prompt, Self::Shown), Reason>> + Send;

    /// Adds the parts of the request that only this job sends.
    fn request(&self, request: Request) -> Request {
        request
    }

    /// The fill-in-the-middle form for models that take it: a copy of the code in the prompt.
    fn fim(&self) -> Option<Fim> {
        None
    }

    /// The whole document, for language servers.
    fn document(&self) -> Option<Box<OpenDocument>> {
        None
    }

    /// The parameters, if it is a completion, for the [`Observer`].
    fn completion(&self) -> Option<CompletionParams> {
        None
    }

    /// The parts of the file that were tried, if it is a completion, for the [`Observer`].
    fn windows(&self) -> &[Range<usize>] {
        &[]
    }

    /// The result, if it is a completion, for the [`Observer`].
    fn completed(_: &Self::Output) -> Option<&Completion> {
        None
    }

    /// Makes the prompt show less; false if it cannot usefully shrink further.
    ///
    /// For models that cannot read the prompt in time.
    fn shrink(&mut self) -> bool {
        false
    }

    /// Called with the time that a slow model is expected to take.
    fn expects(&mut self, _: Duration) {}

    /// Waits until the prepared request may be sent.
    fn until_due(&mut self) -> impl Future<Output = Result<(), Reason>> + Send {
        async { Ok(()) }
    }

    /// Reads the answer. The request has been sent; the model may still be thinking.
    fn read(
        &mut self,
        shown: Self::Shown,
        answer: AnswerStream,
    ) -> impl Future<Output = Result<(Self::Draft, Usage), Reason>> + Send;

    /// The local engine's draft. `withheld` is the reason if models may not see the file.
    fn local(&mut self, withheld: Option<Reason>) -> Result<Self::Draft, Reason> {
        Err(withheld.unwrap_or(Reason::NeedsModel))
    }

    /// Whether the local engine steps in when the last available model fails, or the budget is spent.
    fn has_fallback(&self) -> bool {
        false
    }

    /// The model's reply in a draft, if the model may be asked for a better one once it is refused.
    fn reply<'a>(&self, draft: &'a Self::Draft) -> Option<&'a str> {
        _ = draft;
        None
    }

    /// Called when a reply was refused, before the model is asked for a better one.
    fn corrects(&mut self, _: &Refusal) {}

    /// Checks a draft and turns it into the result.
    fn validate(&mut self, draft: Self::Draft) -> impl Future<Output = Result<Self::Output, Reason>> + Send;
}
