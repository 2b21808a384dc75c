//! `tandem apply`: applies a model's reply to a file or a folder and prints the result.

mod arguments;
mod failure;
mod file;
mod folder;
mod input;
mod names;
mod report;

use std::process::ExitCode;

pub(super) use super::settings::access_rules;
pub(super) use arguments::Arguments;
use failure::Failure;
pub(super) use report::{edits_report, flags_report, say_written};

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let done = match (&arguments.file, &arguments.root) {
        (Some(file), _) => file::run(file, arguments),
        (None, Some(root)) => folder::run(root, arguments),
        (None, None) => Err(Failure::Usage("--file or --root is needed".to_owned())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(arguments.json),
    }
}
