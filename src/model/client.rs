//! The model behind one endpoint: its wires, and the recovery when they fail.
//!
//! An answer is a stream over one or more attempts. When an attempt fails before any of its text
//! was seen, [`super::recovery`] decides what to do; the stream does it when the next chunk is
//! polled, so that no task sits between a socket and the reader.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::time::{Instant, sleep, sleep_until};

use super::attempt::{Attempt, Failure};
use super::capability;
use super::endpoint::EndpointContext;
use super::error_kind::ErrorKind;
use super::error_kind::Refusal;
use super::health::Stage;
use super::http::Http;
use super::identity;
use super::limits::DROPPED_FIELDS;
use super::recovery::{self, Action, rule};
use super::sockets::now;
use super::timing::Timing;
use super::websocket::Sockets;
use super::{Chunk, ChunkStream, Listener, Model, ModelError, Request, RequestKind, Urgency, Usage};
use crate::config::{EditDialect, Endpoint, Token, Wire};
use crate::text::random::random_share;

/// The model behind one endpoint.
pub(super) struct Client {
    shared: Arc<ClientState>,
}

struct ClientState {
    context: Arc<EndpointContext>,
    http: Arc<Http>,
    /// The sockets, if the endpoint is used over sockets.
    sockets: Option<Sockets>,
}

/// The wires that a request may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Via {
    /// A socket if sockets are in use and work, else HTTP.
    Any,
    /// Only HTTP.
    Http,
}

impl Client {
    pub(super) fn new(endpoint: Endpoint, listener: Listener, timing: Timing) -> Self {
        let wire = endpoint.wire;
        // Models trained to predict edits have separate endpoints, over HTTP.
        let is_over_sockets = wire == Wire::ResponsesWebsocket && endpoint.edit_dialect.is_none();
        let context = EndpointContext::new(endpoint, listener, timing);
        let http = Http::new(Arc::clone(&context));
        let sockets = is_over_sockets.then(|| Sockets::new(Arc::clone(&context)));
        Self { shared: Arc::new(ClientState { context, http, sockets }) }
    }
}

impl Model for Client {
    fn name(&self) -> String {
        identity::shown(&self.shared.context.endpoint.model).to_owned()
    }

    fn warm(&self) {
        match &self.shared.sockets {
            Some(sockets) if sockets.are_used() => sockets.warm(),
            _ => self.shared.http.warm(),
        }
    }

    fn window(&self) -> u32 {
        capability::window(&self.shared.context.endpoint, None)
    }

    fn unread(&self, request: &Request) -> usize {
        let endpoint = &self.shared.context.endpoint;
        let code_dialect = if let Wire::Fim(dialect) = endpoint.wire { Some(dialect) } else { None };
        request.read_bytes(request.form(endpoint, code_dialect)).len()
    }

    fn takes_fim(&self) -> bool {
        matches!(self.shared.context.endpoint.wire, Wire::Fim(_))
    }

    fn answers(&self, kind: RequestKind) -> bool {
        capability::answers(&self.shared.context.endpoint, kind)
    }

    fn edit_dialects(&self) -> Vec<EditDialect> {
        self.shared.context.endpoint.edit_dialect.into_iter().collect()
    }

    fn stream(&self, request: Request) -> ChunkStream {
        if request.urgency == Urgency::Typing
            && let Some(error) = self.shared.context.health.lock().stops_typing(now()).cloned()
        {
            return stream::iter([Err(error)]).boxed();
        }
        let request = Arc::new(request);
        let asked_at = Instant::now();
        // Sent at once, not when the first chunk is polled.
        let attempt = self.shared.ask(&request, 1, Via::Any);
        let answer = PendingAnswer {
            shared: Arc::clone(&self.shared),
            request,
            attempt,
            asked_at,
            attempted_at: asked_at,
            attempts: 1,
            left_out: 0,
            is_less: false,
            has_new_token: false,
            via: Via::Any,
            first_token: None,
            bytes_up: 0,
            bytes_down: 0,
            begins_anew: Restart::Not,
            ended: false,
        };
        stream::unfold(answer, |mut answer| async { Some((answer.next().await?, answer)) }).boxed()
    }
}

