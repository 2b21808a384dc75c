//! The times of one call, from which the speed of its candidate is learned.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Shared;
use crate::model::speed::ObservedTimes;
use crate::model::{Request, Usage};

/// The times of a call, evaluated when the call ends or is dropped.
pub(super) struct CallTimes {
    shared: Arc<Shared>,
    candidate: usize,
    asked_at: Instant,
    /// Times of the first and the last text.
    texts: Option<(Instant, Instant)>,
    pieces: u64,
    /// Bytes of the whole prompt.
    pub(super) bytes: usize,
    /// Bytes of the prompt that had to be read.
    unread: usize,
    is_learned: bool,
}

impl CallTimes {
    /// Starts the clock for a call that is about to be sent.
    pub(super) fn begin(shared: &Arc<Shared>, candidate: usize, request: &Request) -> Self {
        let is_quick = shared.state.lock().known[candidate].speed.pace().is_quick();
        let (bytes, unread) = if is_quick {
            let whole = request.instructions.len() + request.input.len();
            (whole, whole)
        } else {
            let prompt = shared.prompt(candidate, request);
            let known = &mut shared.state.lock().known[candidate];
            let unread = known.unread(&prompt);
            known.last_prompt = prompt;
            (known.last_prompt.len(), unread)
        };
        let (shared, asked_at) = (Arc::clone(shared), Instant::now());
        Self { shared, candidate, asked_at, texts: None, pieces: 0, bytes, unread, is_learned: false }
    }

    /// Records that text arrived.
    pub(super) fn came(&mut self) {
        let now = Instant::now();
        self.texts = Some((self.texts.map_or(now, |(first, _)| first), now));
        self.pieces += 1;
    }

    /// Records the regular end of the answer.
    pub(super) fn ended(&mut self, usage: &Usage) {
        {
            let mut state = self.shared.state.lock();
            let known = &mut state.known[self.candidate];
            known.speed.observe_token_length(self.bytes, usage.input_tokens);
            if let Some(times) = &usage.times {
                known.speed.reported(times);
            }
            let token_bytes = known.speed.pace().token_bytes;
            if usage.input_tokens > 0 {
                let kept = (usage.cached_tokens as f64 * token_bytes) as usize;
                // A server that had cached less than expected does not keep prompts, or not for long.
                let expected = self.bytes - self.unread;
                known.has_cache = expected == 0 || kept >= expected / 2 || usage.times.is_none();
                self.unread = self.bytes.saturating_sub(kept);
            }
        }
        self.learn(true);
    }

    /// Records that the call failed, which shows nothing about its speed.
    pub(super) fn failed(&mut self) {
        self.is_learned = true;
    }

    fn learn(&mut self, has_ended: bool) {
        if std::mem::replace(&mut self.is_learned, true) || !has_ended && self.asked_at.elapsed().is_zero() {
            return;
        }
        let (first, writing) = match self.texts {
            Some((first, last)) => (first - self.asked_at, last - first),
            None => (self.asked_at.elapsed(), Duration::ZERO),
        };
        let has_begun = self.texts.is_some();
        if has_ended && !has_begun {
            // Without text, the time to the first text is unknown.
            return;
        }
        let seen = ObservedTimes { unread: self.unread, first, has_begun, pieces: self.pieces, writing };
        let mut state = self.shared.state.lock();
        let known = &mut state.known[self.candidate];
        known.speed.observed(&seen);
        if !has_begun {
            // The server may have stopped reading right after the part that it had cached.
            known.last_prompt.truncate(self.bytes - self.unread);
        }
    }
}

impl Drop for CallTimes {
    fn drop(&mut self) {
        self.learn(false);
    }
}
