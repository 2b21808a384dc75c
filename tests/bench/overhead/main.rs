//! The server from outside: its cost above the minimum of any such server.
//!
//! A driver starts `tandem lsp` as an editor does and communicates over its pipes; the model is a server in this
//! process that records when each frame is received and sent. Every figure is shown beside its *floor*: a bare relay
//! from the language server protocol to the socket, measured in turn with the server in the same run, so that a slow
//! machine slows both.
//!
//! ```text |cargo bench --bench overhead -- [--quick] [--details] [--json FILE] [--only NAME] [--server PATH] |```
//!
//! No time makes it fail. It fails (exit 1) if an answer is missing or a prompt was not built from exactly the text
//! that was typed.

mod around;
mod candidate;
mod chat;
mod driver;
mod footprint;
mod mock;
mod process;
mod relay;
mod rig;
mod source;
mod supersede;
mod table;
mod typing;
mod typist;
mod wires;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs, thread};

use anyhow::{Context as _, Result, ensure};
use clap::{Parser, ValueEnum};
use serde_json::{Value, json};

use crate::process::Machine;
use crate::rig::{Setup, Wire};
use crate::table::Row;

/// Measures the language server beside its floor.
#[derive(Parser)]
struct Arguments {
    /// A fifth of the rounds
    #[arg(long)]
    quick: bool,
    /// Show also where the time goes
    #[arg(long)]
    details: bool,
    /// Write the figures here as well, with more of each distribution
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure only this; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<Figure>,
    /// The server to measure, if not the one that `cargo build --release` makes
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Figure {
    Completions,
    Changes,
    Burst,
    Cancelled,
    Context,
    Walking,
    Memory,
    Growth,
    Startup,
    Wires,
    LanguageServer,
}

impl Figure {
    fn measure(self, setup: &Setup) -> Result<Vec<Row>> {
        match self {
            Self::Completions => typing::completions(setup),
            Self::Changes => typing::changes(setup),
            Self::Burst => typing::burst(setup),
            Self::Cancelled => supersede::cancelled(setup),
            Self::Context => around::context(setup),
            Self::Walking => around::walking(setup),
            Self::Memory => footprint::resident_memory(setup),
            Self::Growth => footprint::growth(setup),
            Self::Startup => footprint::start_up(setup),
            Self::Wires => wires::wires(setup),
            Self::LanguageServer => candidate::language_server(setup),
        }
    }
}

fn main() -> Result<ExitCode> {
    // The floor is dispatched first, so that it initializes nothing else.
    let mut arguments = env::args().skip(1);
    if arguments.next().as_deref() == Some("relay") {
        let url = arguments.next().context("relay needs a URL")?;
        return relay::run(&url).map(|()| ExitCode::SUCCESS);
    }
    measure(&Arguments::parse())
}

/// Builds the program as its users do, and returns its path.
///
/// The program that is built with a benchmark enables features of its dependencies for tests, such as a clock that
/// can be paused, and has other symbol names, which the linker does not recognize.
fn release() -> Result<PathBuf> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--release",
        "--locked",
        "--bin",
        "tandem",
        "--message-format",
        "json-render-diagnostics",
    ]);
    // The variables that cargo sets for a benchmark would cause build scripts to run again.
    for (name, _) in env::vars_os() {
        if ["CARGO_MANIFEST_", "CARGO_PKG_"].iter().any(|it| name.to_string_lossy().starts_with(it)) {
            cargo.env_remove(name);
        }
    }
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the server cannot be built: {}", output.status);
    let messages = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let built = messages.filter_map(|message| Some(PathBuf::from(message.ok()?["executable"].as_str()?)));
    built.last().context("cargo built no program")
}

fn measure(arguments: &Arguments) -> Result<ExitCode> {
    let server = arguments.server.clone().map_or_else(release, Ok)?;
    // The server runs in its own folder, so its path must be absolute.
    let server = server.canonicalize().with_context(|| format!("no server at {}", server.display()))?;
    let setup = Setup { server, relay: env::current_exe()?, quick: arguments.quick, wire: Wire::Socket };
    let mut progress = io::stderr();
    let (mut rows, mut failures, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let load = process::load();
    for figure in Figure::value_variants() {
        if !arguments.only.is_empty() && !arguments.only.contains(figure) {
            continue;
        }
        write!(progress, "{figure:?} … ")?;
        progress.flush()?;
        let (start, before) = (Instant::now(), Machine::now());
        match figure.measure(&setup) {
            Ok(measured) => rows.extend(measured),
            Err(error) => failures.push(format!("{figure:?}: {error:#}")),
        }
        let others = Machine::now()?.share_of_others(before?);
        let note = format!("{figure:?}: {:.0} s, {:.0} %", start.elapsed().as_secs_f64(), others * 100.0);
        writeln!(progress, "{note} of the machine used by others")?;
        notes.push((format!("{figure:?}"), others));
    }
    let machine = json!({
        "cores": thread::available_parallelism()?.get(),
        "load_before": load,
        "load_after": process::load(),
        "cpu_share_of_others": notes.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    });
    let mut output = io::stdout().lock();
    writeln!(output, "{}", table::markdown(&rows, arguments.details))?;
    writeln!(output, "Machine: {machine}")?;
    if let Some(path) = &arguments.json {
        let figures = json!({ "machine": machine, "figures": table::json(&rows), "failures": failures });
        fs::write(path, format!("{figures:#}\n"))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    for failure in &failures {
        writeln!(progress, "FAILED {failure}")?;
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
