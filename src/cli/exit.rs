//! The exit codes of commands.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused for safety.

use std::fmt::Display;
use std::process::ExitCode;

use super::terminal;
use crate::edit::Refusal;
use crate::job::Reason;

/// The exit code for a failure.
pub(super) const FAILED: u8 = 1;
/// The exit code for wrong usage.
pub(super) const USAGE: u8 = 2;
/// The exit code for a refusal for safety.
pub(super) const REFUSED: u8 = 3;

/// The exit code of a command that an interrupt ends: 128 and the number of SIGINT, as shells have it.
pub(super) const INTERRUPTED: u8 = 130;

/// The exit code of a command that ends without a result for this reason.
pub(super) fn code_of(reason: &Reason) -> u8 {
    match reason {
        Reason::Unchanged => 0,
        // The model did not follow its instructions, which is not a safety issue.
        Reason::NoAnswer { .. } | Reason::Refused(Refusal::Empty) => 1,
        Reason::Refused(_) | Reason::NotRead(_) | Reason::Unusable { .. } | Reason::Withheld { .. } => {
            REFUSED
        }
        _ => 1,
    }
}

/// Reports a message, and ends with this code.
pub(super) fn end(code: u8, message: impl Display) -> anyhow::Result<ExitCode> {
    terminal::say(message);
    Ok(ExitCode::from(code))
}

/// Reports why the program cannot start.
pub(super) fn cannot_start(error: &std::io::Error) -> ExitCode {
    terminal::say(format_args!("cannot start: {error}"));
    ExitCode::FAILURE
}
