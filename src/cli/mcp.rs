//! `tandem mcp`: the edit engine as tools for other agents, over the Model Context Protocol.
//!
//! The protocol is JSON-RPC with one message per line. Only the part that tools need is implemented, so no library
//! is used.

mod arguments;
mod revision;
mod tools;

use std::io::{self, BufRead as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::jsonrpc::{self, Fault, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND};
use super::limits::{FILE_BYTES, REPLY_BYTES};
use super::{apply, settings, terminal};
use crate::workspace::Folder;
use tools::Tools;

/// Serve other agents with the edit engine as tools (Model Context Protocol, on standard input and output)
///
/// No model is needed. All paths are confined to the folder, and nothing is written without --write.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The project's folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Let the tools write files: all files of an edit or none
    #[arg(long)]
    pub(super) write: bool,
    /// The configuration file, for `privacy.deny` and `privacy.allow` (by default tandem/config.toml in your
    /// configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

/// Runs the command until its input ends.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let root = &arguments.root;
    let folder = Folder::new(root, FILE_BYTES).with_context(|| format!("cannot open {}", root.display()))?;
    let settings = apply::access_rules(folder.root(), arguments.config.as_deref());
    let tools = Tools { folder, settings, may_write: arguments.write };
    let mut server = Server { tools, config: arguments.config.clone(), has_handshake: false };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || runtime.block_on(settings::keep_policy_fresh()));
    terminal::say_if_started_by_hand("MCP server", "agent");
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(REPLY_BYTES + 1).read_until(b'\n', &mut line);
        if read.context("cannot read the requests")? == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        if line.len() as u64 > REPLY_BYTES {
            // There is no way to resynchronize: the rest of the line follows.
            anyhow::bail!("a request has more than {REPLY_BYTES} bytes");
        }
        if let Some(answer) = server.answer_line(&line) {
            terminal::json(&answer, false).context("cannot answer")?;
        }
    }
}

struct Server {
    tools: Tools,
    config: Option<PathBuf>,
    /// Whether a handshake has settled the revision of requests that do not carry their own.
    has_handshake: bool,
}

impl Server {
    /// Answers a line: a message, or a batch in an array, as in revision 2025-03-26.
    fn answer_line(&mut self, line: &[u8]) -> Option<Value> {
        match serde_json::from_slice::<Vec<Value>>(line) {
            Ok(batch) if !batch.is_empty() => {
                let answers: Vec<Value> =
                    batch.iter().filter_map(|message| self.answer(message.to_string().as_bytes())).collect();
                (!answers.is_empty()).then(|| answers.into())
            }
            _ => self.answer(line),
        }
    }

    /// Answers a message; `None` for notifications and empty lines.
    fn answer(&mut self, message: &[u8]) -> Option<Value> {
        let message = match jsonrpc::read(message) {
            Ok(message) => message?,
            Err(answer) => return Some(answer),
        };
        let id = message.id?;
        let result = match message.method.as_deref() {
            None => Err((INVALID_REQUEST, "a request has a `method`".to_owned()).into()),
            Some(method) => self.result(method, &message.params),
        };
        Some(jsonrpc::answer(&id, result))
    }

    fn result(&mut self, method: &str, params: &Value) -> Result<Value, Fault> {
        let is_negotiated = self.has_handshake || ["initialize", "ping"].contains(&method);
        if is_negotiated && !revision::is_stated(params) {
            return self.negotiated(method, params);
        }
        revision::check(params)?;
        let result = match method {
            "server/discover" => {
                let mut discovered = about();
                discovered["supportedVersions"] = json!(revision::STATELESS);
                discovered
            }
            _ => self.tools(method, params)?,
        };
        Ok(revision::complete(result, method != "tools/call"))
    }

    /// Answers a request of a revision with a handshake.
    fn negotiated(&mut self, method: &str, params: &Value) -> Result<Value, Fault> {
        match method {
            "initialize" => {
                self.has_handshake = true;
                let mut greeting = about();
                greeting["protocolVersion"] = revision::negotiated(params).into();
                greeting["serverInfo"] = revision::server_info();
                Ok(greeting)
            }
            "ping" => Ok(json!({})),
            _ => self.tools(method, params),
        }
    }

    fn tools(&mut self, method: &str, params: &Value) -> Result<Value, Fault> {
        match method {
            "tools/list" => Ok(json!({ "tools": self.tools.list() })),
            "tools/call" => {
                // A session may last for days, and the rules of a policy may change meanwhile.
                let folders = [self.tools.folder.root().to_owned()];
                self.tools.settings = settings::read(self.config.as_deref(), &[], &folders, false).settings;
                self.tools.call(params).map_err(|why| (INVALID_PARAMS, why).into())
            }
            other => Err((METHOD_NOT_FOUND, format!("there is no method `{other}`")).into()),
        }
    }
}

/// The server's capabilities, and its instructions for models.
fn about() -> Value {
    json!({
        "capabilities": { "tools": {} },
        "instructions": "apply_edit takes an edit of one file or several in any common format and applies it exactly \
            or refuses it with the reason; check says what the edit would break elsewhere; context shows what the \
            project's files define.",
    })
}
