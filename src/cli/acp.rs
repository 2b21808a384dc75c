//! `tandem acp`: plans and answers for editors that speak the Agent Client Protocol.
//!
//! The protocol is JSON-RPC with one message a line, in both directions. Of it only what plans need is
//! spoken, in its first version, so no library is used for it.
//!
//! * A session is a folder. Each prompt is a turn of its own ([`turn`]); of those before it knows what they
//!   wrote, which is no work of the user's as long as it is there byte for byte.
//! * A turn writes nothing until the editor has given permission, and then all files or none. It can be
//!   cancelled until the first byte is written; when the editor is gone, all turns are cancelled.

mod asking;
mod client;
mod ended;
mod progress;
mod prompt;
mod questions;
mod turn;
mod written;

use std::collections::HashMap;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::jsonrpc::{self, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message};
use super::limits::{FILE_BYTES, FOLDER_TIMEOUT, REPLY_BYTES};
use super::stdio;
use crate::config;
use crate::disk::{Purpose, Readers};
use crate::workspace::Folder;
use client::Client;
use prompt::Prompt;
use turn::{Options, Turn};
use written::Written;

/// Serve plans and answers to editors that speak the Agent Client Protocol, on standard input and output
///
/// A prompt is carried out as `tandem plan` does; one that ends with a question mark is answered as by
/// `tandem ask`. Nothing is written before the editor has asked you, and then all files or none.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Write files that have uncommitted changes, too
    #[arg(long)]
    allow_dirty: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

/// The version of the protocol that is spoken.
const VERSION: u64 = 1;

/// Runs the command until its input ends.
pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let (input, output) = stdio::open();
    let (client, written) = Client::new(output);
    let config = arguments.config.or_else(config::default_path);
    let mut agent = Agent {
        client: Arc::new(client),
        options: Options { config, allow_dirty: arguments.allow_dirty, readers: Readers::default() },
        sessions: HashMap::new(),
        turns: JoinSet::new(),
        begun: 0,
    };
    let ended = tokio::select! {
        ended = agent.serve(BufReader::new(input)) => ended,
        interrupted = tokio::signal::ctrl_c() => interrupted.context("cannot wait for an interrupt"),
    };
    // What is being written is finished; the rest is cancelled.
    agent.sessions.values().for_each(Session::cancel);
    while agent.turns.join_next().await.is_some() {}
    drop(agent);
    written.await.context("cannot answer")??;
    ended.map(|()| ExitCode::SUCCESS)
}

/// A folder that the editor has opened.
struct Session {
    folder: Folder,
    /// The folder as the editor names it.
    cwd: PathBuf,
    turns: u64,
    /// Its guard lives for one statement.
    running: Arc<Mutex<Option<Running>>>,
    written: Written,
}

/// A turn that is not answered yet.
struct Running {
    /// The request that it answers.
    prompt: Value,
    /// Taken when it is cancelled.
    cancel: Option<oneshot::Sender<()>>,
}

impl Session {
    /// Cancels the turn that is running, if there is one.
    fn cancel(&self) {
        self.cancel_if(|_| true);
    }

    /// Cancels the turn that is running, if it answers such a request.
    fn cancel_if(&self, is_meant: impl Fn(&Value) -> bool) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let running = running.as_mut().filter(|running| is_meant(&running.prompt));
        if let Some(cancel) = running.and_then(|running| running.cancel.take()) {
            // A turn that writes by now is past cancelling.
            cancel.send(()).ok();
        }
    }
}

struct Agent {
    client: Arc<Client>,
    options: Options,
    sessions: HashMap<String, Session>,
    turns: JoinSet<()>,
    /// Sessions so far.
    begun: u64,
}

type Answer = Result<Value, (i64, String)>;

