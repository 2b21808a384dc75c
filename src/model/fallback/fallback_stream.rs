//! One call, passed from candidate to candidate until one answers.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::task::yield_now;
use tokio::time::Instant;

use super::Shared;
use super::call_times::CallTimes;
use crate::model::health::{Blame, blame};
use crate::model::usage::Reservation;
use crate::model::{Chunk, ChunkStream, ModelError, Request, Urgency, Usage};

/// One call on its way through the candidates.
pub(super) struct FallbackStream {
    pub(super) shared: Arc<Shared>,
    pub(super) chunks: ChunkStream,
    pub(super) times: CallTimes,
    pub(super) reserved: Arc<Reservation>,
    pub(super) candidate: usize,
    /// The remaining candidates.
    pub(super) order: VecDeque<usize>,
    pub(super) again: Option<Request>,
    pub(super) job: &'static str,
    pub(super) urgency: Urgency,
    pub(super) asked_at: Instant,
    pub(super) begun: bool,
}

impl FallbackStream {
    pub(super) async fn next(mut self) -> Option<(Result<Chunk, ModelError>, Option<Self>)> {
        loop {
            match self.chunks.next().await? {
                Ok(Chunk::Text(text)) => {
                    self.times.came();
                    if !std::mem::replace(&mut self.begun, true) {
                        self.shared.record_first_text(self.candidate, self.asked_at.elapsed());
                    }
                    return Some((Ok(Chunk::Text(text)), Some(self)));
                }
                Ok(chunk @ (Chunk::Dialect(_) | Chunk::Item(_))) => return Some((Ok(chunk), Some(self))),
                Ok(Chunk::Restart) => return Some((Ok(Chunk::Restart), Some(self))),
                Ok(Chunk::Done(usage)) => {
                    self.end(usage.clone());
                    return Some((Ok(Chunk::Done(usage)), None));
                }
                Err(error) => {
                    self.times.failed();
                    let Shared { gear, candidates, meter, .. } = &*self.shared;
                    let endpoint = &candidates[self.candidate].endpoint;
                    meter.failed(gear, self.job, endpoint, &error, self.asked_at.elapsed());
                    // The caller of an explicit request shows its error.
                    let is_explicit = self.urgency != Urgency::Typing;
                    if self.begun && !is_explicit {
                        self.shared.report_failed_request(&error);
                    } else if !self.begun {
                        self.shared.failed(self.candidate, &error, is_explicit);
                        if blame(&error) != Blame::Request
                            && let Some(next) = self.order.pop_front()
                            && let Some(request) = self.again.clone()
                        {
                            self.candidate = next;
                            self.times = CallTimes::begin(&self.shared, next, &request);
                            self.reserved = self.shared.reserve(next, &request, self.times.bytes);
                            self.chunks = self.shared.call(next, request, &self.reserved);
                            self.asked_at = Instant::now();
                            continue;
                        }
                    }
                    return Some((Err(error), None));
                }
            }
        }
    }

    /// Counts an answer that ended regularly and learns from it.
    ///
    /// Ghost text is shown first, since this takes a tenth of the time that is added to the model's own.
    fn end(self, usage: Usage) {
        let Self { shared, candidate, mut times, reserved, job, urgency, .. } = self;
        let learn = move || {
            times.ended(&usage);
            shared.ended(candidate, job, &usage);
            drop(reserved);
        };
        match urgency {
            Urgency::Typing | Urgency::Invoked => drop(tokio::spawn(async move {
                yield_now().await;
                learn();
            })),
            Urgency::Asked | Urgency::Deep => learn(),
        }
    }
}
