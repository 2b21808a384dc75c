//! Records the request of a job instead of sending it.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use futures_util::StreamExt as _;

use crate::assist::{Observer, Sending};
use crate::model::{ChunkStream, Model, Request};
use crate::route::Decision;
use crate::snapshot::RelatedPart;

/// The placeholder for a model's name if none is configured.
pub(super) const NO_MODEL: &str = "no model: none is configured, or none whose key is there";

/// Records the request that a job is about to send, and ends the job.
#[derive(Default)]
pub(super) struct Recorder(OnceLock<UnsentRequest>);

impl Recorder {
    /// The recorded request, if the job made one.
    pub(super) fn recorded(&self) -> Option<&UnsentRequest> {
        self.0.get()
    }
}

/// A request that was not sent.
pub(super) struct UnsentRequest {
    pub(super) route: Decision,
    pub(super) request: Request,
    /// The kinds of its redactions.
    pub(super) withheld: Vec<&'static str>,
    /// The parts of other files in it.
    pub(super) related: Vec<RelatedPart>,
    /// The maximum size of these parts in bytes.
    pub(super) room: usize,
}

/// A placeholder if no model is configured, so that the request can be shown anyway.
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
