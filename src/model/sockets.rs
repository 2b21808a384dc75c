//! The sockets of one endpoint as seen by their tasks: the lock, the placement of calls, and the
//! opening of further sockets.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::attempt::Failure;
use super::drain_policy::DrainPolicy;
use super::endpoint::EndpointContext;
use super::error_kind::Refusal;
use super::exchange::{Call, hand_on};
use super::health::Stage;
use super::limits::REQUEST_LANES;
use super::pool::{Placement, Pool, SocketId, Want};
use super::{ModelError, WireEvent};
use crate::lock::Mutex;

pub(super) struct SharedSockets {
    pub(super) context: Arc<EndpointContext>,
    pub(super) state: Mutex<SocketsState>,
    /// Opens one more socket in the background, and serves calls on it.
    open: fn(Arc<SharedSockets>),
}

/// One lock for everything: a socket is in the pool exactly if its task can be reached.
#[derive(Default)]
pub(super) struct SocketsState {
    pub(super) pool: Pool<Call>,
    pub(super) tasks: HashMap<SocketId, mpsc::UnboundedSender<Call>>,
    /// What is known about lanes on this endpoint.
    pub(super) lanes: Lanes,
    /// Whether base responses are useless on this endpoint.
    pub(super) no_bases: bool,
    pub(super) drain_policy: DrainPolicy,
    /// When the last request was made.
    pub(super) used_at: Option<Instant>,
    /// Whether the model was dropped, so that no more sockets are needed.
    pub(super) closed: bool,
    pub(super) warm_up: WarmUp,
}

/// The state of the warm-up, a request without an answer that tests what the server repeats ([`super::nonce`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum WarmUp {
    #[default]
    Unwanted,
    /// To be made on the next idle socket.
    Wanted,
    /// Already made; once is enough.
    Made,
}

/// Whether one socket takes several requests at a time ([lanes](super#lanes)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Lanes {
    /// The first request will show it.
    #[default]
    Unknown,
    Work,
    None,
}

/// The current time, as `std` has it.
pub(super) fn now() -> std::time::Instant {
    Instant::now().into_std()
}

impl SharedSockets {
    pub(super) fn new(context: Arc<EndpointContext>, open: fn(Arc<Self>)) -> Arc<Self> {
        Arc::new(Self { context, state: Mutex::default(), open })
    }

    pub(super) fn send(self: &Arc<Self>, call: Call) {
        let mut state = self.state.lock();
        state.used_at = Some(Instant::now());
        let connecting = self.context.health.lock().connecting(now());
        match state.pool.place(call, connecting) {
            Placement::Socket(id, call) => state.hand_to(id, call),
            Placement::Waits => {}
            Placement::Refused(call) => {
                let error = self.context.health.lock().connect_error().cloned();
                let error = error
                    .unwrap_or_else(|| ModelError::offline(&self.context.endpoint, "it failed a moment ago"));
                refuse(&call, &error);
            }
        }
        self.connect_if_wanted(&mut state);
    }

    pub(super) fn connect_if_wanted(self: &Arc<Self>, state: &mut SocketsState) {
        state.pool.forget_waiting(Call::is_unwanted);
        let connecting = self.context.health.lock().connecting(now());
        while !state.closed && state.pool.want(connecting) == Want::Connect {
            (self.open)(Arc::clone(self));
        }
    }

    /// Notifies the listener that requests are sent over HTTP from now on.
    pub(super) fn notify_http_fallback(&self, error: &ModelError) {
        let why = format!("over HTTP for now, since sockets do not work there: {error}");
        tracing::info!(provider = self.context.endpoint.provider, why, "pinned");
        self.context.tell(WireEvent::Pinned(why));
    }

    /// Handles an unrequested response. If the server does not repeat nonces, answers on sockets
    /// can no longer be matched to their requests.
    pub(super) fn on_unrequested_response(&self) {
        if self.context.echo.repeats() {
            return;
        }
        let error = ModelError::refused(&self.context.endpoint, Refusal::mismatched());
        if self.context.health.lock().gives_up_sockets(now(), self.context.timing.probe_again) {
            self.notify_http_fallback(&error);
        }
        self.expire();
    }

    /// Expires all sockets after one was rejected as too old or overused: the others would be, too.
    pub(super) fn expire(&self) {
        let mut state = self.state.lock();
        for id in state.pool.expire() {
            // Without a sender, its task ends and closes the socket.
            state.tasks.remove(&id);
        }
    }

    /// Records whether lanes work, as learned from a request in a lane or its refusal.
    pub(super) fn learn_lanes(self: &Arc<Self>, lanes: Lanes) {
        let mut state = self.state.lock();
        if state.lanes != lanes {
            tracing::debug!(provider = self.context.endpoint.provider, ?lanes, "lanes");
            state.lanes = lanes;
            state.pool.set_capacity(if lanes == Lanes::Work { REQUEST_LANES } else { 1 });
        }
    }

    /// Records that a socket could not be opened. Returns when to try again, if calls wait for
    /// that.
    pub(super) fn could_not_open(&self, error: &ModelError) -> Option<std::time::Instant> {
        let mut state = self.state.lock();
        let (gives_up, retry_at) = {
            let mut health = self.context.health.lock();
            let gives_up = health.could_not_connect(error, now(), self.context.timing.probe_again);
            (gives_up, health.connect_at())
        };
        let mut calls = state.pool.failed();
        if gives_up {
            calls.extend(state.pool.give_up());
            self.notify_http_fallback(error);
        }
        for call in calls {
            refuse(&call, error);
        }
        retry_at.filter(|_| state.pool.has_waiting())
    }
}

/// Fails a call that got no socket.
pub(super) fn refuse(call: &Call, error: &ModelError) {
    if call.send_state.send() {
        hand_on(&call.answer, Err(Failure { stage: Stage::Upgrade, error: error.clone(), bytes_up: 0 }));
    }
}

impl SocketsState {
    pub(super) fn hand_to(&mut self, id: SocketId, call: Call) {
        // The task removes itself from this map, under this lock, before it stops listening.
        if let Some(task) = self.tasks.get(&id)
            && task.send(call).is_err()
        {
            tracing::error!(id, "a socket's task left without saying so");
        }
    }

    /// Records that an answer has ended on a socket, and places the next call on it, skipping
    /// abandoned ones.
    pub(super) fn answered(&mut self, id: SocketId) {
        self.pool.forget_waiting(Call::is_unwanted);
        if let Some(call) = self.pool.finished(id) {
            self.hand_to(id, call);
        }
    }
}
