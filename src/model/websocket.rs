//! The Responses API over WebSockets that are kept open (protocol notes §1 to §3, §5).
//!
//! Each socket is owned by one task: it writes a call's frame, hands on what comes back, and between calls goes on
//! reading, so that pings are answered and a close is noticed at once. [`super::pool`] says which socket a call goes
//! to. When nobody wants an answer any more the socket is drained if little can be left of it, else dropped.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _, stream};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderValue, Request as Upgrade, header};
use tokio_tungstenite::tungstenite::{self, Error as WsError, Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async_tls};

use super::event::{self, Event};
use super::pool::{Place, Pool, SocketId, Want};
use super::{Chunk, ChunkStream, Model, ModelError, Request, frame};
use crate::config::Endpoint;

/// A socket that is not open by then is given up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// No event for this long while an answer is due: the socket is dead.
const SILENCE: Duration = Duration::from_secs(10);
/// Tokens that an abandoned answer may still have, for the socket to be kept: at 1,000 tokens/s that is ended
/// sooner than a new socket is open.
const DRAIN_TOKENS: u32 = 160;
/// How long draining may take; a slow model's socket is dropped instead.
const DRAIN_TIME: Duration = Duration::from_secs(1);
/// An idle socket beyond the reserve is closed after this long.
const SPARE_LIFE: Duration = Duration::from_secs(30);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A model behind the Responses API, reached over sockets that are kept open.
pub struct WebSocketModel {
    shared: Arc<Shared>,
}

struct Shared {
    endpoint: Endpoint,
    url: String,
    sockets: Mutex<Sockets>,
}

/// One lock for both: a socket is in the pool exactly if its task can be reached.
#[derive(Default)]
struct Sockets {
    pool: Pool<Call>,
    tasks: HashMap<SocketId, mpsc::UnboundedSender<Call>>,
    /// Why connecting failed the last time, for those who are refused in the meantime.
    failure: Option<ModelError>,
}

/// A request on its way.
#[derive(Debug)]
struct Call {
    frame: Utf8Bytes,
    max_output_tokens: u32,
    /// Closed by the receiver when nobody wants the answer any more.
    answer: mpsc::UnboundedSender<Result<Chunk, ModelError>>,
    /// Whether it went out on a socket that turned out to be dead. It is tried on one other.
    retried: bool,
}

impl WebSocketModel {
    /// A model at an endpoint. Opens nothing yet; see [`Model::warm`].
    pub fn new(endpoint: Endpoint) -> Self {
        let url = format!("{}/responses", websocket_base(&endpoint.base_url));
        let shared = Shared { endpoint, url, sockets: Mutex::default() };
        Self { shared: Arc::new(shared) }
    }
}

/// `http→ws`, `https→wss`; anything else as it is.
fn websocket_base(base_url: &str) -> String {
    match base_url.strip_prefix("http") {
        Some(rest) => format!("ws{rest}"),
        None => base_url.to_owned(),
    }
}

impl Model for WebSocketModel {
    fn name(&self) -> &str {
        &self.shared.endpoint.model
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
                self.shared.send(Call { frame: frame.into(), max_output_tokens, answer, retried: false });
            }
            Err(error) => {
                let error = self.shared.refused(None, format!("the request cannot be written: {error}"));
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
                let error = sockets.failure.clone().unwrap_or_else(|| self.offline("it failed a moment ago"));
                hand_on(&call.answer, Err(error));
            }
        }
        self.connect_if_wanted(&mut sockets);
    }

    fn connect_if_wanted(self: &Arc<Self>, sockets: &mut Sockets) {
        while sockets.pool.want(Instant::now().into_std()) == Want::Connect {
            tokio::spawn(serve(Arc::clone(self)));
        }
    }

    fn offline(&self, why: &str) -> ModelError {
        ModelError::Offline {
            provider: self.endpoint.provider.clone(),
            url: self.endpoint.base_url.clone(),
            why: why.to_owned(),
        }
    }

    fn refused(&self, status: Option<u16>, message: String) -> ModelError {
        ModelError::Refused { provider: self.endpoint.provider.clone(), status, message }
    }

    fn closed(&self) -> ModelError {
        ModelError::Closed { provider: self.endpoint.provider.clone() }
    }

    fn silent(&self) -> ModelError {
        ModelError::Silent { provider: self.endpoint.provider.clone(), seconds: SILENCE.as_secs() }
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
        loop {
            let call = self.pool.finished(id)?;
            if !call.answer.is_closed() {
                return Some(call);
            }
        }
    }
}

/// Opens a socket and serves calls on it until it is gone.
async fn serve(shared: Arc<Shared>) {
    let opened = match timeout(CONNECT_TIMEOUT, connect(&shared)).await {
        Ok(opened) => opened,
        Err(_) => Err(shared.offline(&format!("no answer within {} s", CONNECT_TIMEOUT.as_secs()))),
    };
    let socket = match opened {
        Ok(socket) => socket,
        Err(error) => {
            tracing::warn!(%error, "cannot connect");
            let mut sockets = shared.lock();
            sockets.failure = Some(error.clone());
            for call in sockets.pool.failed(Instant::now().into_std()) {
                hand_on(&call.answer, Err(error.clone()));
            }
            return;
        }
    };
    let (task, calls) = mpsc::unbounded_channel();
    let id = {
        let mut sockets = shared.lock();
        let (id, call) = sockets.pool.connected();
        sockets.tasks.insert(id, task);
        if let Some(call) = call {
            sockets.hand_to(id, call);
        }
        id
    };
    tracing::debug!(id, url = shared.url, "connected");
    let left = run(&shared, id, socket, calls).await;
    tracing::debug!(id, "disconnected");
    // Calls that were handed over just before the socket went are tried on another one.
    for call in left {
        shared.send(call);
    }
}

