//! Serves one WebSocket: its lanes, the responses that may be continued from, and the writer.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::{SinkExt, StreamExt, stream::SplitSink, stream::SplitStream};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value};
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::Instant,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message,
        protocol::{CloseFrame, frame::coding::CloseCode},
    },
};

use super::{
    Fault, Server,
    event::{Emitter, Gone, Outgoing},
    fault::Shape,
    request::{Create, Item, Refusal, Transport},
    response::{self, AcceptedRequest, Ended},
};
use crate::deflate::Deflated;
use crate::lock::Mutex;

/// The maximum number of responses in progress on one connection; more are queued.
const ACTIVE: usize = 16;
/// The maximum number of named lanes over the lifetime of a connection.
const LANES: usize = 32;
/// The maximum length of a lane's name, in characters.
const LANE_NAME: usize = 256;
/// The number of events that may wait for the network; generation pauses when it is reached.
const BUFFERED: usize = 64;
/// The timeout for the closing handshake.
const FAREWELL: Duration = Duration::from_secs(1);

type Socket = WebSocketStream<Deflated<TokioIo<Upgraded>>>;
type Lane = Option<String>;

/// A request in its lane's queue. A request that will be refused waits for its turn too.
struct Waiting {
    continues: Option<String>,
    request: Result<Create, Refusal>,
}

struct Connection {
    server: Arc<Server>,
    out: mpsc::Sender<Outgoing>,
    active: Semaphore,
    since: Instant,
    /// The newest response of each lane, which requests on this connection may continue from.
    newest: Mutex<HashMap<Lane, Ended>>,
}

/// Serves a socket until either side closes it, and then aborts its unfinished responses.
pub(super) async fn serve(server: Arc<Server>, socket: Socket) {
    let (sink, mut source) = socket.split();
    let (out, outgoing) = mpsc::channel(BUFFERED);
    let connection = Arc::new(Connection {
        server: Arc::clone(&server),
        out,
        active: Semaphore::new(ACTIVE),
        since: Instant::now(),
        newest: Mutex::default(),
    });
    let mut lanes = Lanes { connection, queues: HashMap::new(), workers: JoinSet::new() };
    let says_farewell = tokio::select! {
        says_farewell = write(&server, sink, outgoing) => says_farewell,
        says_farewell = read(&mut source, &mut lanes) => says_farewell,
    };
    drop(lanes);
    if says_farewell {
        // Reading completes the closing handshake, whichever side began it.
        let rest = async { while let Some(Ok(_)) = source.next().await {} };
        let _timed_out = tokio::time::timeout(FAREWELL, rest).await;
    }
}

/// Reads frames until the client disconnects; true if it sent a close frame.
async fn read(source: &mut SplitStream<Socket>, lanes: &mut Lanes) -> bool {
    while let Some(Ok(message)) = source.next().await {
        let taken = match message {
            Message::Text(text) => {
                lanes.connection.server.stats.counters().bytes_received += text.len() as u64;
                lanes.take(text.as_str()).await
            }
            Message::Binary(_) => {
                lanes
                    .refuse(
                        None,
                        &Refusal::new("invalid_frame", "Frames are text, one JSON object each.", ""),
                    )
                    .await
            }
            Message::Close(_) => return true,
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(()),
        };
        if taken == Err(Gone) {
            return false;
        }
    }
    false
}

/// Writes events in batches of those available; true if it ends with a close frame.
async fn write(
    server: &Server,
    mut sink: SplitSink<Socket, Message>,
    mut outgoing: mpsc::Receiver<Outgoing>,
) -> bool {
    let mut batch = Vec::with_capacity(BUFFERED);
    while outgoing.recv_many(&mut batch, BUFFERED).await > 0 {
        let mut delivered = 0;
        for item in batch.drain(..) {
            let sent = match item {
                Outgoing::Event { json, tokens, .. } => {
                    delivered += tokens;
                    sink.feed(Message::text(json)).await
                }
                Outgoing::Close(code) => {
                    let frame = CloseFrame { code: CloseCode::from(code), reason: "as asked".into() };
                    return sink.send(Message::Close(Some(frame))).await.is_ok();
                }
                Outgoing::Cut => {
                    // Events before the cut are delivered; a failure means that the connection is cut already.
                    let _already_cut = sink.flush().await;
                    return false;
                }
            };
            if sent.is_err() {
                return false;
            }
        }
        if sink.flush().await.is_err() {
            return false;
        }
        server.stats.counters().output_tokens_delivered += delivered;
    }
    false
}

/// The lanes of one connection. Each has a queue of requests and one worker.
struct Lanes {
    connection: Arc<Connection>,
    queues: HashMap<Lane, mpsc::UnboundedSender<Waiting>>,
    workers: JoinSet<()>,
}

