//! Upkeep of a socket: pings, silence, age, and whether the socket is still needed.
//!
//! The rules are in [keeping sockets](crate::model#keeping-sockets).

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::{Connection, End, Exchange};
use crate::model::ModelError;
use crate::model::attempt::Failure;
use crate::model::limits::{PROOF_OF_LIFE, SLEPT, SPARE_LIFE};

impl Connection<'_> {
    /// Time since the server was last heard, by the monotonic clock and by the wall clock.
    ///
    /// The monotonic clock stops while the machine sleeps.
    fn unheard(&self) -> (Duration, Duration) {
        let (at, wall) = self.heard_at;
        (at.elapsed(), (self.context.timing.wall)().duration_since(wall).unwrap_or_default())
    }

    /// Whether the server was silent for so long that the socket may be dead.
    pub(super) fn is_stale(&self) -> bool {
        let (ours, walls) = self.unheard();
        ours.max(walls) > self.context.timing.fresh
    }

    fn slept(&self) -> bool {
        let (ours, walls) = self.unheard();
        walls > ours + SLEPT
    }

    /// Sends a ping and waits for the answer.
    pub(super) async fn lives(&mut self) -> bool {
        let within = self.context.timing.pong_within.min(PROOF_OF_LIFE);
        let proof = async {
            self.socket.send(Message::Ping(Bytes::new())).await.ok()?;
            loop {
                match self.socket.next().await?.ok()? {
                    Message::Close(_) => return None,
                    Message::Pong(_) => return Some(()),
                    _ => {}
                }
            }
        };
        let lives = matches!(timeout(within, proof).await, Ok(Some(())));
        if lives {
            self.heard_at = (Instant::now(), (self.context.timing.wall)());
            self.pinged_at = None;
        }
        lives
    }

    /// When to check the socket next.
    pub(super) fn next_wake(&self) -> Instant {
        let timing = &self.context.timing;
        let mut wake =
            if self.ages { Instant::now() + PROOF_OF_LIFE.min(timing.fresh) } else { self.rotate_at };
        if self.exchanges.is_empty() {
            let ping = match self.pinged_at {
                Some(at) => at + timing.pong_within,
                None => self.heard_at.0 + timing.ping_every,
            };
            wake = wake.min(ping).min(self.looked_at + SPARE_LIFE.min(timing.idle_close));
        }
        self.exchanges.iter().map(|exchange| exchange.deadline).fold(wake, Instant::min)
    }

    /// Checks the socket: silence, pings, age, and whether it is needed.
    pub(super) async fn look(&mut self) -> Result<(), End> {
        let now = Instant::now();
        self.give_up_silent(now)?;
        if now >= self.rotate_at && !self.ages {
            self.age();
        }
        if !self.exchanges.is_empty() {
            return Ok(());
        }
        let timing = self.context.timing;
        if self.pinged_at.is_some_and(|at| now >= at + timing.pong_within) {
            tracing::debug!(id = self.id, "a ping was not answered");
            return Err(End::Replace);
        }
        if self.pinged_at.is_none() && (self.slept() || now >= self.heard_at.0 + timing.ping_every) {
            self.pinged_at = Some(now);
            self.write(Message::Ping(Bytes::new()), timing.pong_within).await?;
        }
        let is_due = now >= self.looked_at + SPARE_LIFE.min(timing.idle_close);
        if is_due || self.ages {
            let mut state = self.shared.state.lock();
            let unused = state.used_at.is_none_or(|at| now >= at + timing.idle_close);
            if state.pool.retire(self.id) || (unused && state.pool.close(self.id)) {
                return Err(End::Close);
            }
        }
        if is_due {
            self.looked_at = now;
        }
        Ok(())
    }

    /// Fails answers that were silent for too long, and gives up abandoned answers that do not end.
    fn give_up_silent(&mut self, now: Instant) -> Result<(), End> {
        let mut any = false;
        let context = Arc::clone(&self.context);
        let is_settled = |it: &mut Exchange| now >= it.deadline && it.settle(&context);
        while let Some(index) = self.exchanges.iter_mut().position(is_settled) {
            self.ended(index);
        }
        for exchange in &mut self.exchanges {
            if now < exchange.deadline {
                continue;
            }
            any = true;
            let silence = self.context.timing.silence(&exchange.call.request);
            if exchange.wanted {
                let error = ModelError::idle_timeout(&self.context.endpoint, silence);
                exchange.fail(Failure::of_request(error), &self.context);
            }
            // The lane is not reused until its answer has ended.
            exchange.deadline = now + silence;
        }
        let is_alone = self.exchanges.iter().all(|exchange| !exchange.wanted);
        if any && is_alone { Err(End::Replace) } else { Ok(()) }
    }
}
