//! The failures of the command, and how they are reported.

use std::process::ExitCode;

use serde_json::json;

use crate::cli::exit::{REFUSED, USAGE};
use crate::cli::terminal;
use crate::edit::Refusal;
use crate::workspace::FolderError;

/// Why there is no result.
pub(super) enum Failure {
    Refused(Refusal),
    Usage(String),
    Failed(anyhow::Error),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Refused(refusal) => Self::Refused(refusal),
            error => Self::Failed(error.into()),
        }
    }
}

impl Failure {
    /// Reports the failure on standard error, and as JSON on standard output if asked for.
    pub(super) fn report(self, as_json: bool) -> ExitCode {
        match self {
            Self::Refused(refusal) => {
                // The command has a flag for what is a setting elsewhere.
                let reason =
                    refusal.to_string().replace("`allow_invisible_characters`", "`--allow-invisible`");
                if as_json {
                    let report = json!({ "status": "refused", "code": refusal.code(), "reason": reason });
                    if let Err(error) = terminal::json(&report, false) {
                        terminal::say(error);
                        return ExitCode::FAILURE;
                    }
                }
                terminal::say(format_args!("refused ({}): {reason}", refusal.code()));
                ExitCode::from(REFUSED)
            }
            Self::Usage(reason) => {
                terminal::say(reason);
                ExitCode::from(USAGE)
            }
            Self::Failed(error) => {
                terminal::say(format_args!("{error:#}"));
                ExitCode::FAILURE
            }
        }
    }
}