impl ClientState {
    /// Makes an attempt; `number` starts at 1.
    fn ask(&self, request: &Arc<Request>, number: u8, via: Via) -> Attempt {
        match &self.sockets {
            Some(sockets) if via == Via::Any && sockets.are_used() => sockets.ask(request, number == 1),
            _ => self.http.ask(request),
        }
    }

    /// Records that a request failed.
    fn failed(&self, error: &ModelError) {
        self.context.health.lock().failed(error, now());
    }
}

/// An answer and the attempts to get it.
struct PendingAnswer {
    shared: Arc<ClientState>,
    request: Arc<Request>,
    attempt: Attempt,
    asked_at: Instant,
    /// When the latest attempt was made.
    attempted_at: Instant,
    /// Attempts so far.
    attempts: u8,
    /// Number of fields left out of the request after refusals.
    left_out: u8,
    /// Whether context was left out of the request.
    is_less: bool,
    /// Whether the request was repeated after its token was refused.
    has_new_token: bool,
    /// The wires that further attempts may use.
    via: Via,
    first_token: Option<Duration>,
    /// Bytes sent by failed attempts.
    bytes_up: u64,
    /// Bytes of text received.
    bytes_down: usize,
    begins_anew: Restart,
    ended: bool,
}

/// Whether an answer that broke off is restarted, which happens at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Restart {
    Not,
    /// The reader was notified, and polls for the next chunk unless part of the answer was shown.
    Told,
    Begun,
}