impl Lanes {
    /// Handles one frame: queues it in its lane, or refuses it.
    async fn take(&mut self, frame: &str) -> Result<(), Gone> {
        let fields: Result<Map<String, Value>, _> = serde_json::from_str(frame);
        let is_for_no_answer =
            fields.as_ref().is_ok_and(|fields| fields.get("generate") == Some(&Value::Bool(false)));
        if !is_for_no_answer {
            self.connection.server.record(frame);
            self.connection.server.stats.counters().requests += 1;
        }
        if self.connection.server.has_fault(Fault::CloseSockets) {
            return self.connection.out.send(Outgoing::Close(1011)).await.map_err(|_| Gone);
        }
        let fields = match fields {
            Ok(fields) => fields,
            Err(error) => {
                let message = format!("A frame is one JSON object: {error}.");
                return self.refuse(None, &Refusal::new("invalid_json", message, "")).await;
            }
        };
        let mut lane = match lane_of(&fields) {
            Ok(lane) => lane,
            Err(refusal) => return self.refuse(None, &refusal).await,
        };
        let server = &self.connection.server;
        if lane.is_some() && server.has_fault(Fault::NoLanes) {
            let message = "Unsupported parameter: 'stream_id'.";
            let refusal = Refusal::new("unsupported_parameter", message, "stream_id");
            return self.refuse(None, &refusal).await;
        }
        if server.has_fault(Fault::IgnoreLanes) {
            lane = None;
        }
        if server.options.connection_life.is_some_and(|life| self.connection.since.elapsed() > life)
            && let Some((refusal, _)) = Fault::ConnectionLimit.request_refusal()
        {
            return self.refuse(lane.as_deref(), &refusal).await;
        }
        if fields.get("type").and_then(Value::as_str) != Some("response.create") {
            let refusal =
                Refusal::new("invalid_value", "The only event taken here is 'response.create'.", "type");
            return self.refuse(lane.as_deref(), &refusal).await;
        }
        let named = self.queues.keys().flatten().count();
        if lane.is_some() && !self.queues.contains_key(&lane) && named >= LANES {
            let message = format!("A connection has at most {LANES} named lanes; open another.");
            let refusal = Refusal::new("websocket_stream_limit_reached", message, "stream_id");
            return self.refuse(lane.as_deref(), &refusal).await;
        }
        let continues = fields.get("previous_response_id").and_then(Value::as_str).map(str::to_owned);
        let server = &self.connection.server;
        let request = Create::read(fields, Transport::Socket).and_then(|create| server.admit(create));
        self.queue(lane).send(Waiting { continues, request }).map_err(|_| Gone)
    }

    fn queue(&mut self, lane: Lane) -> &mpsc::UnboundedSender<Waiting> {
        let (connection, workers) = (&self.connection, &mut self.workers);
        self.queues.entry(lane.clone()).or_insert_with(|| {
            let (queue, requests) = mpsc::unbounded_channel();
            workers.spawn(work(Arc::clone(connection), lane, requests));
            queue
        })
    }

    async fn refuse(&self, lane: Option<&str>, refusal: &Refusal) -> Result<(), Gone> {
        Emitter::new(&self.connection.out, lane).refuse(refusal).await
    }
}

/// The lane that a frame names; `None` for the default lane.
fn lane_of(fields: &Map<String, Value>) -> Result<Lane, Refusal> {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    match fields.get("stream_id") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) if (1..=LANE_NAME).contains(&name.len()) && name.chars().all(is_sign) => {
            Ok(Some(name.clone()))
        }
        Some(_) => {
            let message =
                format!("A stream_id has 1 to {LANE_NAME} characters of A-Z, a-z, 0-9, '_', '.' and '-'.");
            Err(Refusal::new("invalid_stream_id", message, "stream_id"))
        }
    }
}

/// Answers the requests of one lane in order.
async fn work(connection: Arc<Connection>, lane: Lane, mut requests: mpsc::UnboundedReceiver<Waiting>) {
    while let Some(waiting) = requests.recv().await {
        let Ok(_active) = connection.active.acquire().await else { return };
        if connection.answer(&lane, waiting).await == Err(Gone) {
            return;
        }
    }
}

impl Connection {
    async fn answer(&self, lane: &Lane, waiting: Waiting) -> Result<(), Gone> {
        match waiting.request.and_then(|create| Ok((self.earlier(&create)?, create))) {
            Ok((earlier, create)) => {
                let accepted = AcceptedRequest::new(&self.server, create, &earlier);
                if let Some((refusal, shape)) = accepted.refusal()
                    && shape != Shape::Failed
                {
                    self.evict(lane, accepted.create.previous_response_id.as_deref());
                    let mut emitter = Emitter::new(&self.out, lane.as_deref());
                    return match shape {
                        Shape::Bare => emitter.refuse_barely(&refusal, false).await,
                        Shape::Detail => emitter.refuse_barely(&refusal, true).await,
                        Shape::Frame | Shape::Failed => emitter.refuse(&refusal).await,
                    };
                }
                let ended = response::run(&self.server, &accepted, lane.as_deref(), &self.out).await?;
                self.newest.lock().insert(lane.clone(), ended);
                Ok(())
            }
            Err(refusal) => {
                self.evict(lane, waiting.continues.as_deref());
                Emitter::new(&self.out, lane.as_deref()).refuse(&refusal).await
            }
        }
    }

    /// The items of the response that a request continues from.
    fn earlier(&self, create: &Create) -> Result<Vec<Item>, Refusal> {
        let Some(id) = &create.previous_response_id else { return Ok(Vec::new()) };
        let found =
            self.newest.lock().values().find(|ended| ended.id == *id).map(|ended| ended.items.clone());
        found.ok_or_else(|| not_found(id))
    }

    /// Evicts the response that a refused request wanted to continue from, if it is the newest of its lane.
    fn evict(&self, lane: &Lane, parent: Option<&str>) {
        let mut newest = self.newest.lock();
        if newest.get(lane).is_some_and(|ended| Some(ended.id.as_str()) == parent) {
            newest.remove(lane);
        }
    }
}

/// The refusal of a request that continues from an unknown response.
pub(super) fn not_found(id: &str) -> Refusal {
    let message = format!("Previous response with id '{id}' not found.");
    Refusal::new("previous_response_not_found", message, "previous_response_id")
}
