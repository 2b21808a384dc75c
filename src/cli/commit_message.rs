//! `tandem commit-message`: writes the message for the staged changes.

use std::path::PathBuf;
use std::process::ExitCode;

use super::changes::{Changes, job};
use super::exit::{code_of, end};
use super::terminal;
use crate::assist::{earlier_subjects, nothing_to_show, with_prefix_as_usual};
use crate::workspace::git::Compared;

/// Write the commit message for the staged changes
///
/// Prints only the message, so that it can be piped: `tandem commit-message | git commit -eF -`. Files that
/// no model may see are left out, and keys are redacted. Exit codes: 0 done, 1 failed or nothing staged, 3
/// refused for safety.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let changes = Changes::here(Compared::Staged, arguments.config.as_deref())?;
    if changes.diff.is_empty() {
        let reason = nothing_to_show(&changes.left_out);
        return end(code_of(&reason), reason);
    }
    let earlier = earlier_subjects(&changes.root);
    match changes.answer(job("commit-message")?, changes.diff.clone(), earlier.join("\n")).await {
        Ok((message, _)) => {
            terminal::exact(&with_prefix_as_usual(&message, &earlier))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(reason) => end(code_of(&reason), reason),
    }
}