impl PendingAnswer {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        if self.begins_anew == Restart::Told {
            self.begins_anew = Restart::Begun;
            self.ask_again();
        }
        while !self.ended {
            let Some(chunk) = self.chunk().await else {
                // No socket was available in time.
                self.go_over_http();
                continue;
            };
            match chunk {
                Ok(Chunk::Text(text)) => {
                    self.first_token.get_or_insert_with(|| self.asked_at.elapsed());
                    self.bytes_down = self.bytes_down.saturating_add(text.len());
                    if self.bytes_down > self.request.longest_answer() {
                        self.ended = true;
                        let endpoint = &self.shared.context.endpoint;
                        return Some(Err(ModelError::refused(endpoint, Refusal::too_long())));
                    }
                    return Some(Ok(Chunk::Text(text)));
                }
                Ok(chunk @ (Chunk::Restart | Chunk::Dialect(_) | Chunk::Item(_))) => return Some(Ok(chunk)),
                Ok(Chunk::Done(usage)) => {
                    self.ended = true;
                    self.shared.context.health.lock().answered(self.attempt.is_over_socket());
                    let (first_token, total) = (self.first_token, self.asked_at.elapsed());
                    let bytes_up = usage.bytes_up + self.bytes_up;
                    return Some(Ok(Chunk::Done(Usage { first_token, total, bytes_up, ..usage })));
                }
                Err(failure) => {
                    if let Some(error) = self.recover(failure).await {
                        self.ended = true;
                        return Some(Err(error));
                    }
                    if self.begins_anew == Restart::Told {
                        return Some(Ok(Chunk::Restart));
                    }
                }
            }
        }
        None
    }

    /// The next chunk; `None` if the request has waited for a socket for too long.
    async fn chunk(&mut self) -> Option<Result<Chunk, Failure>> {
        let Attempt { chunks, send_state } = &mut self.attempt;
        let chunk = match send_state.as_ref().filter(|it| it.is_waiting()) {
            None => chunks.next().await,
            Some(send_state) => {
                let budget = self.attempted_at + self.shared.context.timing.socket_budget;
                tokio::select! {
                    biased;
                    chunk = chunks.next() => chunk,
                    () = sleep_until(budget) => {
                        // It may have been sent at this very moment; then its answer is awaited.
                        if send_state.withdraw() {
                            return None;
                        }
                        chunks.next().await
                    }
                }
            }
        };
        Some(chunk.unwrap_or_else(|| Err(Failure::closed(&self.shared.context.endpoint))))
    }

    fn go_over_http(&mut self) {
        self.via = Via::Http;
        self.attempt = self.shared.http.ask(&self.request);
    }

    /// Handles a failure. Returns the error if the request is given up.
    async fn recover(&mut self, failure: Failure) -> Option<ModelError> {
        let Failure { stage, error, bytes_up } = failure;
        self.bytes_up += bytes_up;
        let kind = error.kind();
        let rule = rule(stage, kind);
        let over_socket = self.attempt.is_over_socket();
        if let Some(sockets) = self.shared.sockets.as_ref().filter(|_| over_socket && stage == Stage::Request)
        {
            sockets.failed(&error);
        }
        let action = rule.action(self.request.urgency);
        tracing::debug!(?stage, ?kind, ?action, %error, "an attempt failed");
        if self.first_token.is_some() {
            // A second answer may differ from this one. Only the reader knows whether part of this one was shown.
            if kind == ErrorKind::Closed && self.begins_anew == Restart::Not {
                self.begins_anew = Restart::Told;
                return None;
            }
            self.shared.failed(&error);
            return Some(error);
        }
        // The token may have been revoked, or the clock may be wrong: a new token is fetched, once, unless this one
        // was fetched for this request. Sockets opened with the old token are not used.
        if kind == ErrorKind::Unauthorized
            && self.shared.context.endpoint.token.as_ref().is_some_and(|it| !self.is_as_new(it))
            && !std::mem::replace(&mut self.has_new_token, true)
        {
            self.via = Via::Http;
            self.ask_again();
            return None;
        }
        let go_on = match action {
            Action::Stop => false,
            Action::AgainOrHttp(most) | Action::WaitOrHttp(most) if self.attempts > most => {
                self.via = Via::Http;
                over_socket
            }
            Action::Again(most) | Action::Wait(most) if self.attempts > most => false,
            Action::Again(_) | Action::AgainOrHttp(_) => true,
            Action::Wait(_) | Action::WaitOrHttp(_) => self.wait(&error).await,
            // A socket has already done that if possible.
            Action::ResendFull => self.attempts < 2,
            Action::DropField => {
                let learned = match &error {
                    ModelError::Refused { param, message, .. } => {
                        self.shared.context.fields.learn(param.as_deref(), message)
                    }
                    _ => None,
                };
                self.left_out += 1;
                learned.is_some() && self.left_out <= DROPPED_FIELDS
            }
            Action::LessContext => self.leave_out_context(),
            Action::Http if over_socket => {
                self.via = Via::Http;
                true
            }
            Action::Http => kind == ErrorKind::TooLarge && self.leave_out_context(),
        };
        if !go_on {
            self.shared.failed(&error);
            return Some(error);
        }
        self.ask_again();
        None
    }

    /// Whether the newest token was refused, and came after this request was made.
    fn is_as_new(&self, token: &Token) -> bool {
        token.known().issued.as_ref().is_some_and(|it| it.is_refused && it.came.0 >= self.asked_at)
    }

    /// Leaves context out of the request, at most once; false if that is not possible.
    fn leave_out_context(&mut self) -> bool {
        let Some(less) = self.request.with_less_context().filter(|_| !self.is_less) else { return false };
        self.is_less = true;
        self.request = Arc::new(less);
        true
    }

    fn ask_again(&mut self) {
        self.attempts += 1;
        self.attempted_at = Instant::now();
        self.attempt = self.shared.ask(&self.request, self.attempts, self.via);
    }

    /// Waits before another attempt; false if the wait would be too long.
    async fn wait(&mut self, error: &ModelError) -> bool {
        let timing = &self.shared.context.timing;
        let patience = timing.patience(self.request.urgency);
        let asked_for = error.retry_after();
        let wait = match asked_for {
            Some(wait) => wait,
            None => {
                let attempt = u32::from(self.attempts.saturating_sub(1));
                recovery::back_off(attempt, timing.back_off, random_share())
            }
        };
        // An earlier attempt would find no socket.
        let connect_at =
            self.shared.context.health.lock().connect_at().filter(|_| self.attempt.is_over_socket());
        let wait = wait.max(connect_at.map_or(Duration::ZERO, |at| at.saturating_duration_since(now())));
        if wait > patience {
            return false;
        }
        sleep(wait).await;
        true
    }
}
