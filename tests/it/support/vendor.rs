//! A server that answers as in a vendor's documentation.
//!
//! It has one reply for each request, and repeats the last one for all further requests.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tandem::config::{Endpoint, Secret, Wire};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::http::read_head;

/// An HTTP answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    status: u16,
    kind: &'static str,
    body: String,
    /// Bytes that are announced and never sent.
    missing: usize,
}

impl Reply {
    /// A refusal, or a complete answer.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self { status, kind: "application/json", body: body.to_string(), missing: 0 }
    }

    /// A stream of events, as on the wire.
    pub(crate) fn stream(body: String) -> Self {
        Self { status: 200, kind: "text/event-stream; charset=utf-8", body, missing: 0 }
    }

    /// A page, as networks have it that ask to sign in.
    pub(crate) fn page() -> Self {
        Self { status: 200, kind: "text/html", body: "<html></html>".to_owned(), missing: 0 }
    }

    /// The same, truncated before its end.
    pub(crate) fn broken(self) -> Self {
        Self { missing: 1, ..self }
    }
}

/// A request: the head in lower case, and the body.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// A vendor's server.
pub(crate) struct Vendor {
    pub(crate) base_url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    server: JoinHandle<()>,
}

impl Drop for Vendor {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Vendor {
    pub(crate) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let server = tokio::spawn(serve(listener, replies, Arc::clone(&asked)));
        Self { base_url, asked, server }
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The endpoint of a model there, with a key.
    pub(crate) fn endpoint(&self, wire: Wire, model: &str) -> Endpoint {
        Endpoint {
            provider: "vendor".to_owned(),
            base_url: self.base_url.clone(),
            key: Some(Secret::new("key-canary".to_owned())),
            model: model.to_owned(),
            wire,
            ..Endpoint::default()
        }
    }
}

async fn serve(listener: TcpListener, replies: Vec<Reply>, asked: Arc<Mutex<Vec<Asked>>>) {
    loop {
        let (mut tcp, _) = listener.accept().await.unwrap();
        let (replies, asked) = (replies.clone(), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Some(request) = read(&mut tcp).await {
                let reply = {
                    let mut asked = asked.lock().unwrap();
                    asked.push(request);
                    replies[(asked.len() - 1).min(replies.len() - 1)].clone()
                };
                let Reply { status, kind, body, missing } = reply;
                let length = body.len() + missing;
                let head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
                );
                // The client may have disconnected.
                let sent = tcp.write_all(format!("{head}{body}").as_bytes()).await;
                if sent.is_err() || missing > 0 {
                    return;
                }
            }
        });
    }
}

async fn read(tcp: &mut TcpStream) -> Option<Asked> {
    let head = read_head(tcp).await?.to_lowercase();
    let (_, length) = head.split_once("content-length: ").unwrap_or_default();
    let mut body = vec![0; length.lines().next().map_or(0, |it| it.parse().unwrap())];
    tcp.read_exact(&mut body).await.ok()?;
    Some(Asked { head, body: serde_json::from_slice(&body).unwrap_or_default() })
}
