//! One request on a socket, and its answer so far.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::attempt::{Failure, SendState};
use super::dialect::answer::{Assembly, Output};
use super::dialect::event::Frame;
use super::endpoint::EndpointContext;
use super::error_kind::Refusal;
use super::limits::NONCE_SETTLES;
use super::nonce::Verdict;
use super::{Chunk, Request, Usage, WireEvent};

/// A request on its way to a socket.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) request: Arc<Request>,
    pub(super) answer: mpsc::UnboundedSender<Result<Chunk, Failure>>,
    /// Resolves when the answer is abandoned.
    pub(super) unwanted: oneshot::Receiver<()>,
    pub(super) send_state: SendState,
    /// Bytes sent for it so far.
    pub(super) bytes_up: u64,
    /// Whether no answer is wanted, and the call only tests what the server repeats.
    pub(super) is_warm_up: bool,
}

impl Call {
    /// Whether the call was abandoned.
    pub(super) fn is_unwanted(&self) -> bool {
        self.answer.is_closed()
    }
}

/// Passes a chunk to the caller.
pub(super) fn hand_on(answer: &mpsc::UnboundedSender<Result<Chunk, Failure>>, chunk: Result<Chunk, Failure>) {
    if answer.send(chunk).is_err() {
        // The receiver is gone: the call was cancelled.
        tracing::trace!("a chunk of an abandoned answer");
    }
}

/// A request that was sent.
pub(super) struct Exchange {
    pub(super) call: Call,
    /// The lane that it was sent in.
    pub(super) lane: Option<String>,
    /// The key of the base response that it continues from.
    pub(super) base: Option<u64>,
    /// When the silence has lasted too long.
    pub(super) deadline: Instant,
    pub(super) wanted: bool,
    /// Pieces of text so far; servers send about one token in each.
    pub(super) tokens: u64,
    /// Whether the server has begun to answer.
    is_begun: bool,
    /// The nonce sent with the request.
    nonce: Option<String>,
    /// The answer so far.
    answer: Assembly,
    /// Output of a response that may belong to another request.
    held: Option<Held>,
    /// The names that the server gave to the model that answers.
    names: Vec<String>,
}

/// An answer that is held back for now.
#[derive(Default)]
struct Held {
    text: String,
    usage: Option<Usage>,
}

/// The effect of an event on an exchange.
pub(super) enum EventOutcome {
    GoesOn,
    /// The answer has ended; the socket can be used again.
    Ended,
    /// The request was refused, or failed.
    Failed(Refusal),
}

impl Exchange {
    pub(super) fn new(
        call: Call,
        lane: Option<String>,
        base: Option<u64>,
        deadline: Instant,
        served: Option<&String>,
        nonce: Option<String>,
    ) -> Self {
        let names = served.into_iter().cloned().collect();
        let (answer, held) = (Assembly::of_socket(), None);
        Self {
            call,
            lane,
            base,
            deadline,
            wanted: true,
            tokens: 0,
            is_begun: false,
            nonce,
            answer,
            held,
            names,
        }
    }

    /// Handles an event of its lane.
    pub(super) fn take(&mut self, frame: Frame, context: &EndpointContext) -> EventOutcome {
        self.release(context);
        let mut outputs = Vec::new();
        self.answer.take(frame, |output| outputs.push(output));
        for output in outputs {
            match self.heed(context.cleaned(output), context) {
                EventOutcome::GoesOn => {}
                end => return end,
            }
        }
        EventOutcome::GoesOn
    }

