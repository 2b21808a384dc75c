//! `tandem acp`: plans and answers for editors that support the Agent Client Protocol.
//!
//! The protocol is JSON-RPC with one message per line, in both directions. Only the part of version 1 that plans
//! need is implemented, so no library is used.
//!
//! * A session is a folder. Each prompt is an independent [`turn`]. A turn knows which files earlier turns wrote;
//!   these do not count as the user's work as long as they are unchanged byte for byte. Prompts and answers are
//!   kept ([`history`]), so that a session can be shown and continued later.
//! * A turn writes nothing until the editor has given permission, and then all files or none. It can be cancelled
//!   until the first byte is written. When the editor disconnects, all turns are cancelled.

mod asking;
mod auth;
mod client;
mod history;
mod progress;
mod prompt;
mod questions;
mod sessions;
mod turn;
mod turn_stop;
mod written;

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::jsonrpc::{
    self, Answer, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message,
};
use super::limits::REPLY_BYTES;
use super::{settings, setup, stdio, terminal};
use crate::disk::Readers;
use client::Client;
use history::Exchange;
use prompt::Prompt;
use sessions::{Running, Session, Sessions};
use turn::{Options, Turn};

/// Serve editors as an agent (Agent Client Protocol, on standard input and output)
///
/// A prompt is run like `tandem plan`; one that ends with a question mark is answered like `tandem ask`.
/// Nothing is written until you allow it in the editor, and then all files or none.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    instead: Option<Instead>,
    /// Also write files that have uncommitted changes
    #[arg(long)]
    allow_dirty: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

/// What is done instead of serving.
#[derive(Debug, clap::Subcommand)]
enum Instead {
    /// Choose a model as `tandem setup` does; editors run this in a terminal
    Setup(Box<setup::Arguments>),
}

/// The supported version of the protocol.
const VERSION: u64 = 1;

/// Runs the command until its input ends.
pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if let Some(Instead::Setup(arguments)) = arguments.instead {
        return setup::run(*arguments).await;
    }
    terminal::say_if_started_by_hand("ACP agent", "editor");
    let (input, output) = stdio::open();
    let (client, written) = Client::new(output);
    let readers = Readers::default();
    let mut agent = Agent {
        client: Arc::new(client),
        sessions: Sessions::new(readers.clone()),
        options: Options { config: arguments.config, allow_dirty: arguments.allow_dirty, readers },
        turns: JoinSet::new(),
    };
    tokio::spawn(settings::keep_policy_fresh());
    let ended = tokio::select! {
        ended = agent.serve(BufReader::new(input)) => ended,
        interrupted = tokio::signal::ctrl_c() => interrupted.context("cannot wait for an interrupt"),
    };
    // A write in progress is finished; everything else is cancelled.
    agent.sessions.all().for_each(Session::cancel);
    while agent.turns.join_next().await.is_some() {}
    drop(agent);
    written.await.context("cannot answer")??;
    ended.map(|()| ExitCode::SUCCESS)
}

struct Agent {
    client: Arc<Client>,
    options: Options,
    sessions: Sessions,
    turns: JoinSet<()>,
}

