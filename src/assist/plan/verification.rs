//! The result of running the user's command on a change.

use std::fmt;
use std::time::Duration;

use crate::config::Verify;
use crate::text::{coded, printable};

/// The result of running a command on a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The command, as a person would write it.
    pub command: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Its output, without escape sequences; only the beginning and the end if it is long.
    pub said: String,
}

coded! {
    /// How a command ended.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum Outcome {
        /// It succeeded.
        Passed = "passed",
        /// It failed with this status.
        Failed(String) = "failed",
        /// It was killed after this time.
        TimedOut(Duration) = "timed-out",
        /// It was not run, for this reason.
        NotRun(String) = "not-run",
    }
}

/// The reason why a command is not run whose program does not exist.
pub fn missing_program(verify: &Verify) -> String {
    let program = verify.command.first().map_or("", String::as_str);
    format!("`verify.command` names `{program}`, and there is no such program")
}

impl Verification {
    /// Whether it reports a failure that a model may fix.
    pub(super) fn is_failure(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_) | Outcome::TimedOut(_))
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = printable(&self.command);
        match &self.outcome {
            Outcome::Passed => write!(f, "`{command}` passes"),
            Outcome::Failed(status) => {
                let last = self.said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
                write!(f, "`{command}` fails ({status})")?;
                if last.is_empty() { Ok(()) } else { write!(f, ": {}", printable(last.trim())) }
            }
            Outcome::TimedOut(limit) => write!(f, "`{command}` did not end within {} s", limit.as_secs()),
            Outcome::NotRun(why) => write!(f, "`{command}` was not run: {}", printable(why)),
        }
    }
}
