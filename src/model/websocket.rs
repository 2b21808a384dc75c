//! The Responses API over persistent WebSockets.
//!
//! Each socket is owned by one task ([`super::connection`]); [`super::pool`] selects the socket for
//! a call. This module connects them with the callers: the lock, the opening of sockets, and the
//! decision whether to use them.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};

use super::attempt::{Attempt, SendState};
use super::connect::{Socket, connect};
use super::connection;
use super::endpoint::{EndpointContext, HandshakeInfo};
use super::error_kind::ErrorKind;
use super::exchange::Call;
use super::fields::Field;
use super::health::{Connecting, Transport};
use super::pool::Placement;
use super::sockets::{SharedSockets, SocketsState, WarmUp, now, refuse};
use super::{Chunk, ModelError, Request, Urgency, Usage, WireEvent, probe, token};
use crate::config::Issued;

/// The sockets of one endpoint.
pub(super) struct Sockets {
    shared: Arc<SharedSockets>,
}

impl Sockets {
    pub(super) fn new(context: Arc<EndpointContext>) -> Self {
        Self { shared: SharedSockets::new(context, open_another) }
    }

    /// Opens a socket in the background, unless there is one, and tests what the server repeats.
    pub(super) fn warm(&self) {
        let mut state = self.shared.state.lock();
        state.used_at = Some(Instant::now());
        if state.warm_up == WarmUp::Unwanted {
            state.warm_up = WarmUp::Wanted;
        }
        self.shared.connect_if_wanted(&mut state);
        warm_up(&self.shared, &mut state);
    }

    /// Whether requests use sockets. If sockets were given up, occasionally probes whether they
    /// work again.
    pub(super) fn are_used(&self) -> bool {
        let transport = self.shared.context.health.lock().transport(now());
        if transport == Transport::HttpAndProbe {
            self.shared.state.lock().pool.probe();
            open_another(Arc::clone(&self.shared));
        }
        transport == Transport::Sockets
    }

    /// Sends a request to a socket, or lets it wait for one. The first attempt at an explicit
    /// request tries to connect even right after a failure.
    pub(super) fn ask(&self, request: &Arc<Request>, is_first: bool) -> Attempt {
        let (answer, chunks) = mpsc::unbounded_channel();
        let (wanted, unwanted) = oneshot::channel();
        let send_state = SendState::default();
        let call = Call {
            request: Arc::clone(request),
            answer,
            unwanted,
            send_state: send_state.clone(),
            bytes_up: 0,
            is_warm_up: false,
        };
        if is_first && request.urgency != Urgency::Typing {
            self.shared.context.health.lock().clear_connect_backoff();
        }
        self.shared.send(call);
        let chunks = stream::unfold((chunks, wanted), |(mut chunks, wanted)| async {
            chunks.recv().await.map(|chunk| (chunk, (chunks, wanted)))
        });
        Attempt { chunks: chunks.boxed(), send_state: Some(send_state) }
    }

    /// Records that a request failed on a socket.
    pub(super) fn failed(&self, error: &ModelError) {
        let context = &self.shared.context;
        let gives_up =
            context.health.lock().failed_on_socket(error.kind(), now(), context.timing.probe_again);
        if gives_up {
            self.shared.notify_http_fallback(error);
        }
        if error.kind() == ErrorKind::Mismatched {
            self.shared.on_unrequested_response();
        }
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        // A socket's task ends when the last sender of calls is dropped.
        let mut state = self.shared.state.lock();
        state.tasks.clear();
        state.closed = true;
    }
}

