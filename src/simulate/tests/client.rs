//! A client of the simulated server, over a WebSocket and over plain HTTP.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::simulate::{Options, Simulator, start};

/// The timeout of every wait: generous enough for a busy machine, since no test measures time with it.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

pub(super) struct Client(pub(super) WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Client {
    pub(super) async fn connect(simulator: &Simulator) -> Self {
        let url = format!("ws://{}/v1/responses", simulator.address);
        Self(connect_async(url).await.unwrap().0)
    }

    pub(super) async fn send(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Sends a request with these fields in addition to the usual ones.
    pub(super) async fn create(&mut self, fields: Value) {
        let mut frame = json!({"type": "response.create", "model": "m", "store": false});
        frame.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.send(frame).await;
    }

    pub(super) async fn next_message(&mut self) -> Option<Result<Message, tungstenite::Error>> {
        tokio::time::timeout(PATIENCE, self.0.next()).await.unwrap()
    }

    pub(super) async fn next(&mut self) -> Value {
        match self.next_message().await.unwrap().unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("unexpected {other:?}"),
        }
    }

    /// Reads events up to and including the terminal one.
    pub(super) async fn response(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            events.push(self.next().await);
            let kind = events[events.len() - 1]["type"].as_str().unwrap();
            if matches!(kind, "response.completed" | "response.incomplete" | "response.failed" | "error") {
                return events;
            }
        }
    }
}

pub(super) fn text(events: &[Value]) -> String {
    events.iter().filter_map(|event| event["delta"].as_str()).collect()
}

pub(super) fn last(events: &[Value]) -> &Value {
    &events[events.len() - 1]
}

pub(super) fn code(events: &[Value]) -> &str {
    last(events)["error"]["code"].as_str().unwrap_or_else(|| panic!("no error: {}", last(events)))
}

pub(super) fn id(events: &[Value]) -> String {
    last(events)["response"]["id"].as_str().unwrap().to_owned()
}

pub(super) async fn simulate(options: Options) -> (Simulator, Client) {
    let simulator = start(options).await.unwrap();
    let client = Client::connect(&simulator).await;
    (simulator, client)
}

/// Makes one plain HTTP request; returns the status line with the headers, and the body with its chunks joined.
pub(super) async fn http(simulator: &Simulator, request: &str, body: &str) -> (String, String) {
    let mut tcp = TcpStream::connect(simulator.address).await.unwrap();
    let length = body.len();
    let head =
        format!("{request} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    tcp.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let mut answer = String::new();
    tokio::time::timeout(PATIENCE, tcp.read_to_string(&mut answer)).await.unwrap().unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    if !head.contains("chunked") {
        return (head.to_owned(), body.to_owned());
    }
    let (mut joined, mut rest) = (String::new(), body);
    while let Some((size, tail)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        joined.push_str(&tail[..size]);
        rest = tail[size..].trim_start_matches("\r\n");
    }
    (head.to_owned(), joined)
}