impl Agent {
    /// Handles messages until the end of the input.
    async fn serve(&mut self, mut input: BufReader<stdio::Input>) -> anyhow::Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut input).take(REPLY_BYTES + 1).read_until(b'\n', &mut line).await;
            if read.context("cannot read the requests")? == 0 {
                return Ok(());
            }
            if line.len() as u64 > REPLY_BYTES {
                // There is no way to resynchronize: the rest of the line follows.
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
                    let session = match (method.as_str(), &answer) {
                        ("session/new", Ok(begun)) => begun["sessionId"].as_str(),
                        ("session/load" | "session/resume", Ok(_)) => params["sessionId"].as_str(),
                        _ => None,
                    };
                    let session = session.map(str::to_owned);
                    self.client.send(jsonrpc::answer(&id, answer));
                    if let Some(session) = session {
                        self.offer_commands(&session);
                    }
                }
            }
            (None, Some(method)) if method == "session/cancel" => {
                if let Ok(session) = self.sessions.get(&params) {
                    session.cancel();
                }
            }
            // Only prompts can be cancelled: other requests are answered before the next message is read.
            (None, Some(method)) if method == "$/cancel_request" => {
                let is_meant = |prompt: &Value| *prompt == params["requestId"];
                self.sessions.all().for_each(|session| session.cancel_if(is_meant));
            }
            (Some(id), None) => self.client.answered(&id, result, error),
            (None, _) => {}
        }
    }

    /// Answers a request; `None` if a spawned task will answer it.
    fn request(&mut self, id: &Value, method: &str, params: &Value) -> Option<Answer> {
        Some(match method {
            "initialize" => Ok(self.greet(params)),
            "authenticate" => {
                self.authenticate(id, params);
                return None;
            }
            "session/new" => self.sessions.begin(params),
            "session/load" => self.load(params),
            "session/resume" => self.sessions.reopen(params).map(|_| json!({})),
            "session/list" => self.sessions.list(params),
            "session/delete" => self.sessions.delete(params),
            "session/prompt" => match self.prompt(id, params) {
                Ok(()) => return None,
                Err(wrong) => Err(wrong),
            },
            "session/close" => self.sessions.close(params),
            other => Err((METHOD_NOT_FOUND, format!("there is no method `{other}`"))),
        })
    }

    fn greet(&self, params: &Value) -> Value {
        let reads = params["clientCapabilities"]["fs"]["readTextFile"].as_bool();
        self.client.set_reads_files(reads.unwrap_or(false));
        json!({
            "protocolVersion": VERSION,
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": { "image": false, "audio": false, "embeddedContext": false },
                "sessionCapabilities": { "close": {}, "delete": {}, "list": {}, "resume": {} },
            },
            "authMethods": auth::methods(&params["clientCapabilities"]),
            "agentInfo": { "name": "tandem", "title": "Tandem", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn authenticate(&mut self, id: &Value, params: &Value) {
        let (client, config) = (Arc::clone(&self.client), self.options.config.clone());
        let (id, params) = (id.clone(), params.clone());
        self.turns.spawn(async move {
            client.send(jsonrpc::answer(&id, auth::authenticate(&params, config).await));
        });
    }

    /// Reopens a recorded session and replays its prompts and answers.
    fn load(&mut self, params: &Value) -> Answer {
        let id = params["sessionId"].as_str().unwrap_or_default();
        for Exchange { prompt, answer } in self.sessions.reopen(params)? {
            for (kind, said) in [("user_message_chunk", prompt), ("agent_message_chunk", answer)] {
                let content = json!({ "type": "text", "text": said });
                self.client.update(id, json!({ "sessionUpdate": kind, "content": content }));
            }
        }
        Ok(json!({}))
    }

    fn offer_commands(&self, session: &str) {
        let commands: Vec<Value> = prompt::COMMANDS
            .iter()
            .map(|(name, description, hint)| {
                json!({ "name": name, "description": description, "input": { "hint": hint } })
            })
            .collect();
        self.client.update(
            session,
            json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands }),
        );
    }

    /// Starts a turn.
    fn prompt(&mut self, id: &Value, params: &Value) -> Result<(), (i64, String)> {
        let (client, options, id) = (Arc::clone(&self.client), self.options.clone(), id.clone());
        let session = self.sessions.get(params)?;
        let prompt = Prompt::read(&params["prompt"], &[&session.cwd, session.folder.root()])
            .map_err(|why| (INVALID_PARAMS, why))?;
        let (cancel, cancelled) = oneshot::channel();
        {
            let mut running = session.running.lock();
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
            let answer = ended.unwrap_or_else(|_| {
                Err((INTERNAL_ERROR, "the agent failed; nothing was written".to_owned()))
            });
            // Cleared first: the next prompt may arrive as soon as this one is answered.
            running.lock().take();
            client.send(jsonrpc::answer(&id, answer));
        });
        Ok(())
    }
}
