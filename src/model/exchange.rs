//! One request on one socket, and what came of it so far (protocol notes §2.6, §3).

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::attempt::{Failure, Unsent};
use super::dialect::event::Event;
use super::link::Link;
use super::{Chunk, Request, Usage, WireEvent};

/// A request on its way to a socket.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) request: Arc<Request>,
    pub(super) answer: mpsc::UnboundedSender<Result<Chunk, Failure>>,
    /// Ends when nobody wants the answer any more.
    pub(super) unwanted: oneshot::Receiver<()>,
    pub(super) unsent: Unsent,
    /// Bytes that were sent for it so far.
    pub(super) bytes_up: u64,
}

impl Call {
    /// Whether nobody waits for it any more.
    pub(super) fn is_unwanted(&self) -> bool {
        self.answer.is_closed()
    }
}

/// Hands a chunk to whoever waits for it.
pub(super) fn hand_on(answer: &mpsc::UnboundedSender<Result<Chunk, Failure>>, chunk: Result<Chunk, Failure>) {
    if answer.send(chunk).is_err() {
        // The receiver is gone: the call was cancelled, and its rest is for nobody.
        tracing::trace!("a chunk for nobody");
    }
}

/// A request that was sent.
pub(super) struct Exchange {
    pub(super) call: Call,
    /// The lane it was sent in.
    pub(super) lane: Option<String>,
    /// The base response that it continues from, by its key.
    pub(super) base: Option<u64>,
    /// When silence has lasted too long.
    pub(super) deadline: Instant,
    pub(super) wanted: bool,
    pub(super) begun: bool,
    /// Pieces of text so far; servers send about one token in each.
    pub(super) tokens: u64,
    /// The response that is ours. What comes before it has begun, or names another, is the tail of an older one.
    ours: Option<String>,
    /// What the server called the model that answers.
    names: Vec<String>,
}

/// What an event meant for an exchange.
pub(super) enum Step {
    GoesOn,
    /// It has ended; the socket is as good as before.
    Ended,
    /// It was refused, or failed.
    Failed(super::condition::Refusal),
}

impl Exchange {
    pub(super) fn new(
        call: Call,
        lane: Option<String>,
        base: Option<u64>,
        deadline: Instant,
        served: Option<&String>,
    ) -> Self {
        let names = served.into_iter().cloned().collect();
        Self { call, lane, base, deadline, wanted: true, begun: false, tokens: 0, ours: None, names }
    }

    /// Takes an event of its lane.
    pub(super) fn take(&mut self, event: Event, link: &Link) -> Step {
        match link.cleaned(event) {
            Event::Created { id, model } => {
                self.begun = true;
                self.ours = id;
                self.named(model, link);
            }
            Event::Text(text) if self.begun => {
                self.tokens += 1;
                if self.wanted {
                    hand_on(&self.call.answer, Ok(Chunk::Text(text)));
                } else {
                    link.tell(WireEvent::ForNobody { tokens: 1 });
                }
            }
            Event::Completed { id, mut usage, text }
                if self.begun && (id.is_none() || self.ours.is_none() || id == self.ours) =>
            {
                if self.tokens == 0 && !text.is_empty() {
                    // A server that sends no deltas has said it all at the end.
                    hand_on(&self.call.answer, Ok(Chunk::Text(text)));
                }
                self.names.extend(usage.model.take());
                let usage = Usage { model: link.telling(&self.names), bytes_up: self.call.bytes_up, ..usage };
                if self.wanted {
                    hand_on(&self.call.answer, Ok(Chunk::Done(usage)));
                } else {
                    link.tell(WireEvent::Abandoned(usage));
                }
                return Step::Ended;
            }
            Event::Failed(refusal) => return Step::Failed(refusal),
            Event::Serves { model } => self.named(Some(model), link),
            Event::Quotas(pools) => link.tell_quotas(pools),
            Event::Other | Event::Text(_) | Event::Completed { .. } => {
                tracing::trace!("an event passed over");
            }
        }
        Step::GoesOn
    }

    fn named(&mut self, model: Option<String>, link: &Link) {
        if let Some(model) = model
            && !self.names.contains(&model)
        {
            link.tell(WireEvent::Serves { model: model.clone() });
            self.names.push(model);
        }
    }

    /// It failed: tells whoever waits.
    pub(super) fn fail(&mut self, mut failure: Failure, link: &Link) {
        failure.bytes_up += self.call.bytes_up;
        if self.wanted {
            hand_on(&self.call.answer, Err(failure));
        } else {
            self.given_up(link);
        }
        self.wanted = false;
    }

    /// Nobody wants it, and its end will not be seen.
    pub(super) fn given_up(&self, link: &Link) {
        let (output_tokens, bytes_up) = (self.tokens, self.call.bytes_up);
        link.tell(WireEvent::Abandoned(Usage { output_tokens, bytes_up, ..Usage::default() }));
    }
}
