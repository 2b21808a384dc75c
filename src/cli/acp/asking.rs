//! Asks the editor for permission before the user's command runs model-written code.
//!
//! A single question covers both running the command and writing the change if it passes. A correction has a
//! new diff, so it is asked about again.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::progress::{Picked, Progress};
use crate::assist::plan::{RunAnswer, RunPermission, RunRequest};
use crate::edit::EditSet;
use crate::edit::edit_set::{Change, FileEdit};
use crate::edit::effect::{Effect, effects};
use crate::lock::Mutex;

pub(super) struct TurnQuestions {
    progress: Arc<Progress>,
    /// The user's latest verdict. Its guard is held for a single access.
    verdict: Mutex<Verdict>,
}

/// The user's verdict on writing a change, given when asked about the command.
#[derive(Clone, Default)]
pub(super) enum Verdict {
    /// No verdict yet.
    #[default]
    Open,
    /// This change may be written if its check passes.
    Accepted(EditSet),
    Rejected,
    Cancelled,
}

const RUN_AND_WRITE: &str = "run-and-write";
const RUN: &str = "run";
const SKIP: &str = "write";

impl TurnQuestions {
    pub(super) fn new(progress: Arc<Progress>) -> Self {
        Self { progress, verdict: Mutex::default() }
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.verdict.lock().clone()
    }
}

impl RunPermission for TurnQuestions {
    fn ask<'a>(&'a self, request: RunRequest<'a>) -> BoxFuture<'a, RunAnswer> {
        Box::pin(async move {
            let call = {
                let effects = effects(request.set);
                let changed: Vec<&Effect<'_>> =
                    effects.iter().filter(|it| it.operation() != "none").collect();
                self.progress.running(&format!("{} {}", request.question(), title(request.set)), &changed)
            };
            let options = [
                [RUN_AND_WRITE, "Run it, and write all if it passes", "allow_once"],
                [RUN, "Run it, and ask again", "allow_once"],
                [SKIP, "Write all without running it", "allow_once"],
                ["reject", "Neither run nor write", "reject_once"],
            ];
            let denied = || RunAnswer::Denied("you did not allow it".to_owned());
            let accepted = || Verdict::Accepted(request.set.clone());
            let (verdict, answer) = match self.progress.permission(call, &options).await {
                Ok(Picked::Option(option)) => match option.as_str() {
                    RUN_AND_WRITE => (accepted(), RunAnswer::Granted),
                    RUN => (Verdict::Open, RunAnswer::Granted),
                    SKIP => (accepted(), RunAnswer::Skipped),
                    _ => (Verdict::Rejected, denied()),
                },
                Ok(Picked::Cancelled) => (Verdict::Cancelled, denied()),
                Err(why) => {
                    let why = format!("the editor could not ask for permission: {why}");
                    (Verdict::Open, RunAnswer::Denied(why))
                }
            };
            *self.verdict.lock() = verdict;
            answer
        })
    }
}

/// The maximum number of changes that a title names.
const NAMED: usize = 12;

/// The title of a change: "Write 3 changes: create `a`, edit `b`, rename `c` to `d`".
pub(super) fn title(set: &EditSet) -> String {
    let changed: Vec<&FileEdit> = set.files().iter().filter(|file| !file.is_unchanged()).collect();
    let mut each: Vec<String> = changed.iter().take(NAMED).map(|file| change(file)).collect();
    if changed.len() > NAMED {
        each.push(format!("{} more", changed.len() - NAMED));
    }
    match changed.len() {
        1 => format!("Write: {}", each.join("")),
        many => format!("Write {many} changes: {}", each.join(", ")),
    }
}

fn change(file: &FileEdit) -> String {
    let path = &file.path;
    match &file.change {
        Change::Create { .. } => format!("create `{path}`"),
        Change::Edit { .. } => format!("edit `{path}`"),
        Change::Rename { to, .. } => format!("rename `{path}` to `{to}`"),
        Change::Delete { .. } => format!("delete `{path}`"),
    }
}
