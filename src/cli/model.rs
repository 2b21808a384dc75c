//! `tandem model`: puts one of the configured models first.

use std::path::PathBuf;
use std::process::ExitCode;

use super::config_file::ConfigFile;
use super::config_text::with_first;
use super::terminal::{print, say};

/// Put one of the configured models first; the others become its fallbacks. Running servers follow at once
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The model's provider, as named in the configuration
    provider: String,
    /// The model
    model: String,
    /// Put it first for hard tasks instead of for ghost text and quick changes
    #[arg(long)]
    deep: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    put_first(arguments).unwrap_or_else(|error| {
        say(format_args!("{error:#}"));
        ExitCode::FAILURE
    })
}

fn put_first(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { provider, model, .. } = arguments;
    let role = if arguments.deep { "deep" } else { "fast" };
    let file = ConfigFile::read(arguments.config.clone())?;
    let text = file.checked(|text| with_first(text, role, provider, model))?;
    if file.text() != Some(text.as_str()) {
        file.write(text)?;
    }
    print(format_args!("{role}: {model} of {provider} is asked first."));
    Ok(ExitCode::SUCCESS)
}
