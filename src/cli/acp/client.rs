//! The connection to the editor: sends notifications and requests.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::cli::stdio::Output;
use crate::lock::Mutex;

/// Sends messages to the editor in order.
pub(super) struct Client {
    out: mpsc::UnboundedSender<Value>,
    /// Requests that wait for an answer. Its guard is held for a single call.
    asked: Mutex<PendingRequests>,
    reads_files: AtomicBool,
}

#[derive(Default)]
struct PendingRequests {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<Result<Value, String>>>,
}

impl Client {
    /// Creates a client for this output. The task ends when the client is dropped and everything is written.
    pub(super) fn new(mut output: Output) -> (Self, JoinHandle<io::Result<()>>) {
        let (out, mut messages) = mpsc::unbounded_channel::<Value>();
        let written = tokio::spawn(async move {
            while let Some(message) = messages.recv().await {
                output.write_all(format!("{message}\n").as_bytes()).await?;
                output.flush().await?;
            }
            Ok(())
        });
        (Self { out, asked: Mutex::default(), reads_files: AtomicBool::new(false) }, written)
    }

    pub(super) fn send(&self, message: Value) {
        // Fails if the editor has disconnected, which the end of the input reports as well.
        self.out.send(message).ok();
    }

    /// Sends a `session/update` notification.
    pub(super) fn update(&self, session: &str, update: Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.send(json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn request(&self, method: &str, params: Value) -> Result<Value, String> {
        let (answer, answered) = oneshot::channel();
        let id = {
            let mut asked = self.asked.lock();
            // Cancelled turns no longer wait.
            asked.waiting.retain(|_, waiting| !waiting.is_closed());
            asked.last += 1;
            let id = asked.last;
            asked.waiting.insert(id, answer);
            id
        };
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        answered.await.unwrap_or_else(|_| Err("the editor is gone".to_owned()))
    }

    /// Delivers the answer to a request; an answer to an unknown request is ignored.
    pub(super) fn answered(&self, id: &Value, result: Value, error: Option<Value>) {
        let waiting = id.as_u64().and_then(|id| self.asked.lock().waiting.remove(&id));
        let answer = match error {
            None => Ok(result),
            Some(error) => Err(error["message"].as_str().unwrap_or("it failed").to_owned()),
        };
        if let Some(waiting) = waiting {
            waiting.send(answer).ok();
        }
    }

    /// Whether the editor supports `fs/read_text_file`, which returns unsaved text.
    pub(super) fn reads_files(&self) -> bool {
        self.reads_files.load(Ordering::Relaxed)
    }

    pub(super) fn set_reads_files(&self, reads: bool) {
        self.reads_files.store(reads, Ordering::Relaxed);
    }
}
