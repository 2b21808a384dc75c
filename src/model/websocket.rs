//! The Responses API over WebSockets that are kept open.
//!
//! Each socket is owned by one task ([`super::connection`]); [`super::pool`] says which socket a call goes to. This is
//! what stands between them and the callers: the lock, the opening of sockets, and whether there is any use in them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{StreamExt as _, stream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};

use super::attempt::{Attempt, Failure, Unsent};
use super::connect::{Socket, connect};
use super::connection;
use super::drain_policy::DrainPolicy;
use super::endpoint::{EndpointContext, Said};
use super::exchange::{Call, hand_on};
use super::health::{Stage, Transport};
use super::limits::REQUEST_LANES;
use super::pool::{Place, Pool, SocketId, Want};
use super::{ModelError, Request, Urgency, WireEvent};

/// The sockets of one endpoint.
pub(super) struct Sockets {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) context: Arc<EndpointContext>,
    state: Mutex<State>,
}

/// One lock for all: a socket is in the pool exactly if its task can be reached.
#[derive(Default)]
pub(super) struct State {
    pub(super) pool: Pool<Call>,
    tasks: HashMap<SocketId, mpsc::UnboundedSender<Call>>,
    /// What is known of lanes here.
    pub(super) lanes: Lanes,
    /// Whether base responses are of no use here.
    pub(super) no_bases: bool,
    pub(super) drain_policy: DrainPolicy,
    /// When the last request was made.
    pub(super) used_at: Option<Instant>,
    /// Whether the model is gone, so that no socket is wanted any more.
    closed: bool,
}

/// Whether one socket takes several requests at a time ([lanes](super#lanes)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Lanes {
    /// The first request will tell.
    #[default]
    Unknown,
    Work,
    None,
}

impl Sockets {
    pub(super) fn new(context: Arc<EndpointContext>) -> Self {
        let state = State::default();
        Self { shared: Arc::new(Shared { context, state: Mutex::new(state) }) }
    }

    /// Opens a socket in the background, unless there is one.
    pub(super) fn warm(&self) {
        let mut state = self.shared.lock();
        state.used_at = Some(Instant::now());
        self.shared.connect_if_wanted(&mut state);
    }

    /// Whether requests go over sockets. Where they are given up, looks from time to time whether they work again.
    pub(super) fn are_used(&self) -> bool {
        let transport = self.shared.context.health().transport(now());
        if transport == Transport::HttpAndProbe {
            self.shared.lock().pool.probe();
            tokio::spawn(serve(Arc::clone(&self.shared)));
        }
        transport == Transport::Sockets
    }

    /// Sends a request to a socket, or lets it wait for one. At the first attempt at what a person asked for, connecting is
    /// tried even if it failed a moment ago.
    pub(super) fn ask(&self, request: &Arc<Request>, is_first: bool) -> Attempt {
        let (answer, chunks) = mpsc::unbounded_channel();
        let (wanted, unwanted) = oneshot::channel();
        let unsent = Unsent::default();
        let call =
            Call { request: Arc::clone(request), answer, unwanted, unsent: unsent.clone(), bytes_up: 0 };
        if is_first && request.urgency != Urgency::Typing {
            self.shared.context.health().hurry();
        }
        self.shared.send(call);
        let chunks = stream::unfold((chunks, wanted), |(mut chunks, wanted)| async {
            chunks.recv().await.map(|chunk| (chunk, (chunks, wanted)))
        });
        Attempt { chunks: chunks.boxed(), unsent: Some(unsent) }
    }

    /// A request failed on a socket.
    pub(super) fn failed(&self, error: &ModelError) {
        let context = &self.shared.context;
        let gives_up = context.health().failed_on_socket(error.kind(), now(), context.timing.probe_again);
        if gives_up {
            self.shared.tell_of_http(error);
        }
    }
}

/// The time, for plain data.
fn now() -> std::time::Instant {
    Instant::now().into_std()
}