impl Agent {
    /// Takes messages in until there are no more.
    async fn serve(&mut self, mut input: BufReader<stdio::Input>) -> anyhow::Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut input).take(REPLY_BYTES + 1).read_until(b'\n', &mut line).await;
            if read.context("cannot read the requests")? == 0 {
                return Ok(());
            }
            if line.len() as u64 > REPLY_BYTES {
                // What follows is the rest of it.
                anyhow::bail!("a request has more than {REPLY_BYTES} bytes");
            }
            match jsonrpc::read(&line) {
                Ok(Some(message)) => self.take(message),
                Ok(None) => {}
                Err(answer) => self.client.send(answer),
            }
            while self.turns.try_join_next().is_some() {}
        }
    }

    fn take(&mut self, message: Message) {
        let Message { id, method, params, result, error } = message;
        match (id, method) {
            (Some(id), Some(method)) => {
                if let Some(answer) = self.request(&id, &method, &params) {
                    let is_done = answer.is_ok();
                    self.client.send(jsonrpc::answer(&id, answer));
                    if method == "session/new" && is_done {
                        self.offer_commands();
                    }
                }
            }
            (None, Some(method)) if method == "session/cancel" => {
                if let Ok(session) = self.session(&params) {
                    session.cancel();
                }
            }
            // Requests besides prompts are answered before the next message is read.
            (None, Some(method)) if method == "$/cancel_request" => {
                let is_meant = |prompt: &Value| *prompt == params["requestId"];
                self.sessions.values().for_each(|session| session.cancel_if(is_meant));
            }
            (Some(id), None) => self.client.answered(&id, result, error),
            (None, _) => {}
        }
    }

    /// Answers a request; `None` for a prompt, whose turn answers it.
    fn request(&mut self, id: &Value, method: &str, params: &Value) -> Option<Answer> {
        Some(match method {
            "initialize" => Ok(self.greet(params)),
            "session/new" => self.open(params),
            "session/prompt" => match self.prompt(id, params) {
                Ok(()) => return None,
                Err(wrong) => Err(wrong),
            },
            "session/close" => self.close(params),
            other => Err((METHOD_NOT_FOUND, format!("there is no method `{other}`"))),
        })
    }

    fn greet(&self, params: &Value) -> Value {
        let reads = params["clientCapabilities"]["fs"]["readTextFile"].as_bool();
        self.client.set_reads_files(reads.unwrap_or(false));
        json!({
            "protocolVersion": VERSION,
            "agentCapabilities": {
                "loadSession": false,
                "promptCapabilities": { "image": false, "audio": false, "embeddedContext": false },
                "sessionCapabilities": { "close": {} },
            },
            "authMethods": [],
            "agentInfo": { "name": "tandem", "title": "Tandem", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn open(&mut self, params: &Value) -> Answer {
        let wrong = |why: String| (INVALID_PARAMS, why);
        let cwd = params["cwd"].as_str().map(Path::new).filter(|cwd| cwd.is_absolute());
        let cwd =
            cwd.ok_or_else(|| wrong("`cwd` is the absolute path of the workspace's folder".to_owned()))?;
        let looked_at = cwd.to_owned();
        let look = move || Folder::new(&looked_at, FILE_BYTES);
        let opened = self.options.readers.within(&Purpose::Aside.lane(cwd), FOLDER_TIMEOUT, look);
        let folder = opened
            .map_err(io::Error::other)
            .flatten()
            .map_err(|error| wrong(format!("cannot open the workspace {}: {error}", cwd.display())))?;
        self.begun += 1;
        let id = format!("session-{}", self.begun);
        let session = Session {
            folder,
            cwd: cwd.to_owned(),
            turns: 0,
            running: Arc::default(),
            written: Written::default(),
        };
        self.sessions.insert(id.clone(), session);
        Ok(json!({ "sessionId": id }))
    }

    fn offer_commands(&self) {
        let commands: Vec<Value> = prompt::COMMANDS
            .iter()
            .map(|(name, description, hint)| {
                json!({ "name": name, "description": description, "input": { "hint": hint } })
            })
            .collect();
        let id = format!("session-{}", self.begun);
        self.client.update(
            &id,
            json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands }),
        );
    }

    fn close(&mut self, params: &Value) -> Answer {
        self.session(params)?.cancel();
        self.sessions.remove(params["sessionId"].as_str().unwrap_or_default());
        Ok(json!({}))
    }

    fn session(&mut self, params: &Value) -> Result<&mut Session, (i64, String)> {
        let id = params["sessionId"].as_str().unwrap_or_default();
        self.sessions.get_mut(id).ok_or_else(|| (INVALID_PARAMS, format!("there is no session `{id}`")))
    }

    /// Begins a turn.
    fn prompt(&mut self, id: &Value, params: &Value) -> Result<(), (i64, String)> {
        let (client, options, id) = (Arc::clone(&self.client), self.options.clone(), id.clone());
        let session = self.session(params)?;
        let prompt = Prompt::read(&params["prompt"], &[&session.cwd, session.folder.root()])
            .map_err(|why| (INVALID_PARAMS, why))?;
        let (cancel, cancelled) = oneshot::channel();
        {
            let mut running = session.running.lock().unwrap_or_else(PoisonError::into_inner);
            if running.is_some() {
                let why = "the prompt before is still worked on; cancel it, or wait".to_owned();
                return Err((INVALID_REQUEST, why));
            }
            *running = Some(Running { prompt: id.clone(), cancel: Some(cancel) });
        }
        session.turns += 1;
        let turn = Turn {
            client: Arc::clone(&client),
            session: params["sessionId"].as_str().unwrap_or_default().to_owned(),
            number: session.turns,
            folder: session.folder.clone(),
            cwd: session.cwd.clone(),
            options,
            written: session.written.clone(),
        };
        let running = Arc::clone(&session.running);
        self.turns.spawn(async move {
            let ended = AssertUnwindSafe(turn.run(prompt, cancelled)).catch_unwind().await;
            let answer = match ended {
                Ok(ended) => ended.answer(),
                Err(_) => Err((INTERNAL_ERROR, "the agent failed; nothing was written".to_owned())),
            };
            // The next prompt may come as soon as this one is answered.
            running.lock().unwrap_or_else(PoisonError::into_inner).take();
            client.send(jsonrpc::answer(&id, answer));
        });
        Ok(())
    }
}
