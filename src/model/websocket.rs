//! The Responses API over WebSockets that are kept open (protocol notes §1 to §3, §5).
//!
//! Each socket is owned by one task: it writes a call's frame, hands on what comes back, and between calls goes on
//! reading, so that pings are answered and a close is noticed at once. [`super::pool`] says which socket a call goes
//! to. When nobody wants an answer any more the socket is drained if little can be left of it, else dropped.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::condition::{Condition, Refusal};
use super::connect::{Socket, connect};
use super::exchange::{After, Call, exchange, hand_on};
use super::pool::{Place, Pool, SocketId, Want};
use super::{ChunkStream, Listener, Model, ModelError, Request, WireEvent, frame};
use crate::config::Endpoint;

/// A socket that is not open by then is given up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// An idle socket beyond the reserve is closed after this long.
const SPARE_LIFE: Duration = Duration::from_secs(30);

/// A model behind the Responses API, reached over sockets that are kept open.
pub(super) struct WebSocketModel {
    shared: Arc<Shared>,
}

struct Shared {
    endpoint: Endpoint,
    listener: Listener,
    sockets: Mutex<Sockets>,
}

/// One lock for both: a socket is in the pool exactly if its task can be reached.
#[derive(Default)]
struct Sockets {
    pool: Pool<Call>,
    tasks: HashMap<SocketId, mpsc::UnboundedSender<Call>>,
    /// Why connecting failed the last time, for those who are refused in the meantime.
    failure: Option<ModelError>,
    /// Whether the model is gone, so that no socket is wanted any more.
    closed: bool,
}

impl WebSocketModel {
    /// A model at an endpoint. Opens nothing yet; see [`Model::warm`].
    pub(super) fn new(endpoint: Endpoint, listener: Listener) -> Self {
        let shared = Shared { endpoint, listener, sockets: Mutex::default() };
        Self { shared: Arc::new(shared) }
    }
}

impl Model for WebSocketModel {
    fn name(&self) -> String {
        self.shared.endpoint.model.clone()
    }

    fn warm(&self) {
        let mut sockets = self.shared.lock();
        self.shared.connect_if_wanted(&mut sockets);
    }

    fn stream(&self, request: Request) -> ChunkStream {
        let (answer, chunks) = mpsc::unbounded_channel();
        match frame::create(&self.shared.endpoint, &request) {
            Ok(frame) => {
                let max_output_tokens = request.max_output_tokens;
                self.shared.send(Call {
                    frame: frame.into(),
                    max_output_tokens,
                    answer,
                    retried: false,
                    asked_at: Instant::now(),
                    bytes_up: 0,
                });
            }
            Err(error) => {
                let refusal = Refusal {
                    condition: Condition::Invalid,
                    status: None,
                    param: None,
                    message: format!("the request cannot be written: {error}"),
                    retry_after: None,
                };
                let error = ModelError::refused(&self.shared.endpoint, refusal);
                hand_on(&answer, Err(error));
            }
        }
        stream::unfold(chunks, |mut chunks| async { chunks.recv().await.map(|chunk| (chunk, chunks)) })
            .boxed()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Sockets> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a call to an idle socket, or lets it wait for one.
    fn send(self: &Arc<Self>, call: Call) {
        let mut sockets = self.lock();
        match sockets.pool.place(call, Instant::now().into_std()) {
            Place::Socket(id, call) => sockets.hand_to(id, call),
            Place::Waits => {}
            Place::Refused(call) => {
                let error = sockets
                    .failure
                    .clone()
                    .unwrap_or_else(|| ModelError::offline(&self.endpoint, "it failed a moment ago"));
                hand_on(&call.answer, Err(error));
            }
        }
        self.connect_if_wanted(&mut sockets);
    }

    fn connect_if_wanted(self: &Arc<Self>, sockets: &mut Sockets) {
        sockets.pool.forget_waiting(|call| call.answer.is_closed());
        while !sockets.closed && sockets.pool.want(Instant::now().into_std()) == Want::Connect {
            tokio::spawn(serve(Arc::clone(self)));
        }
    }
}

impl Sockets {
    fn hand_to(&mut self, id: SocketId, call: Call) {
        // The task takes itself out of this map, under this lock, before it stops listening.
        if let Some(task) = self.tasks.get(&id)
            && let Err(mpsc::error::SendError(call)) = task.send(call)
        {
            tracing::error!(id, frame_bytes = call.frame.len(), "a socket's task left without saying so");
        }
    }