impl Drop for Sockets {
    fn drop(&mut self) {
        // A socket's task ends when the last sender of calls is gone.
        let mut state = self.shared.lock();
        state.tasks.clear();
        state.closed = true;
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(self: &Arc<Self>, call: Call) {
        let mut state = self.lock();
        state.used_at = Some(Instant::now());
        let connecting = self.context.health().connecting(now());
        match state.pool.place(call, connecting) {
            Place::Socket(id, call) => state.hand_to(id, call),
            Place::Waits => {}
            Place::Refused(call) => {
                let error = self.context.health().connect_error().cloned();
                let error = error
                    .unwrap_or_else(|| ModelError::offline(&self.context.endpoint, "it failed a moment ago"));
                refuse(&call, &error);
            }
        }
        self.connect_if_wanted(&mut state);
    }

    pub(super) fn connect_if_wanted(self: &Arc<Self>, state: &mut State) {
        state.pool.forget_waiting(Call::is_unwanted);
        let connecting = self.context.health().connecting(now());
        while !state.closed && state.pool.want(connecting) == Want::Connect {
            tokio::spawn(serve(Arc::clone(self)));
        }
    }

    /// Requests go over HTTP from now on.
    fn tell_of_http(&self, error: &ModelError) {
        let why = format!("over HTTP for now, since sockets do not work there: {error}");
        tracing::info!(provider = self.context.endpoint.provider, why, "pinned");
        self.context.tell(WireEvent::Pinned { why });
    }

    /// A socket was called too old, or was used for too much: the others would be, too.
    pub(super) fn expire(&self) {
        let mut state = self.lock();
        for id in state.pool.expire() {
            // Without a sender its task ends, and closes the socket.
            state.tasks.remove(&id);
        }
    }

    /// What is learned from a request in a lane, or from its refusal.
    pub(super) fn learn_lanes(self: &Arc<Self>, lanes: Lanes) {
        let mut state = self.lock();
        if state.lanes != lanes {
            tracing::debug!(provider = self.context.endpoint.provider, ?lanes, "lanes");
            state.lanes = lanes;
            state.pool.set_capacity(if lanes == Lanes::Work { REQUEST_LANES } else { 1 });
        }
    }

    /// A socket could not be opened. Gives back when to try again, if calls wait for that.
    fn could_not_open(&self, error: &ModelError) -> Option<std::time::Instant> {
        let mut state = self.lock();
        let (gives_up, retry_at) = {
            let mut health = self.context.health();
            let gives_up = health.could_not_connect(error, now(), self.context.timing.probe_again);
            (gives_up, health.connect_at())
        };
        let mut calls = state.pool.failed();
        if gives_up {
            calls.extend(state.pool.give_up());
            self.tell_of_http(error);
        }
        for call in calls {
            refuse(&call, error);
        }
        retry_at.filter(|_| state.pool.has_waiting())
    }
}

/// Tells a call that it got no socket.
fn refuse(call: &Call, error: &ModelError) {
    if call.unsent.send() {
        hand_on(&call.answer, Err(Failure { stage: Stage::Upgrade, error: error.clone(), bytes_up: 0 }));
    }
}

impl State {
    pub(super) fn hand_to(&mut self, id: SocketId, call: Call) {
        // The task takes itself out of this map, under this lock, before it stops listening.
        if let Some(task) = self.tasks.get(&id)
            && task.send(call).is_err()
        {
            tracing::error!(id, "a socket's task left without saying so");
        }
    }

    /// An answer has ended on a socket: the next call goes to it, passing over abandoned ones.
    pub(super) fn answered(&mut self, id: SocketId) {
        self.pool.forget_waiting(Call::is_unwanted);
        if let Some(call) = self.pool.finished(id) {
            self.hand_to(id, call);
        }
    }
}

/// Opens a socket and serves calls on it until it is gone.
async fn serve(shared: Arc<Shared>) {
    let started = Instant::now();
    let (socket, Said { served, quotas }) = match open(&shared.context).await {
        Ok(opened) => opened,
        Err(error) => {
            tracing::warn!(%error, "cannot connect");
            // Calls that wait for a busy socket to end may get one of their own as soon as connecting is due again.
            if let Some(retry_at) = shared.could_not_open(&error) {
                sleep_until(retry_at.into()).await;
                let mut state = shared.lock();
                shared.connect_if_wanted(&mut state);
            }
            return;
        }
    };
    let (task, calls) = mpsc::unbounded_channel();
    let id = {
        let mut state = shared.lock();
        state.pool.forget_waiting(Call::is_unwanted);
        if state.closed {
            return;
        }
        shared.context.health().connected();
        let (id, call) = state.pool.connected();
        state.tasks.insert(id, task);
        if let Some(call) = call {
            state.hand_to(id, call);
        }
        // The reserve, now that sockets are granted.
        shared.connect_if_wanted(&mut state);
        id
    };
    shared.context.tell(WireEvent::Connected { took: started.elapsed() });
    if let Some(model) = &served {
        shared.context.tell(WireEvent::Serves { model: model.clone() });
    }
    shared.context.tell_quotas(quotas);
    tracing::debug!(id, provider = shared.context.endpoint.provider, "connected");
    let (mut calls, replace, mut left) = connection::run(&shared, id, socket, served, calls).await;
    {
        let mut state = shared.lock();
        state.tasks.remove(&id);
        let (connecting, error) = {
            let health = shared.context.health();
            (health.connecting(now()), health.connect_error().cloned())
        };
        for call in state.pool.gone(id, connecting) {
            let error = error.clone();
            refuse(&call, &error.unwrap_or_else(|| ModelError::closed(&shared.context.endpoint)));
        }
        if replace {
            shared.connect_if_wanted(&mut state);
        }
    }
    tracing::debug!(id, "disconnected");
    calls.close();
    while let Ok(call) = calls.try_recv() {
        left.push(call);
    }
    // Calls that were handed over just before the socket went are tried on another one.
    for call in left {
        shared.send(call);
    }
}

/// Opens a socket in time. In a task of its own, so that a panic on the way is one failure among others, and the pool
/// does not count on a socket that never comes.
async fn open(context: &Arc<EndpointContext>) -> Result<(Socket, Said), ModelError> {
    let within = context.timing.connect;
    let opening = {
        let context = Arc::clone(context);
        tokio::spawn(async move { timeout(within, connect(&context)).await })
    };
    match opening.await {
        Ok(Ok(opened)) => opened,
        Ok(Err(_)) => {
            let late = format!("no answer within {} s", within.as_secs());
            Err(ModelError::offline(&context.endpoint, &late))
        }
        Err(panic) => Err(ModelError::offline(&context.endpoint, &panic.to_string())),
    }
}
