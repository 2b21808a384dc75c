//! The editor's side: starts a server as an editor does and communicates over its pipes.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

/// The timeout of any step, after which the run is aborted.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Lines of the server's stderr and messages that are kept to explain a failure.
const REMEMBERED: usize = 20;

/// A server and the pipes to it. Dropping it kills the process.
pub(crate) struct Driver {
    child: Child,
    spawned: Instant,
    input: Arc<Mutex<ChildStdin>>,
    incoming: Receiver<Incoming>,
    heard: Arc<Mutex<VecDeque<String>>>,
    waiting: HashSet<i64>,
    answers: HashMap<i64, Answer>,
    last_id: i64,
}

/// An answer, and the time at which its last byte was read.
pub(crate) struct Answer {
    pub(crate) read: Instant,
    pub(crate) result: Result<Value, Value>,
}

struct Incoming {
    read: Instant,
    message: Value,
}

impl Driver {
    /// Starts the server without sending anything.
    pub(crate) fn spawn(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let spawned = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let input = child.stdin.take().context("no stdin")?;
        let output = child.stdout.take().context("no stdout")?;
        let errors = child.stderr.take().context("no stderr")?;
        let input = Arc::new(Mutex::new(input));
        let heard = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, incoming) = mpsc::channel();
        let (reading, hearing) = (Arc::clone(&input), Arc::clone(&heard));
        thread::spawn(move || {
            if let Err(error) = read_output(output, &reading, &hearing, &sender) {
                remember(&hearing, format!("output: {error:#}"));
            }
        });
        let hearing = Arc::clone(&heard);
        thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                remember(&hearing, format!("stderr: {line}"));
            }
        });
        Ok(Self {
            child,
            spawned,
            input,
            incoming,
            heard,
            waiting: HashSet::new(),
            answers: HashMap::new(),
            last_id: 0,
        })
    }

    /// Initializes as an editor that supports inline completions.
    ///
    /// Returns the answer to `initialize`.
    pub(crate) fn initialize(&mut self, root: &str) -> Result<Answer> {
        let (id, _) = self.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "clientInfo": { "name": "overhead" },
                "rootUri": root,
                "workspaceFolders": [{ "uri": root, "name": "bench" }],
                "capabilities": {
                    "general": { "positionEncodings": ["utf-8", "utf-16"] },
                    "experimental": { "tandem": { "candidates": 1 } },
                    "textDocument": {
                        "synchronization": { "didSave": true },
                        "inlineCompletion": { "dynamicRegistration": false },
                    },
                },
            }),
        )?;
        let answer = self.answer(id)?;
        if let Err(error) = &answer.result {
            bail!("initialize was refused: {error}");
        }
        self.notify("initialized", json!({}))?;
        Ok(answer)
    }

    /// Sends a notification; returns the time just before the write.
    pub(crate) fn notify(&self, method: &str, params: Value) -> Result<Instant> {
        self.write(&notification(method, params))
    }

    /// Sends a request; returns its id and the time just before the write.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<(i64, Instant)> {
        let (id, message) = self.prepare_request(method, params);
        Ok((id, self.write(&message)?))
    }

    /// The bytes of a request, to be written by the caller.
    pub(crate) fn prepare_request(&mut self, method: &str, params: Value) -> (i64, Vec<u8>) {
        self.last_id += 1;
        self.waiting.insert(self.last_id);
        let message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        (self.last_id, framed(&message))
    }

    /// Writes bytes to the server; returns the time just before.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<Instant> {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let before = Instant::now();
        input.write_all(bytes).and_then(|()| input.flush()).context("the server does not read any more")?;
        Ok(before)
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: i64) -> Result<Answer> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return Ok(answer);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(incoming) => self.sort(incoming)?,
                Err(RecvTimeoutError::Timeout) => bail!("no answer to request {id} in {PATIENCE:?}"),
                Err(RecvTimeoutError::Disconnected) => bail!("the server left request {id} unanswered"),
            }
        }
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// When the process was spawned.
    pub(crate) fn spawned(&self) -> Instant {
        self.spawned
    }

    /// The last output of the server, to be shown with an error.
    pub(crate) fn last_words(&self) -> String {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.iter().map(|line| format!("\n  {line}")).collect()
    }

    fn sort(&mut self, Incoming { read, message }: Incoming) -> Result<()> {
        let id = message["id"].as_i64().with_context(|| format!("an answer without a number: {message}"))?;
        if !self.waiting.remove(&id) {
            bail!("request {id} was answered twice, or never sent");
        }
        let result = match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].clone()),
        };
        self.answers.insert(id, Answer { read, result });
        Ok(())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Either may fail because the process has already ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The bytes of a notification.
pub(crate) fn notification(method: &str, params: Value) -> Vec<u8> {
    framed(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Reads messages until the pipe closes: answers are passed to the driver, requests of the server are answered with
/// null, its notifications are kept.
fn read_output(
    output: impl Read,
    input: &Mutex<ChildStdin>,
    heard: &Mutex<VecDeque<String>>,
    sender: &Sender<Incoming>,
) -> Result<()> {
    let mut output = BufReader::new(output);
    while let Some(body) = read_message(&mut output)? {
        let read = Instant::now();
        let message: Value = serde_json::from_slice(&body)?;
        match (message.get("method"), message.get("id")) {
            (None, _) => sender.send(Incoming { read, message })?,
            (Some(_), Some(id)) => {
                let answer = framed(&json!({ "jsonrpc": "2.0", "id": id, "result": null }));
                input.lock().unwrap_or_else(PoisonError::into_inner).write_all(&answer)?;
            }
            (Some(method), None) => remember(heard, format!("{method}: {}", message["params"])),
        }
    }
    Ok(())
}

fn read_message(output: &mut impl BufRead) -> Result<Option<Vec<u8>>> {
    let mut length = None;
    let mut header = String::new();
    loop {
        header.clear();
        if output.read_line(&mut header)? == 0 {
            return Ok(None);
        }
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("Content-Length: ") {
            length = Some(value.parse::<usize>()?);
        }
    }
    let mut body = vec![0; length.context("a message without a length")?];
    output.read_exact(&mut body)?;
    Ok(Some(body))
}

fn remember(heard: &Mutex<VecDeque<String>>, line: String) {
    let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    if heard.len() == REMEMBERED {
        heard.pop_front();
    }
    heard.push_back(line);
}
