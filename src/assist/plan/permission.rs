//! Asks before the user's command runs what a model wrote.

use futures_util::future::BoxFuture;

use crate::edit::EditSet;
use crate::text::printable;

/// A command that is about to be run on a change.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// The command, as a person would write it.
    pub command: &'a str,
    /// The change, which the user has to see before.
    pub set: &'a EditSet,
    /// What confines the command, and from what; `None` if nothing does.
    pub sandbox: Option<&'a str>,
    /// Whether it is a correction of a change that was asked about before.
    pub is_correction: bool,
}

/// What the user says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunAnswer {
    /// It may run.
    Granted,
    /// It must not, for this reason; so nothing vouches for the change.
    Denied(String),
    /// The user has no use for it this time.
    Skipped,
}

/// Asks the user whether a command may run.
///
/// It has shown the whole change before it returns [`RunAnswer::Granted`].
pub trait RunPermission: Send + Sync {
    /// Shows the change, and asks.
    fn ask<'a>(&'a self, request: RunRequest<'a>) -> BoxFuture<'a, RunAnswer>;
}

/// Where plans are only checked, no command runs.
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
