//! What an observer sees of the jobs: each request before it is sent, its answer, and how the job ended.

use std::ops::{ControlFlow, Range};

use super::completion_params::CompletionParams;
use super::outcome::{Completion, Origin};
use crate::job::{Job, Reason};
use crate::model::{Chunk, ModelError, Pace, Request};
use crate::privacy::Redaction;
use crate::route::Decision;
use crate::snapshot::{RelatedPart, Snapshot};

/// A request that is about to be sent to a model.
#[derive(Debug, Clone, Copy)]
pub struct Sending<'a> {
    /// The job that it is for.
    pub job: Job,
    /// The gear that it goes to, and the reason.
    pub decision: &'a Decision,
    /// The request as sent to the model.
    pub request: &'a Request,
    /// The file that it is about.
    pub snapshot: &'a Snapshot,
    /// The byte offset in the file that it is about, or the start of that span.
    pub at: usize,
    /// The secrets redacted from it.
    pub redaction: &'a Redaction,
    /// The parts of other files that it shows.
    pub related: &'a [&'a RelatedPart],
    /// Limit on the bytes of these parts.
    pub room: usize,
    /// The parameters, if it is for ghost text.
    pub completion: Option<CompletionParams>,
    /// The bytes of the file that were tried for ghost text, largest first: a slow model gets the last.
    pub windows: &'a [Range<usize>],
    /// The model's speeds, which limit the request.
    pub pace: &'a Pace,
    /// Bytes of it that the model has to read; 0 for a quick model.
    pub unread: usize,
}

/// How a routed job ended.
#[derive(Debug, Clone, Copy)]
pub struct EndedJob<'a> {
    /// The job.
    pub job: Job,
    /// The [number](AnswerObserver::number) of its request; `None` if none was sent, or secrets were redacted in it.
    pub request: Option<u64>,
    /// The origin of the result, or the reason for its absence.
    pub outcome: Result<&'a Origin, &'a Reason>,
    /// The result, if it is ghost text.
    pub completion: Option<&'a Completion>,
}

/// Watches the jobs of an [`Assist`](super::Assist).
pub trait Observer: Send + Sync {
    /// Called before a request is sent. `Break` cancels its job.
    fn sends(&self, sending: Sending<'_>) -> ControlFlow<()> {
        _ = sending;
        ControlFlow::Continue(())
    }

    /// Called when a request is sent to the model of this name. The returned value receives the answer.
    fn on_sent(&self, sending: Sending<'_>, model: &str) -> Option<Box<dyn AnswerObserver>> {
        _ = (sending, model);
        None
    }

    /// Called when a routed job has ended, with or without a result.
    fn ended(&self, ended: EndedJob<'_>) {
        _ = ended;
    }
}

/// Receives an answer as the model writes it, before redacted secrets are restored. Dropped when the answer ends.
pub trait AnswerObserver: Send {
    /// The number of the request, unique to its observer.
    fn number(&self) -> u64;

    /// Called with the next chunk.
    fn on_chunk(&mut self, piece: &Result<Chunk, ModelError>);
}
