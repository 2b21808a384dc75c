//! A server on loopback that records when each frame was received and sent: of the Responses API over WebSockets, or
//! of chat completions over HTTP.
//!
//! Every connection has its own thread and blocks in its reads, so that a recorded time is exact and does not include
//! the delay of a scheduler.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{self, Error, Message, WebSocket};

use crate::chat;
use crate::rig::Wire;

/// How every request is answered.
#[derive(Clone)]
pub(crate) struct Script {
    /// The text, token by token; each becomes one delta.
    pub(crate) tokens: Vec<String>,
    /// The pace of the tokens; `None` sends everything at once.
    pub(crate) pace: Option<Pace>,
}

/// The speed of a model, counted from the arrival of the request.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) first_token: Duration,
    pub(crate) per_token: Duration,
}

/// One request and its response, as seen by the mock.
pub(crate) struct Exchange {
    /// When its connection was made, and upgraded if it is a socket.
    pub(crate) connected: Instant,
    /// When the frame was read.
    pub(crate) received: Instant,
    /// When the last event was about to be written, or the client was found to have disconnected.
    pub(crate) last_sent: Instant,
    /// Tokens generated: the whole script, unless the client disconnected.
    pub(crate) tokens: usize,
    pub(crate) frame: String,
}

/// A running server.
///
/// Its threads end with their connections, the listening thread with the process.
pub(crate) struct Mock {
    port: u16,
    shared: Arc<Shared>,
    exchanges: Receiver<Exchange>,
}

struct Shared {
    script: Mutex<Script>,
    wire: Wire,
    /// When each connection was made, and upgraded if it is a socket.
    connections: Mutex<Vec<Instant>>,
}

