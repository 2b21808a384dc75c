//! Asks on the terminal for permission before the user's command runs model-written code.

use std::io::{IsTerminal as _, stderr, stdin, stdout};
use std::path::Path;
use std::sync::OnceLock;

use dialoguer::Confirm;
use futures_util::future::BoxFuture;
use indicatif::ProgressBar;

use super::super::diff;
use crate::assist::plan::{RunAnswer, RunPermission, RunRequest};
use crate::config::Settings;
use crate::edit::EditSet;
use crate::edit::effect::effects;
use crate::lock::Mutex;

/// How to decide whether the command runs.
enum RunChoice {
    Run,
    Skip,
    Ask,
    /// There is no terminal to ask on.
    CannotAsk,
}

/// Shows the diff and asks for permission.
pub(super) struct TerminalPermission {
    choice: RunChoice,
    /// The progress bar, which is suspended for the question.
    progress: OnceLock<ProgressBar>,
    /// The change that was shown last. Its guard is held for a single access.
    shown: Mutex<Option<EditSet>>,
}

impl TerminalPermission {
    pub(super) fn new(runs: bool, skips: bool, as_json: bool) -> Self {
        let has_terminal = stdin().is_terminal() && stdout().is_terminal() && stderr().is_terminal();
        let choice = match (runs, skips, has_terminal && !as_json) {
            (true, ..) => RunChoice::Run,
            (_, true, _) => RunChoice::Skip,
            (.., true) => RunChoice::Ask,
            _ => RunChoice::CannotAsk,
        };
        Self { choice, progress: OnceLock::new(), shown: Mutex::default() }
    }

    /// Why the command should not start: it would have to ask, and there is no terminal.
    pub(super) fn cannot_ask(&self, settings: &Settings, root: &Path) -> Option<String> {
        let verify = settings.verify.as_ref().filter(|it| !it.runs_unasked(root))?;
        let command = verify.shown();
        matches!(self.choice, RunChoice::CannotAsk).then(|| {
            format!(
                "`{command}` (verify.command) would run what a model wrote, and there is no terminal to ask at: \
                 allow it with --verify, leave it out with --no-verify, or name the folder in \
                 verify.without_asking"
            )
        })
    }

    /// Registers the progress bar to suspend while asking.
    pub(super) fn beside(&self, progress: ProgressBar) -> ProgressBar {
        self.progress.get_or_init(|| progress).clone()
    }

    /// Whether exactly this change was shown last.
    pub(super) fn has_shown(&self, set: &EditSet) -> bool {
        self.shown.lock().as_ref() == Some(set)
    }

    fn show(&self, set: &EditSet) -> std::io::Result<()> {
        effects(set).iter().filter(|it| it.operation() != "none").try_for_each(diff::print_effect)?;
        *self.shown.lock() = Some(set.clone());
        Ok(())
    }

    async fn ask_at_terminal(&self, request: RunRequest<'_>) -> Result<bool, String> {
        let question = request.question();
        let show = || self.show(request.set);
        let shown = match self.progress.get() {
            Some(progress) => progress.suspend(show),
            None => show(),
        };
        shown.map_err(|error| format!("the change cannot be shown: {error}"))?;
        let progress = self.progress.get().cloned();
        let asked = tokio::task::spawn_blocking(move || {
            let ask = || Confirm::new().with_prompt(question).default(false).interact();
            match progress {
                Some(progress) => progress.suspend(ask),
                None => ask(),
            }
        });
        match asked.await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl RunPermission for TerminalPermission {
    fn ask<'a>(&'a self, request: RunRequest<'a>) -> BoxFuture<'a, RunAnswer> {
        Box::pin(async move {
            match self.choice {
                RunChoice::Run => RunAnswer::Granted,
                RunChoice::Skip => RunAnswer::Skipped,
                RunChoice::CannotAsk => RunAnswer::Denied("there is no terminal to ask at".to_owned()),
                RunChoice::Ask => self.ask_at_terminal(request).await.into(),
            }
        })
    }
}
