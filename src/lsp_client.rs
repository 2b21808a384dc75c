//! A minimal LSP client over any byte stream, which drives the server in the demo, the tests and the benches.
//!
//! It acts as one editor: it keeps no document text, sends what the caller passes, and hands out every message from
//! the server. [`LspClient::finish`] returns the messages that were left unread.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The timeout for each awaited message.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client that acts as one editor.
pub struct LspClient {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    incoming: mpsc::UnboundedReceiver<Value>,
    /// Messages that arrived while another one was awaited.
    held: VecDeque<Value>,
    next_id: i64,
    tasks: [JoinHandle<io::Result<()>>; 2],
}

/// Why the client could not go on.
#[derive(Debug, thiserror::Error)]
pub enum LspClientError {
    /// The server answered a request with an error.
    #[error("{method} failed: {message} ({code})")]
    Answer {
        /// The request's method.
        method: String,
        /// The error's code.
        code: i64,
        /// The error's message.
        message: String,
    },
    /// The server closed the connection.
    #[error("the server closed the connection")]
    Gone,
    /// No message came within the timeout.
    #[error("{0} did not come within {seconds} s", seconds = PATIENCE.as_secs())]
    Silent(String),
}

impl LspClient {
    /// Starts a client over these two streams.
    pub fn new<R, W>(from_server: R, to_server: W) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (outgoing, outbox) = mpsc::unbounded_channel();
        let (inbox, incoming) = mpsc::unbounded_channel();
        let tasks = [tokio::spawn(write(to_server, outbox)), tokio::spawn(read(from_server, inbox))];
        Self { outgoing, incoming, held: VecDeque::new(), next_id: 0, tasks }
    }

    /// Sends `initialize` and `initialized`, and returns the server's answer.
    ///
    /// # Errors
    ///
    /// As [`LspClient::request`].
    pub async fn initialize(&mut self, params: Value) -> Result<Value, LspClientError> {
        let answer = self.request("initialize", params).await?;
        self.notify("initialized", json!({}));
        Ok(answer)
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }

    /// Sends a request and waits for its result.
    ///
    /// # Errors
    ///
    /// [`LspClientError::Answer`] if the server answers with an error, another variant if it does not answer.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value, LspClientError> {
        let id = self.ask(method, params);
        let mut answer = self.answer(id).await?;
        if let Some(error) = answer.get("error") {
            return Err(LspClientError::Answer {
                method: method.to_owned(),
                code: error["code"].as_i64().unwrap_or_default(),
                message: error["message"].as_str().unwrap_or_default().to_owned(),
            });
        }
        Ok(answer["result"].take())
    }

    /// Waits for the whole answer to a request, error or not.
    ///
    /// # Errors
    ///
    /// [`LspClientError::Gone`] or [`LspClientError::Silent`].
    pub async fn answer(&mut self, id: i64) -> Result<Value, LspClientError> {
        self.wait_for(&format!("the answer to request {id}"), |message| {
            message.get("method").is_none() && message["id"] == id
        })
        .await
    }

    /// Waits for the next request or notification of this method from the server.
    ///
    /// # Errors
    ///
    /// [`LspClientError::Gone`] or [`LspClientError::Silent`].
    pub async fn expect(&mut self, method: &str) -> Result<Value, LspClientError> {
        self.wait_for(method, |message| message["method"] == method).await
    }

    /// Answers a request from the server.
    pub fn reply(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    /// Sends bytes as they are, with a matching `Content-Length` header.
    pub fn send_raw(&mut self, body: &[u8]) {
        let mut framed = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        framed.extend_from_slice(body);
        // A closed connection is reported when the answer is awaited.
        drop(self.outgoing.send(framed));
    }

    /// Takes all messages that have arrived and were not awaited.
    pub fn take_unread(&mut self) -> Vec<Value> {
        while let Ok(message) = self.incoming.try_recv() {
            self.held.push_back(message);
        }
        self.held.drain(..).collect()
    }

    /// Shuts the server down as an editor should, and returns the messages that were not read.
    ///
    /// # Errors
    ///
    /// As [`LspClient::request`].
    pub async fn finish(mut self) -> Result<Vec<Value>, LspClientError> {
        self.request("shutdown", Value::Null).await?;
        self.notify("exit", Value::Null);
        while let Ok(Some(message)) = timeout(PATIENCE, self.incoming.recv()).await {
            self.held.push_back(message);
        }
        Ok(self.held.drain(..).collect())
    }

    fn send(&mut self, message: &Value) {
        self.send_raw(message.to_string().as_bytes());
    }

    async fn wait_for(
        &mut self,
        what: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<Value, LspClientError> {
        if let Some(at) = self.held.iter().position(&wanted)
            && let Some(message) = self.held.remove(at)
        {
            return Ok(message);
        }
        loop {
            match timeout(PATIENCE, self.incoming.recv()).await {
                Ok(Some(message)) if wanted(&message) => return Ok(message),
                Ok(Some(message)) => self.held.push_back(message),
                Ok(None) => return Err(LspClientError::Gone),
                Err(_) => return Err(LspClientError::Silent(what.to_owned())),
            }
        }
    }
}

impl Drop for LspClient {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    mut to: W,
    mut outbox: mpsc::UnboundedReceiver<Vec<u8>>,
) -> io::Result<()> {
    while let Some(bytes) = outbox.recv().await {
        to.write_all(&bytes).await?;
        to.flush().await?;
    }
    Ok(())
}

async fn read<R: AsyncRead + Unpin>(from: R, inbox: mpsc::UnboundedSender<Value>) -> io::Result<()> {
    let mut from = BufReader::new(from);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if from.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, digits)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = digits.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut body = vec![0; length];
        from.read_exact(&mut body).await?;
        let message = serde_json::from_slice(&body)?;
        if inbox.send(message).is_err() {
            return Ok(());
        }
    }
}
