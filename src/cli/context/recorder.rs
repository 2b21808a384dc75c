//! What a job is about to send, kept in place of being sent.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use futures_util::StreamExt as _;

use crate::assist::{Observer, Sending};
use crate::model::{ChunkStream, Model, Request};
use crate::route::Decision;
use crate::snapshot::RelatedPart;

/// What stands for a model where there is none.
pub(super) const NO_MODEL: &str = "no model: none is configured, or none whose key is there";

/// Keeps what a job is about to send, and ends the job before it is sent.
#[derive(Default)]
pub(super) struct Recorder(OnceLock<UnsentRequest>);

impl Recorder {
    /// What the job was about to send, if it got so far.
    pub(super) fn recorded(&self) -> Option<&UnsentRequest> {
        self.0.get()
    }
}

/// A request that was not sent.
pub(super) struct UnsentRequest {
    pub(super) route: Decision,
    pub(super) request: Request,
    /// What is redacted in it.
    pub(super) withheld: Vec<&'static str>,
    /// What it shows of other files.
    pub(super) related: Vec<RelatedPart>,
    /// Bytes that these may take.
    pub(super) room: usize,
}

/// Stands in for a model where none is configured: what it would be sent can be seen all the same.
pub(super) struct NoModel;

impl Model for NoModel {
    fn name(&self) -> String {
        NO_MODEL.to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        // Every job is ended before its request is sent.
        futures_util::stream::empty().boxed()
    }
}

impl Observer for Recorder {
    fn sends(&self, sending: Sending<'_>) -> ControlFlow<()> {
        let Sending { decision, request, redaction, related, room, .. } = sending;
        let withheld = redaction.kinds().collect();
        let related = related.iter().map(|part| (*part).clone()).collect();
        let recorded =
            UnsentRequest { route: decision.clone(), request: request.clone(), withheld, related, room };
        // A job is ended at its first request, so there is no second one.
        self.0.set(recorded).ok();
        ControlFlow::Break(())
    }
}