/// Sends a warm-up request without an answer, if it is still wanted and a socket is idle.
fn warm_up(shared: &Arc<SharedSockets>, state: &mut SocketsState) {
    let context = &shared.context;
    let is_of_use = context.echo.is_unknown() && context.fields.takes(Field::Metadata);
    if state.warm_up != WarmUp::Wanted || !is_of_use || !state.pool.has_idle() {
        return;
    }
    state.warm_up = WarmUp::Made;
    let (answer, mut chunks) = mpsc::unbounded_channel();
    let (wanted, unwanted) = oneshot::channel();
    let request = Arc::new(Request { urgency: Urgency::Typing, ..probe::request() });
    let call =
        Call { request, answer, unwanted, send_state: SendState::default(), bytes_up: 0, is_warm_up: true };
    if let Placement::Socket(id, call) = state.pool.place(call, Connecting::No) {
        state.hand_to(id, call);
    }
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        while let Some(chunk) = chunks.recv().await {
            match chunk {
                // Its tokens are billed, but it does not show which model answers.
                Ok(Chunk::Done(usage)) => {
                    let usage = Usage { model: None, ..usage };
                    shared.context.tell(WireEvent::Abandoned { asker: 0, job: probe::JOB, usage });
                }
                Ok(_) => {}
                Err(failure) => {
                    tracing::debug!(error = %failure.error, "no warm-up");
                    if failure.error.kind() == ErrorKind::Mismatched {
                        shared.on_unrequested_response();
                    }
                }
            }
        }
        drop(wanted);
    });
}

/// Opens one more socket in the background.
fn open_another(shared: Arc<SharedSockets>) {
    tokio::spawn(serve(shared));
}

/// Opens a socket and serves calls on it until it is gone.
async fn serve(shared: Arc<SharedSockets>) {
    let started = Instant::now();
    let context = &shared.context;
    // The source of the token has its own timeout.
    let token = token::get(&context.endpoint, context.timing.wall).await;
    let number = token.as_ref().ok().and_then(|it| Some(it.as_ref()?.number));
    let opened = match token {
        Ok(token) => open(context, token).await,
        Err(error) => Err(error),
    };
    let (socket, HandshakeInfo { served, quotas }) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            tracing::warn!(%error, "cannot connect");
            if error.kind() == ErrorKind::Unauthorized {
                token::refused(&context.endpoint, number);
            }
            // Calls that wait for a busy socket may get another one as soon as connecting is
            // allowed again.
            if let Some(retry_at) = shared.could_not_open(&error) {
                sleep_until(retry_at.into()).await;
                let mut state = shared.state.lock();
                shared.connect_if_wanted(&mut state);
            }
            return;
        }
    };
    let (task, calls) = mpsc::unbounded_channel();
    let id = {
        let mut state = shared.state.lock();
        state.pool.forget_waiting(Call::is_unwanted);
        if state.closed {
            return;
        }
        shared.context.health.lock().connected();
        let (id, call) = state.pool.connected();
        state.tasks.insert(id, task);
        if let Some(call) = call {
            state.hand_to(id, call);
        }
        warm_up(&shared, &mut state);
        // The reserve, now that sockets are granted.
        shared.connect_if_wanted(&mut state);
        id
    };
    shared.context.tell(WireEvent::Connected(started.elapsed()));
    if let Some(model) = &served {
        shared.context.tell(WireEvent::Serves(model.clone()));
    }
    shared.context.tell_quotas(quotas);
    tracing::debug!(id, provider = shared.context.endpoint.provider, "connected");
    let (mut calls, replace, mut left) = connection::run(&shared, id, (socket, number), served, calls).await;
    {
        let mut state = shared.state.lock();
        state.tasks.remove(&id);
        let (connecting, error) = {
            let health = shared.context.health.lock();
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
    // Calls that were passed to the socket just before it closed are sent on another one.
    for call in left {
        shared.send(call);
    }
}

/// Opens a socket within the timeout. In a separate task, so that a panic counts as a failure and
/// the pool does not wait for a socket that never opens.
async fn open(
    context: &Arc<EndpointContext>,
    token: Option<Issued>,
) -> Result<(Socket, HandshakeInfo), ModelError> {
    let within = context.timing.connect;
    let opening = {
        let context = Arc::clone(context);
        tokio::spawn(async move { timeout(within, connect(&context, token.as_ref())).await })
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