    /// The next call for a socket whose answer has ended, passing over those that nobody waits for any more.
    fn next_call(&mut self, id: SocketId) -> Option<Call> {
        self.pool.forget_waiting(|call| call.answer.is_closed());
        self.pool.finished(id)
    }
}

/// Opens a socket and serves calls on it until it is gone.
async fn serve(shared: Arc<Shared>) {
    let started = Instant::now();
    let socket = match open(&shared.endpoint).await {
        Ok(socket) => socket,
        Err(error) => {
            tracing::warn!(%error, "cannot connect");
            let retry_at = {
                let mut sockets = shared.lock();
                sockets.failure = Some(error.clone());
                for call in sockets.pool.failed(Instant::now().into_std()) {
                    hand_on(&call.answer, Err(error.clone()));
                }
                sockets.pool.retry_at_for_those_who_wait()
            };
            // Calls that wait for a busy socket to end may get one of their own as soon as connecting is due again.
            if let Some(retry_at) = retry_at {
                sleep_until(retry_at.into()).await;
                let mut sockets = shared.lock();
                shared.connect_if_wanted(&mut sockets);
            }
            return;
        }
    };
    let (task, calls) = mpsc::unbounded_channel();
    let id = {
        let mut sockets = shared.lock();
        sockets.pool.forget_waiting(|call| call.answer.is_closed());
        if sockets.closed {
            return;
        }
        let (id, call) = sockets.pool.connected();
        sockets.tasks.insert(id, task);
        if let Some(call) = call {
            sockets.hand_to(id, call);
        }
        id
    };
    (shared.listener)(WireEvent::Connected { took: started.elapsed() });
    tracing::debug!(id, provider = shared.endpoint.provider, "connected");
    let left = run(&shared, id, socket, calls).await;
    tracing::debug!(id, "disconnected");
    // Calls that were handed over just before the socket went are tried on another one.
    for call in left {
        shared.send(call);
    }
}

/// Opens a socket in time. In a task of its own, so that a panic on the way is one failure among others, and the pool
/// does not count on a socket that never comes.
async fn open(endpoint: &Endpoint) -> Result<Socket, ModelError> {
    let late = format!("no answer within {} s", CONNECT_TIMEOUT.as_secs());
    let opening = {
        let endpoint = endpoint.clone();
        tokio::spawn(async move { timeout(CONNECT_TIMEOUT, connect(&endpoint)).await })
    };
    match opening.await {
        Ok(Ok(opened)) => opened,
        Ok(Err(_)) => Err(ModelError::offline(endpoint, &late)),
        Err(panic) => Err(ModelError::offline(endpoint, &panic.to_string())),
    }
}

/// Serves calls until the socket is gone, and takes it out of the pool. Gives back calls that it could not make.
async fn run(
    shared: &Arc<Shared>,
    id: SocketId,
    mut socket: Socket,
    mut calls: mpsc::UnboundedReceiver<Call>,
) -> Vec<Call> {
    let mut left = Vec::new();
    let mut idle_since = Instant::now();
    // An idle socket that the server closes is opened again when it is needed; one that went while it was used is
    // replaced at once, so that the next keystroke does not wait for a handshake.
    let replace = loop {
        tokio::select! {
            biased;
            call = calls.recv() => {
                let Some(call) = call else { break false };
                match exchange(&shared.endpoint, &shared.listener, &mut socket, call).await {
                    After::Idle => {}
                    After::Dead => break true,
                    After::Unanswered(call) => {
                        left.push(call);
                        break true;
                    }
                }
                idle_since = Instant::now();
                let mut sockets = shared.lock();
                if let Some(call) = sockets.next_call(id) {
                    sockets.hand_to(id, call);
                }
            }
            message = socket.next() => match message {
                // Reading is what answers pings.
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break false,
                Some(Ok(stray)) => tracing::debug!(id, bytes = stray.len(), "an event nobody asked for"),
            },
            () = sleep_until(idle_since + SPARE_LIFE) => {
                idle_since = Instant::now();
                if shared.lock().pool.retire(id) {
                    break false;
                }
            }
        }
    };
    {
        let mut sockets = shared.lock();
        sockets.tasks.remove(&id);
        for call in sockets.pool.gone(id, Instant::now().into_std()) {
            hand_on(
                &call.answer,
                Err(sockets.failure.clone().unwrap_or_else(|| ModelError::closed(&shared.endpoint))),
            );
        }
        if replace {
            shared.connect_if_wanted(&mut sockets);
        }
    }
    calls.close();
    while let Ok(call) = calls.try_recv() {
        left.push(call);
    }
    left
}

impl Drop for WebSocketModel {
    fn drop(&mut self) {
        // A socket's task ends when nobody can hand it a call any more.
        let mut sockets = self.shared.lock();
        sockets.tasks.clear();
        sockets.closed = true;
    }
}

impl fmt::Debug for WebSocketModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSocketModel").field("endpoint", &self.shared.endpoint).finish_non_exhaustive()
    }
}
