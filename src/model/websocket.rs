//! The Responses API over WebSockets that are kept open (protocol notes §1 to §3, §5).
//!
//! Each socket is owned by one task ([`super::connection`]); [`super::pool`] says which socket a call goes to. This is
//! what stands between them and the callers: the lock, the opening of sockets, and whether there is any use in them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};

use super::attempt::{Attempt, Failure, Unsent};
use super::connect::{Socket, connect};
use super::connection;
use super::drain_policy::DrainPolicy;
use super::endpoint::{EndpointContext, Said};
use super::error_kind::ErrorKind;
use super::exchange::{Call, hand_on};
use super::pool::{Place, Pool, SocketId, Want};
use super::recovery::{Row, Stage, Transport, rule};
use super::{ModelError, Request, Urgency, WireEvent};

/// A refusal for the number of connections, or by a challenge, is not tried against for this long (protocol notes §1.4).
const AFTER_FORBIDDEN: Duration = Duration::from_secs(3);
/// The longest time between two looks at whether sockets work again.
const LAST_PROBE: Duration = Duration::from_secs(60 * 60);

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
    /// Why connecting failed the last time, for those who are refused in the meantime.
    failure: Option<ModelError>,
    /// Refused or failed upgrades since the last that was granted.
    upgrade_failures: u8,
    /// Requests in a row that failed for their socket's sake.
    request_failures: u8,
    /// While there is no use in sockets here: when to look again, and how long to wait after that.
    pinned: Option<(Instant, Duration)>,
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

/// Whether one socket takes several requests at a time (protocol notes §2.5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Lanes {
    /// The first request will tell.
    #[default]
    Unknown,
    Work,
    None,
}

/// Requests in progress on one socket where lanes work. The service runs 16 at a time; one is kept for bases.
const LANES: usize = 15;

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

    /// Whether there is no use in sockets here. Looks from time to time whether there is again.
    pub(super) fn is_pinned(&self) -> bool {
        let mut state = self.shared.lock();
        let Some((probe_at, wait)) = state.pinned else { return false };
        let now = Instant::now();
        if now >= probe_at {
            let wait = (wait * 2).min(LAST_PROBE);
            state.pinned = Some((now + wait, wait));
            state.pool.probe();
            tokio::spawn(serve(Arc::clone(&self.shared)));
        }
        true
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
            self.shared.lock().pool.hurry();
        }
        self.shared.send(call);
        let chunks = stream::unfold((chunks, wanted), |(mut chunks, wanted)| async {
            chunks.recv().await.map(|chunk| (chunk, (chunks, wanted)))
        });
        Attempt { chunks: chunks.boxed(), unsent: Some(unsent) }
    }

    /// A request was answered.
    pub(super) fn succeeded(&self) {
        self.shared.lock().request_failures = 0;
    }

    /// A request failed by this rule.
    pub(super) fn failed(&self, rule: &Row, error: &ModelError) {
        // Upgrades are counted where they fail.
        if rule.stage == Stage::Request
            && let Transport::PinAfter(most) = rule.transport
        {
            let mut state = self.shared.lock();
            state.request_failures = state.request_failures.saturating_add(1);
            if state.request_failures >= most {
                self.shared.pin(&mut state, error);
            }
        }
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        // A socket's task ends when nobody can hand it a call any more.
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
        let now = Instant::now();
        state.used_at = Some(now);
        match state.pool.place(call, now.into_std()) {
            Place::Socket(id, call) => state.hand_to(id, call),
            Place::Waits => {}
            Place::Refused(call) => {
                let error = state.failure.clone();
                let error = error
                    .unwrap_or_else(|| ModelError::offline(&self.context.endpoint, "it failed a moment ago"));
                refuse(&call, &error);
            }
        }
        self.connect_if_wanted(&mut state);
    }

    pub(super) fn connect_if_wanted(self: &Arc<Self>, state: &mut State) {
        state.pool.forget_waiting(Call::is_unwanted);
        while !state.closed
            && state.pinned.is_none()
            && state.pool.want(Instant::now().into_std()) == Want::Connect
        {
            tokio::spawn(serve(Arc::clone(self)));
        }
    }

    /// HTTP from now on.
    fn pin(&self, state: &mut State, error: &ModelError) {
        if state.pinned.is_none() {
            let wait = self.context.timing.probe_again;
            state.pinned = Some((Instant::now() + wait, wait));
            let why = format!("over HTTP for now, since sockets do not work there: {error}");
            tracing::info!(provider = self.context.endpoint.provider, why, "pinned");
            self.context.tell(WireEvent::Pinned { why });
        }
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
            state.pool.set_capacity(if lanes == Lanes::Work { LANES } else { 1 });
        }
    }

    /// A socket could not be opened. Gives back when to try again, if somebody waits for that.
    fn could_not_open(&self, error: &ModelError) -> Option<std::time::Instant> {
        let mut state = self.lock();
        let rule = rule(Stage::Upgrade, error.kind());
        state.failure = Some(error.clone());
        let now = Instant::now().into_std();
        if !state.pool.is_backing_off(now) {
            state.upgrade_failures = state.upgrade_failures.saturating_add(1);
        }
        let at_least = match error.kind() {
            ErrorKind::Forbidden => AFTER_FORBIDDEN,
            _ => error.retry_after().unwrap_or_default(),
        };
        let mut calls = state.pool.failed(now, at_least);
        let pins = match rule.transport {
            Transport::Pin => true,
            Transport::PinAfter(most) => state.upgrade_failures >= most,
            Transport::Keep | Transport::Drop => false,
        };
        if pins {
            self.pin(&mut state, error);
            calls.extend(state.pool.give_up());
        }
        for call in calls {
            refuse(&call, error);
        }
        state.pool.retry_at_for_those_who_wait()
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

    /// An answer has ended on a socket: the next call goes to it, passing over those that nobody waits for any more.
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
        state.upgrade_failures = 0;
        state.pinned = None;
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
        for call in state.pool.gone(id, Instant::now().into_std()) {
            let error = state.failure.clone();
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
