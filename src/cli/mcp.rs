//! `tandem mcp`: the edit engine as tools for other agents, over the Model Context Protocol.
//!
//! The protocol is JSON-RPC with one message a line. Of it only what tools need is spoken, so no library is
//! used for it.

mod tools;

use std::io::{self, BufRead as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::jsonrpc::{self, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND};
use super::limits::{FILE_BYTES, REPLY_BYTES};
use super::{apply, terminal};
use crate::workspace::Folder;
use tools::Tools;

/// Serve the edit engine as tools for other agents (Model Context Protocol, on standard input and output)
///
/// No model is needed. All paths are confined to the folder, and nothing is written without --write.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The project's folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Let the tools write: all files of an edit or none
    #[arg(long)]
    pub(super) write: bool,
    /// The configuration file, for `privacy.deny` and `privacy.allow` (by default tandem/config.toml in your
    /// configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

/// Versions of the protocol that are spoken, the newest first.
const VERSIONS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];

/// Runs the command until its input ends.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::say(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: &Arguments) -> anyhow::Result<()> {
    let root = &arguments.root;
    let folder = Folder::new(root, FILE_BYTES).with_context(|| format!("cannot open {}", root.display()))?;
    let settings = apply::access_rules(folder.root(), arguments.config.as_deref());
    let tools = Tools { folder, settings, may_write: arguments.write };
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(REPLY_BYTES + 1).read_until(b'\n', &mut line);
        if read.context("cannot read the requests")? == 0 {
            return Ok(());
        }
        if line.len() as u64 > REPLY_BYTES {
            // What follows is the rest of it.
            anyhow::bail!("a request has more than {REPLY_BYTES} bytes");
        }
        if let Some(answer) = answer(&tools, &line) {
            terminal::json(&answer, false).context("cannot answer")?;
        }
    }
}

/// Answers a line; `None` for notifications and empty lines.
fn answer(tools: &Tools, line: &[u8]) -> Option<Value> {
    let message = match jsonrpc::read(line) {
        Ok(message) => message?,
        Err(answer) => return Some(answer),
    };
    let id = message.id?;
    let result = match message.method.as_deref() {
        None => Err((INVALID_REQUEST, "a request has a `method`".to_owned())),
        Some("initialize") => Ok(greeting(&message.params)),
        Some("ping") => Ok(json!({})),
        Some("tools/list") => Ok(json!({ "tools": tools.list() })),
        Some("tools/call") => tools.call(&message.params).map_err(|why| (INVALID_PARAMS, why)),
        Some(other) => Err((METHOD_NOT_FOUND, format!("there is no method `{other}`"))),
    };
    Some(jsonrpc::answer(&id, result))
}

fn greeting(params: &Value) -> Value {
    let asked = params["protocolVersion"].as_str().unwrap_or_default();
    let version = VERSIONS.into_iter().find(|version| *version == asked).unwrap_or(VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "tandem", "version": env!("CARGO_PKG_VERSION") },
        "instructions": "apply_edit takes an edit of one file or several in any common format and applies it exactly \
            or refuses it with the reason; check says what the edit would break elsewhere; context shows what the \
            project's files define.",
    })
}