    fn heed(&mut self, output: Output, context: &EndpointContext) -> EventOutcome {
        match output {
            Output::Begun { model, nonce } => {
                self.is_begun = true;
                match context.echo.judge(self.nonce.as_deref(), nonce.as_deref()) {
                    Verdict::Ours => {}
                    Verdict::Foreign => return self.mismatched(),
                    Verdict::Unknown => self.held = Some(Held::default()),
                }
                self.named(model, context);
            }
            Output::Stray { nonce } => {
                let verdict = context.echo.judge(self.nonce.as_deref(), nonce.as_deref());
                tracing::debug!(?verdict, "two responses to one request");
                return self.mismatched();
            }
            Output::Text(text) => {
                self.tokens += 1;
                match self.held.as_mut().filter(|_| self.wanted) {
                    Some(held) if held.text.len() > self.call.request.longest_answer() => {
                        self.held = None;
                        return EventOutcome::Failed(Refusal::too_long());
                    }
                    Some(held) => held.text.push_str(&text),
                    None => self.hand_on(Chunk::Text(text), context),
                }
            }
            Output::Restart => match &mut self.held {
                Some(held) => held.text.clear(),
                None => self.hand_on(Chunk::Restart, context),
            },
            Output::Done(mut usage) => {
                self.names.extend(usage.model.take());
                let usage =
                    Usage { model: context.telling(&self.names), bytes_up: self.call.bytes_up, ..usage };
                if let Some(held) = &mut self.held
                    && self.wanted
                {
                    held.usage = Some(usage);
                    self.deadline = Instant::now() + NONCE_SETTLES;
                    return EventOutcome::GoesOn;
                }
                self.end(usage, context);
                return EventOutcome::Ended;
            }
            Output::Failed(refusal) => return EventOutcome::Failed(refusal),
            Output::Serves { model } => self.named(Some(model), context),
            Output::Quotas(pools) => context.tell_quotas(pools),
        }
        EventOutcome::GoesOn
    }

    /// Passes on a complete answer that was held back, as no other response arrived in time.
    /// Returns false if there was none.
    pub(super) fn settle(&mut self, context: &EndpointContext) -> bool {
        let Some(Held { text, usage: Some(usage) }) = self.held.take_if(|held| held.usage.is_some()) else {
            return false;
        };
        context.echo.record_omitted();
        if self.wanted && !text.is_empty() {
            hand_on(&self.call.answer, Ok(Chunk::Text(text)));
        }
        self.end(usage, context);
        true
    }

    /// Passes on the text held back so far if this server is known by now to omit nonces.
    fn release(&mut self, context: &EndpointContext) {
        let is_released = |held: &mut Held| held.usage.is_none() && context.echo.leaves_out();
        if let Some(Held { text, .. }) = self.held.take_if(is_released)
            && !text.is_empty()
        {
            self.hand_on(Chunk::Text(text), context);
        }
    }

    fn hand_on(&self, chunk: Chunk, context: &EndpointContext) {
        if self.wanted {
            hand_on(&self.call.answer, Ok(chunk));
        } else {
            context.tell(WireEvent::AbandonedTokens { asker: self.call.request.asker, tokens: 1 });
        }
    }

    fn end(&self, usage: Usage, context: &EndpointContext) {
        if self.wanted {
            hand_on(&self.call.answer, Ok(Chunk::Done(usage)));
        } else {
            context.tell(WireEvent::Abandoned {
                asker: self.call.request.asker,
                job: self.call.request.job,
                usage,
            });
        }
    }

    /// Fails because the response is not the requested one, or there are two responses.
    fn mismatched(&mut self) -> EventOutcome {
        self.held = None;
        EventOutcome::Failed(Refusal::mismatched())
    }

    /// Whether the complete answer is still held back for a moment.
    pub(super) fn is_settling(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.usage.is_some())
    }

    fn named(&mut self, model: Option<String>, context: &EndpointContext) {
        if let Some(model) = model.filter(|_| !self.call.is_warm_up)
            && !self.names.contains(&model)
        {
            context.tell(WireEvent::Serves(model.clone()));
            self.names.push(model);
        }
    }

    /// Fails the exchange and notifies the caller.
    pub(super) fn fail(&mut self, mut failure: Failure, context: &EndpointContext) {
        failure.bytes_up += self.call.bytes_up;
        if self.settle(context) {
            // The answer was complete, and nothing that may still arrive could show that it was another request's.
        } else {
            // What is counted must be counted before the caller goes on.
            if self.is_begun || !self.wanted {
                self.given_up(context);
            }
            if self.wanted {
                hand_on(&self.call.answer, Err(failure));
            }
        }
        self.wanted = false;
    }

    /// Counts an answer whose end will not be read.
    pub(super) fn given_up(&self, context: &EndpointContext) {
        let usage = Usage {
            input_tokens: self.call.request.claim.input_tokens,
            output_tokens: self.tokens,
            // A failure has the bytes, which are counted with the next attempt.
            bytes_up: if self.wanted { 0 } else { self.call.bytes_up },
            ..Usage::default()
        };
        context.tell(WireEvent::Abandoned {
            asker: self.call.request.asker,
            job: self.call.request.job,
            usage,
        });
    }
}