async fn connect(shared: &Shared) -> Result<Socket, ModelError> {
    let offline = |error: &dyn std::fmt::Display| shared.offline(&error.to_string());
    let mut request = shared.url.as_str().into_client_request().map_err(|error| offline(&error))?;
    set_headers(&mut request, &shared.endpoint).map_err(|error| offline(&error))?;
    let host = request.uri().host().ok_or_else(|| shared.offline("the URL has no host"))?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let default_port = if request.uri().scheme_str() == Some("wss") { 443 } else { 80 };
    let port = request.uri().port_u16().unwrap_or(default_port);
    let stream = TcpStream::connect((host, port)).await.map_err(|error| offline(&error))?;
    // A frame is written at once and nothing follows it: waiting for more would only delay it.
    stream.set_nodelay(true).map_err(|error| offline(&error))?;
    match client_async_tls(request, stream).await {
        Ok((socket, _)) => Ok(socket),
        Err(WsError::Http(response)) => {
            let body = response.body().as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            let words = body.trim();
            let message = if words.is_empty() {
                response.status().to_string()
            } else {
                words.chars().take(300).collect()
            };
            Err(shared.refused(Some(response.status().as_u16()), message))
        }
        Err(error) => Err(offline(&error)),
    }
}

fn set_headers(
    request: &mut Upgrade<()>,
    endpoint: &Endpoint,
) -> Result<(), tungstenite::http::header::InvalidHeaderValue> {
    let headers = request.headers_mut();
    headers
        .insert(header::USER_AGENT, HeaderValue::from_static(concat!("tandem/", env!("CARGO_PKG_VERSION"))));
    if let Some(key) = &endpoint.key {
        let mut bearer = HeaderValue::from_str(&format!("Bearer {}", key.expose()))?;
        bearer.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, bearer);
    }
    Ok(())
}

/// How a socket stands after an answer.
enum After {
    /// Ready for the next call.
    Idle,
    /// Not to be used again.
    Dead,
    /// Dead before anything of the answer came: the call can be made again elsewhere.
    Unanswered(Call),
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
                match exchange(shared, &mut socket, call).await {
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
            hand_on(&call.answer, Err(sockets.failure.clone().unwrap_or_else(|| shared.closed())));
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

/// Makes one call and hands its answer on until it ends.
async fn exchange(shared: &Shared, socket: &mut Socket, call: Call) -> After {
    if socket.send(Message::Text(call.frame.clone())).await.is_err() {
        return unanswered(shared, call);
    }
    let mut wanted = true;
    let mut begun = false;
    let mut tokens = 0_u32;
    let mut deadline = Instant::now() + SILENCE;
    loop {
        let message = tokio::select! {
            biased;
            message = socket.next() => message,
            () = call.answer.closed(), if wanted => {
                wanted = false;
                if call.max_output_tokens.saturating_sub(tokens) > DRAIN_TOKENS {
                    return After::Dead;
                }
                deadline = Instant::now() + DRAIN_TIME;
                continue;
            }
            () = sleep_until(deadline) => {
                hand_on(&call.answer, Err(shared.silent()));
                return After::Dead;
            }
        };
        if wanted {
            deadline = Instant::now() + SILENCE;
        }
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(_)) | Err(_)) | None if !begun => return unanswered(shared, call),
            Some(Ok(Message::Close(_)) | Err(_)) | None => {
                hand_on(&call.answer, Err(shared.closed()));
                return After::Dead;
            }
            Some(Ok(_)) => continue,
        };
        match event::read(&text) {
            Ok(Event::Created) => begun = true,
            Ok(Event::Text(text)) => {
                begun = true;
                // Servers send about one token an event.
                tokens += 1;
                hand_on(&call.answer, Ok(Chunk::Text(text)));
            }
            Ok(Event::Completed(usage)) => {
                hand_on(&call.answer, Ok(Chunk::Done(usage)));
                return After::Idle;
            }
            Ok(Event::Failed { status, message }) => {
                hand_on(&call.answer, Err(shared.refused(status, message)));
                return After::Idle;
            }
            Ok(Event::Other) => tracing::trace!(bytes = text.len(), "an event passed over"),
            Err(error) => tracing::debug!(%error, bytes = text.len(), "a frame that is no event"),
        }
    }
}

/// What becomes of a call whose socket went before anything was answered: it may be made once more, since nobody has
/// seen any of it (protocol notes §5, the replay rule).
fn unanswered(shared: &Shared, mut call: Call) -> After {
    if call.retried || call.answer.is_closed() {
        hand_on(&call.answer, Err(shared.closed()));
        return After::Dead;
    }
    call.retried = true;
    After::Unanswered(call)
}

/// Hands a chunk to whoever waits for it.
fn hand_on(answer: &mpsc::UnboundedSender<Result<Chunk, ModelError>>, chunk: Result<Chunk, ModelError>) {
    if answer.send(chunk).is_err() {
        // The receiver is gone: the call was cancelled, and its rest is for nobody.
        tracing::trace!("a chunk for nobody");
    }
}

impl fmt::Debug for WebSocketModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSocketModel").field("endpoint", &self.shared.endpoint).finish_non_exhaustive()
    }
}
