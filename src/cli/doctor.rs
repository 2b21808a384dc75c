//! `tandem doctor`: checks everything that ghost text needs, and suggests the next step.

mod editors;
mod examine;
mod findings;
mod print;

use std::path::PathBuf;
use std::process::ExitCode;

use super::local_servers;
use crate::config;
use findings::Findings;

pub(super) use findings::Problem;

/// Check the configuration, the keys, and the models and their speed, and name the next step for each problem
///
/// Asks each model a few times for one word, which costs next to nothing; --requests 0 sends no request. Exit
/// codes: 0 no problem, 1 a problem, 2 wrong usage.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Print the findings as one JSON object
    #[arg(long)]
    json: bool,
    /// The number of small requests that measure each model over each wire
    #[arg(long, value_name = "N", default_value_t = 3)]
    requests: u32,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
    /// Where to look for model servers on this machine
    #[arg(
        long,
        value_name = "NAME=PORT",
        value_delimiter = ',',
        hide = true,
        default_value = local_servers::USUAL
    )]
    local: Vec<local_servers::DefaultAddress>,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let config = arguments.config.or_else(config::default_path);
    let examination = examine::Examination::begin(config, arguments.requests)?;
    if !arguments.json {
        print::before(&examination.bill());
    }
    let findings: Findings = examination.run(&arguments.local).await;
    if arguments.json {
        super::terminal::json(&findings, true)?;
    } else {
        print::print(&findings);
    }
    let is_well = findings.problems().is_empty() && findings.answers();
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
