//! `tandem profile`: lists the profiles of the configuration file and switches between them.

use std::path::PathBuf;
use std::process::ExitCode;

use super::config_file::ConfigFile;
use super::config_text::{profiles, with_profile};
use super::exit::USAGE;
use super::terminal::{json, print, say};
use crate::text::did_you_mean;

/// List the profiles of the configuration, or switch to one. Running servers follow at once
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The profile to switch to
    name: Option<String>,
    /// Switch the profile off
    #[arg(long, conflicts_with = "name")]
    none: bool,
    /// Print the profiles and the active one as JSON
    #[arg(long, conflicts_with_all = ["name", "none"])]
    json: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let file = ConfigFile::read(arguments.config.clone())?;
    let (names, active) = file.checked(profiles)?;
    match &arguments.name {
        Some(name) if !names.contains(name) => {
            let known = match names.as_slice() {
                [] if file.text().is_some() => {
                    format!("{}; add a table [profiles.{name}]", without_profiles(&file))
                }
                [] => without_profiles(&file),
                names => format!("there are: {}", names.join(", ")),
            };
            let guess = did_you_mean(name, names.iter().map(String::as_str));
            say(format_args!("there is no profile `{name}`; {known}{guess}"));
            return Ok(ExitCode::from(USAGE));
        }
        None if arguments.json => {
            json(&serde_json::json!({ "profiles": names, "active": active }), false)?;
            return Ok(ExitCode::SUCCESS);
        }
        None if !arguments.none => {
            if names.is_empty() {
                print(format_args!("{}.", without_profiles(&file)));
            }
            for name in names {
                let sign = if Some(&name) == active.as_ref() { "*" } else { " " };
                print(format_args!("{sign} {name}"));
            }
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let name = arguments.name.as_deref();
    file.change(|text| with_profile(text, name))?;
    match name {
        Some(name) => print(format_args!("The profile `{name}` is active.")),
        None => print("No profile is active."),
    }
    Ok(ExitCode::SUCCESS)
}

/// The message that there are no profiles.
fn without_profiles(file: &ConfigFile) -> String {
    let path = file.path.display();
    match file.text() {
        Some(_) => format!("{path} has no profiles"),
        None => format!("{path} does not exist yet, so there are no profiles; `tandem setup` writes it"),
    }
}