impl Mock {
    /// Listens on a free loopback port.
    pub(crate) fn start(script: Script, wire: Wire) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("cannot listen on the loopback")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared { script: Mutex::new(script), wire, connections: Mutex::default() });
        let (sender, exchanges) = mpsc::channel();
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (shared, sender) = (Arc::clone(&accepting), sender.clone());
                // A connection may end in any way; its exchanges hold all that is measured.
                thread::spawn(move || serve(stream, &shared, &sender));
            }
        });
        Ok(Self { port, shared, exchanges })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Sets the script of all later requests.
    pub(crate) fn set_script(&self, script: Script) {
        *lock(&self.shared.script) = script;
    }

    /// Connections made so far.
    pub(crate) fn connections(&self) -> usize {
        lock(&self.shared.connections).len()
    }

    /// The next exchange to end, other than the probe of a model that was not asked before.
    pub(crate) fn exchange(&self, timeout: Duration) -> Result<Exchange> {
        loop {
            match self.exchanges.recv_timeout(timeout) {
                Ok(exchange) if exchange.prompt()?.ends_with(PROBE) => {}
                Ok(exchange) => return Ok(exchange),
                Err(RecvTimeoutError::Timeout) => bail!("no request reached the model in {timeout:?}"),
                Err(RecvTimeoutError::Disconnected) => bail!("the model's server has stopped"),
            }
        }
    }

    /// The exchanges that have ended and were not taken yet.
    pub(crate) fn ended(&self) -> Vec<Exchange> {
        self.exchanges.try_iter().collect()
    }

    /// Waits for the first connection; returns when it was made, and upgraded if it is a socket.
    pub(crate) fn wait_for_connection(&self, timeout: Duration) -> Result<Instant> {
        let start = Instant::now();
        loop {
            if let Some(connected) = lock(&self.shared.connections).first() {
                return Ok(*connected);
            }
            if start.elapsed() > timeout {
                bail!("nothing connected to the model in {timeout:?}");
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The input of a probe.
const PROBE: &str = "OK?\n";

impl Exchange {
    /// All text of the request, instructions and inputs together.
    pub(crate) fn prompt(&self) -> Result<String> {
        let frame: Value = serde_json::from_str(&self.frame)?;
        let mut prompt = String::new();
        collect_strings(&frame["instructions"], &mut prompt);
        collect_strings(&frame["input"], &mut prompt);
        collect_strings(&frame["messages"], &mut prompt);
        Ok(prompt)
    }

    /// The size of the frame in bytes.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.frame.len()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn collect_strings(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, into)),
        // An input item has `content`, a part of it has `text`; the other fields are names.
        Value::Object(fields) => {
            let parts = ["content", "text"].into_iter().filter_map(|name| fields.get(name));
            parts.for_each(|part| collect_strings(part, into));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// One connection: requests in order, one response at a time, as the protocol requires without lanes.
fn serve(stream: TcpStream, shared: &Shared, exchanges: &Sender<Exchange>) -> Result<()> {
    stream.set_nodelay(true)?;
    if shared.wire == Wire::Chat {
        let connected = Instant::now();
        lock(&shared.connections).push(connected);
        return chat::serve(stream, connected, || lock(&shared.script).clone(), exchanges);
    }
    let mut socket = tungstenite::accept(stream)?;
    let connected = Instant::now();
    let connection = {
        let mut connections = lock(&shared.connections);
        connections.push(connected);
        connections.len()
    };
    let mut waiting = VecDeque::new();
    for number in 0_usize.. {
        let (received, frame) = match waiting.pop_front() {
            Some(request) => request,
            None => match next_frame(&mut socket)? {
                Some(request) => request,
                None => return Ok(()),
            },
        };
        let script = lock(&shared.script).clone();
        let id = format!("resp_{connection}_{number}");
        let Asked { generate, metadata } = read_request(&frame)?;
        let metadata = metadata.filter(|_| shared.wire == Wire::Socket);
        let mut response = json!({ "id": id, "object": "response", "model": "bench-model", "output": [] });
        if let Some(metadata) = metadata {
            response["metadata"] = metadata;
        }
        if !generate {
            let completed = json!({ "response": response });
            socket.send(event("response.created", 0, &completed))?;
            socket.send(event("response.completed", 1, &completed))?;
            continue;
        }
        let (tokens, last_sent, result) = match script.pace {
            None => at_once(&mut socket, &response, &script.tokens),
            Some(pace) => {
                socket.get_ref().set_nonblocking(true)?;
                let outcome = paced(&mut socket, &response, &script.tokens, pace, received, &mut waiting);
                socket.get_ref().set_nonblocking(false)?;
                outcome
            }
        };
        exchanges.send(Exchange { connected, received, last_sent, tokens, frame })?;
        result?;
    }
    Ok(())
}

/// The next text frame and the time of its reading; `None` once the client has closed.
fn next_frame(socket: &mut WebSocket<TcpStream>) -> Result<Option<(Instant, String)>> {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => return Ok(Some((Instant::now(), text.to_string()))),
            Ok(_) => {}
            Err(Error::ConnectionClosed | Error::AlreadyClosed) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The options of a request.
struct Asked {
    /// Whether a response is to be generated.
    generate: bool,
    metadata: Option<Value>,
}

/// Parses a request; an error for any other frame.
fn read_request(frame: &str) -> Result<Asked> {
    #[derive(Deserialize)]
    struct Request<'a> {
        #[serde(rename = "type")]
        kind: &'a str,
        generate: Option<bool>,
        metadata: Option<Value>,
    }

    let Request { kind, generate, metadata } = serde_json::from_str(frame)?;
    if kind != "response.create" {
        bail!("a frame of type {kind}");
    }
    Ok(Asked { generate: generate != Some(false), metadata })
}

fn event(kind: &str, sequence_number: usize, fields: &Value) -> Message {
    let mut event = fields.clone();
    event["type"] = kind.into();
    event["sequence_number"] = sequence_number.into();
    Message::text(event.to_string())
}

/// The events of a whole response: created, one delta for each token, completed.
fn events(response: &Value, tokens: &[String]) -> (Message, Vec<Message>, Message) {
    let item = format!("msg_{}", response["id"].as_str().unwrap_or_default());
    let with = |status: &str| {
        let mut response = response.clone();
        response["status"] = status.into();
        response
    };
    let created = json!({ "response": with("in_progress") });
    let deltas = tokens.iter().enumerate().map(|(index, token)| {
        let fields = json!({
            "item_id": item, "output_index": 0, "content_index": 0, "delta": token, "logprobs": [],
        });
        event("response.output_text.delta", index + 1, &fields)
    });
    let mut completed = with("completed");
    let content = json!([{ "type": "output_text", "text": tokens.concat(), "annotations": [] }]);
    completed["output"] = json!([
        { "id": item, "type": "message", "role": "assistant", "status": "completed", "content": content },
    ]);
    completed["usage"] = json!({
        "input_tokens": 900, "input_tokens_details": { "cached_tokens": 768 },
        "output_tokens": tokens.len(), "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": 900 + tokens.len(),
    });
    let completed = event("response.completed", tokens.len() + 1, &json!({ "response": completed }));
    (event("response.created", 0, &created), deltas.collect(), completed)
}

/// The outcome of a response: tokens generated, the time of the last one, and the socket's result.
type Outcome = (usize, Instant, Result<()>);

/// Sends the whole response, each event as its own frame.
fn at_once(socket: &mut WebSocket<TcpStream>, response: &Value, tokens: &[String]) -> Outcome {
    let (created, deltas, completed) = events(response, tokens);
    for message in std::iter::once(created).chain(deltas) {
        if let Err(error) = socket.send(message) {
            return (0, Instant::now(), Err(error.into()));
        }
    }
    let last_sent = Instant::now();
    (tokens.len(), last_sent, socket.send(completed).map_err(Into::into))
}

/// Sends the response at the model's speed, and stops when the client has disconnected.
///
/// Requests that arrive meanwhile are put into `waiting`. The socket must not block.
fn paced(
    socket: &mut WebSocket<TcpStream>,
    response: &Value,
    tokens: &[String],
    pace: Pace,
    received: Instant,
    waiting: &mut VecDeque<(Instant, String)>,
) -> Outcome {
    let (created, deltas, completed) = events(response, tokens);
    let mut sent = 0;
    let mut due = received + pace.first_token;
    let mut result = send_without_waiting(socket, created);
    for delta in deltas {
        result = result
            .and_then(|()| sleep_until(due, socket, waiting))
            .and_then(|()| send_without_waiting(socket, delta));
        if result.is_err() {
            return (sent, Instant::now(), result);
        }
        sent += 1;
        due += pace.per_token;
    }
    let last_sent = Instant::now();
    (sent, last_sent, send_without_waiting(socket, completed))
}

fn send_without_waiting(socket: &mut WebSocket<TcpStream>, message: Message) -> Result<()> {
    match socket.send(message) {
        // The frame is in the socket's own buffer and is sent with the next one.
        Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(()),
        other => other.map_err(Into::into),
    }
}

fn sleep_until(
    due: Instant,
    socket: &mut WebSocket<TcpStream>,
    waiting: &mut VecDeque<(Instant, String)>,
) -> Result<()> {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => waiting.push_back((Instant::now(), text.to_string())),
            Ok(_) => {}
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                let left = due.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ok(());
                }
                thread::sleep(left.min(Duration::from_millis(1)));
            }
            Err(error) => return Err(error.into()),
        }
    }
}
