//! Permission to run the user's command on code that a model wrote.

use futures_util::future::BoxFuture;

use crate::edit::EditSet;
use crate::text::printable;

/// A command that is about to run on a change.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// The command, as a person would write it.
    pub command: &'a str,
    /// The change, which the user must see first.
    pub set: &'a EditSet,
    /// The sandbox of the command, described for people; `None` if there is none.
    pub sandbox: Option<&'a str>,
    /// Whether it corrects a change that was asked about before.
    pub is_correction: bool,
}

/// The user's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunAnswer {
    /// The command may run.
    Granted,
    /// The command must not run, for this reason, so the change is unverified.
    Denied(String),
    /// The user skips the command this time.
    Skipped,
}

impl From<Result<bool, String>> for RunAnswer {
    /// The answer to a yes-or-no question, or the reason why it could not be asked.
    fn from(asked: Result<bool, String>) -> Self {
        match asked {
            Ok(true) => Self::Granted,
            Ok(false) => Self::Denied("you did not allow it".to_owned()),
            Err(why) => Self::Denied(why),
        }
    }
}

/// Asks the user whether a command may run.
///
/// The whole change must have been shown before [`RunAnswer::Granted`] is returned.
pub trait RunPermission: Send + Sync {
    /// Shows the change, and asks for permission.
    fn ask<'a>(&'a self, request: RunRequest<'a>) -> BoxFuture<'a, RunAnswer>;
}

/// Denies all commands, for plans that are only checked.
#[derive(Debug)]
pub struct NeverRun;

impl RunPermission for NeverRun {
    fn ask<'a>(&'a self, _: RunRequest<'a>) -> BoxFuture<'a, RunAnswer> {
        Box::pin(std::future::ready(RunAnswer::Denied("there is no way to ask for permission".to_owned())))
    }
}

impl RunRequest<'_> {
    /// The question, in one sentence or two.
    pub fn question(&self) -> String {
        let change = if self.is_correction { "this corrected change" } else { "this change" };
        let sandbox = match self.sandbox {
            Some(sandbox) => format!("in a sandbox ({sandbox})"),
            None => "without a sandbox, with your rights".to_owned(),
        };
        format!(
            "Run `{}` on {change}? It runs what a model wrote, {sandbox}, in a copy of the project.",
            printable(self.command)
        )
    }
}
