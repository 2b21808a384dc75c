//! A server that runs, and the messages from and to it.

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::frames;
use super::process::Process;
use crate::config::ServerCommand;
use crate::model::limits::{SERVER_ENDS_WITHIN, UNREAD_MESSAGES};

/// Messages that are read ahead. While as many wait, the server has to wait, too.
const READ_AHEAD: usize = 16;

/// The streams of a server. It is killed when this value is dropped.
pub(super) struct ServerConnection {
    process: Process,
    inbox: mpsc::Receiver<Result<Value, String>>,
    outbox: mpsc::Sender<Vec<u8>>,
    tasks: [JoinHandle<()>; 2],
    /// Whether a message could not be sent because the server reads none.
    pub(super) is_stuck: bool,
}

impl ServerConnection {
    /// Starts a server. The error is a clause.
    pub(super) fn start(command: &ServerCommand) -> Result<Self, String> {
        let (process, mut input, output) = Process::start(command)?;
        let (sender, inbox) = mpsc::channel(READ_AHEAD);
        let read = async move {
            let mut output = BufReader::new(output);
            while let Some(message) = frames::read(&mut output).await.transpose() {
                let is_over = message.is_err();
                if sender.send(message).await.is_err() || is_over {
                    break;
                }
            }
        };
        let (outbox, mut messages) = mpsc::channel::<Vec<u8>>(UNREAD_MESSAGES);
        let write = async move {
            while let Some(message) = messages.recv().await {
                // The end of the server is noticed where it is read.
                if input.write_all(&message).await.is_err() || input.flush().await.is_err() {
                    break;
                }
            }
        };
        let tasks = [tokio::spawn(read), tokio::spawn(write)];
        Ok(Self { process, inbox, outbox, tasks, is_stuck: false })
    }

    /// The next message, or what is wrong with the stream; `None` at its end.
    pub(super) async fn next(&mut self) -> Option<Result<Value, String>> {
        self.inbox.recv().await
    }

    /// Describes the end of a server that closed its output.
    pub(super) async fn end(&mut self) -> String {
        self.process.ended().await.unwrap_or_else(|| "closed its output".to_owned())
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub(super) fn request(&mut self, id: u64, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// Answers a request of the server.
    pub(super) fn answer(&mut self, id: &Value, answer: Result<Value, Value>) {
        let (name, value) = match answer {
            Ok(result) => ("result", result),
            Err(error) => ("error", error),
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": id, name: value }));
    }

    fn send(&mut self, message: &Value) {
        let sent = self.outbox.try_send(frames::framed(message));
        self.is_stuck |= matches!(sent, Err(mpsc::error::TrySendError::Full(_)));
    }

    /// Asks the server to end, and kills it if it does not.
    pub(super) async fn shut_down(mut self, id: u64) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "shutdown" }));
        let answered = async {
            while let Some(Ok(message)) = self.inbox.recv().await {
                if message["id"] == id && message.get("method").is_none() {
                    break;
                }
            }
        };
        if timeout(SERVER_ENDS_WITHIN, answered).await.is_ok() {
            self.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
            self.process.ended().await;
        }
    }
}

impl Drop for ServerConnection {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}
