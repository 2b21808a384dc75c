//! `tandem simulate`: runs the simulated model server.

use std::{
    fs,
    io::{self, IsTerminal as _, Write as _},
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use super::exit::USAGE;
use super::terminal;
use crate::disk::Unreadable;
use crate::simulate::{self, Fault, LanguageServer, Options, Script, ServerFault};

/// Simulate a model server on this machine, to try or test Tandem without a model
///
/// Serves the providers' protocols with a small built-in engine, which continues lines by analogy with the
/// file and carries out `rename A to B`. The first line on standard output is
/// `listening on http://127.0.0.1:PORT/v1`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Time to the first token, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 0)]
    ttft_ms: u64,
    /// Output tokens per second; 0 means as fast as possible
    #[arg(long, value_name = "N", default_value_t = 0)]
    tokens_per_second: u32,
    /// Input tokens read per second; 0 means as fast as possible. With a limit, requests are answered one at
    /// a time
    #[arg(long, value_name = "N", default_value_t = 0)]
    reads_per_second: u32,
    /// Cache as newer models do: only input that ends at a breakpoint, and cache writes are billed
    #[arg(long)]
    breakpoints: bool,
    /// Prepared replies, one JSON object per line: {"when": "text in the prompt", "reply": "text"}, also with
    /// "deltas": [..], "ttft_ms": N, "fault": NAME, "once": true
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Simulate this fault; may be given several times
    #[arg(long = "fault", value_name = "NAME",
        value_parser = PossibleValuesParser::new(Fault::ALL.map(Fault::name)).try_map(|name| name.parse::<Fault>()))]
    faults: Vec<Fault>,
    /// Also list this model; may be given several times
    #[arg(long = "model", value_name = "NAME")]
    models: Vec<String>,
    /// Refuse requests for this model as retired; may be given several times
    #[arg(long, value_name = "NAME")]
    retired: Vec<String>,
    /// Name this model in every response, whatever was requested
    #[arg(long, value_name = "NAME")]
    serve_as: Option<String>,
    /// Report every socket as too old after this many seconds; the real service does so after an hour
    #[arg(long, value_name = "SECONDS")]
    connection_life: Option<u64>,
    /// Exit when standard input is closed, as happens when the program that started this one exits
    #[arg(long)]
    until_stdin_closes: bool,
    /// Refuse clients without this key
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
    /// Write each text frame in which a client requests an answer to this file, one per line
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Be a language server with `textDocument/inlineCompletion` on standard input and output instead, with
    /// --ttft-ms and --record
    #[arg(long)]
    language_server: bool,
    /// The text that the language server suggests
    #[arg(long, value_name = "TEXT", requires = "language_server")]
    suggest: Option<String>,
    /// Simulate this fault of a language server
    #[arg(long, value_name = "NAME", requires = "language_server",
        value_parser = PossibleValuesParser::new(ServerFault::ALL.map(ServerFault::name)).try_map(|name| server_fault(&name)))]
    server_fault: Option<ServerFault>,
    /// Allow an address that other machines can reach
    #[arg(long)]
    allow_remote: bool,
}

/// Serves until Ctrl+C, or until standard input closes if that is requested. Wrong usage is exit code 2, with the
/// reason on stderr.
pub(super) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.language_server {
        return serve_language(args).await;
    }
    if !args.listen.ip().is_loopback() && !args.allow_remote {
        let address = args.listen;
        return usage(&format!("other machines can reach {address}; pass --allow-remote if they may"));
    }
    let script = match args.script.as_ref().map(read_script).transpose() {
        Ok(script) => script.unwrap_or_default(),
        Err(message) => return usage(&message),
    };
    let simulator = simulate::start(Options {
        listen: args.listen,
        allow_remote: args.allow_remote,
        ttft: Duration::from_millis(args.ttft_ms),
        tokens_per_second: args.tokens_per_second,
        reads_per_second: args.reads_per_second,
        breakpoints: args.breakpoints,
        rates: simulate::Rates::default(),
        script,
        faults: args.faults,
        models: args.models,
        ends_at: None,
        retired: args.retired,
        serve_as: args.serve_as,
        connection_life: args.connection_life.map(Duration::from_secs),
        api_key: args.api_key,
        record: args.record,
    })
    .await
    .with_context(|| format!("cannot serve {}; choose another address or port with --listen", args.listen))?;
    let mut stdout = io::stdout();
    writeln!(stdout, "listening on {}", simulator.base_url())?;
    stdout.flush()?;
    if stdout.is_terminal() {
        terminal::say("to use it, choose \"Another server\" in `tandem setup`, and this URL; Ctrl+C ends it");
    }
    tokio::select! {
        stopped = tokio::signal::ctrl_c() => stopped?,
        read = stdin_closes(), if args.until_stdin_closes => drop(read?),
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves as a language server until its input closes.
async fn serve_language(args: Args) -> anyhow::Result<ExitCode> {
    let mut starts = 0;
    let mut record = None;
    if let Some(path) = &args.record {
        // The recordings of all starts are one.
        let text = fs::read_to_string(path).unwrap_or_default();
        starts = text.matches("\"method\":\"initialize\"").count();
        record = Some(fs::OpenOptions::new().create(true).append(true).open(path)?);
    }
    let delay = Duration::from_millis(args.ttft_ms);
    let server = LanguageServer { reply: args.suggest, delay, fault: args.server_fault, record, starts };
    tokio::task::spawn_blocking(|| server.serve(io::stdin().lock(), io::stdout().lock())).await??;
    Ok(ExitCode::SUCCESS)
}

/// Reads standard input to its end.
async fn stdin_closes() -> io::Result<u64> {
    tokio::io::copy(&mut tokio::io::stdin(), &mut tokio::io::sink()).await
}

fn read_script(path: &PathBuf) -> Result<Script, String> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {}", path.display(), Unreadable::from(error)))?;
    Script::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn server_fault(name: &str) -> Result<ServerFault, &'static str> {
    ServerFault::by_name(name).ok_or("there is no such fault")
}

fn usage(message: &str) -> anyhow::Result<ExitCode> {
    writeln!(io::stderr(), "error: {message}")?;
    Ok(ExitCode::from(USAGE))
}
