//! `tandem lsp`: the server on standard input and output.

use std::path::PathBuf;
use std::process::ExitCode;

use super::runtime;
use crate::{config, lsp};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG")]
    config: Option<PathBuf>,
    /// Accepted and without effect: the server always talks over standard input and output
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let start = lsp::Start { config: arguments.config.clone().or_else(config::default_path) };
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    let ended = runtime.block_on(lsp::serve(tokio::io::stdin(), tokio::io::stdout(), start));
    // A thread may still sit in a read of standard input; nothing is worth waiting for it.
    runtime.shutdown_background();
    match ended {
        lsp::Ended::Exit => ExitCode::SUCCESS,
        // LSP 3.18, "Exit Notification": `exit` without `shutdown` is an error.
        lsp::Ended::Abandoned => ExitCode::FAILURE,
    }
}
