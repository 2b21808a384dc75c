//! Loads the user's settings as the commands use them, and creates their models.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::Value;

use super::terminal;
use crate::assist::{Assist, Models};
use crate::config::policy::PolicyFiles;
use crate::config::{self, Keys, Loaded, Scoped, Settings, Sources};
use crate::disk::Readers;
use crate::model::fallback::{Notice, Notices};
use crate::model::gears::Gears;
use crate::model::policy::{POLICY_PAUSE, refresh};
use crate::model::usage::{DayFiles, Meter, default_folder};

/// Reads the settings of a file (by default the user's), of an editor, and of projects in `folders`.
///
/// Commands that print keys are only run if `runs`.
pub(super) fn read(file: Option<&Path>, editor: &[Value], folders: &[PathBuf], runs: bool) -> Loaded {
    let (default, readers) = (config::default_path(), Readers::default());
    let variable = |name: &str| std::env::var(name).ok();
    let file = file.or(default.as_deref());
    let policy = Some(&policy_files());
    let sources = Sources { policy, file, editor, folders, variable: &variable, readers: &readers };
    config::load(&sources, &mut Keys::default(), runs)
}

/// The company's policy on this machine.
pub(super) fn policy_files() -> PolicyFiles {
    static FILES: LazyLock<PolicyFiles> = LazyLock::new(|| PolicyFiles::of_system(default_folder()));
    FILES.clone()
}

/// Fetches the company's policy, unless that was done within this time, or this machine has none.
///
/// Waits for the answer, in a thread of its own, since callers may be asynchronous.
pub(super) fn refresh_policy(pause: Duration) {
    let refresh = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let refreshed = runtime.map(|it| it.block_on(refresh(&policy_files(), pause)));
        if let Err(error) = refreshed {
            tracing::warn!(%error, "the company's policy is not fetched");
        }
    };
    if std::thread::spawn(refresh).join().is_err() {
        tracing::warn!("the fetch of the company's policy failed");
    }
}

/// As [`read`], with a policy that is up to date, and reports what is wrong with the settings.
pub(super) fn load(file: Option<&Path>, folders: &[PathBuf]) -> Loaded {
    refresh_policy(POLICY_PAUSE);
    load_with_kept_policy(file, folders)
}

/// As [`load`] for a server, which fetches the policy [beside its requests](keep_policy_fresh).
pub(super) fn load_with_kept_policy(file: Option<&Path>, folders: &[PathBuf]) -> Loaded {
    reported(read(file, &[], folders, true))
}

/// Fetches the company's policy now and from time to time.
pub(super) async fn keep_policy_fresh() {
    loop {
        let next = refresh(&policy_files(), POLICY_PAUSE / 2).await;
        tokio::time::sleep(next).await;
    }
}

/// The settings for a folder, for their rules on files with secrets, with a policy that is up to date. Reports what is
/// wrong with them.
pub(super) fn access_rules(root: &Path, config: Option<&Path>) -> Scoped {
    refresh_policy(POLICY_PAUSE);
    reported(read(config, &[], &[root.to_owned()], false)).settings
}

fn reported(loaded: Loaded) -> Loaded {
    loaded.problems.iter().for_each(terminal::say);
    loaded
}

/// Whether a candidate is the one that the user named as MODEL or PROVIDER/MODEL.
pub(super) fn is_named(provider: &str, model: &str, name: &str) -> bool {
    model == name || name.strip_prefix(provider).and_then(|it| it.strip_prefix('/')) == Some(model)
}

/// Creates the models of these settings.
///
/// Their notices go to standard error, except that no model answers: the command itself reports why it has no
/// result, or who answered instead.
pub(super) fn gears(settings: &Settings) -> Gears {
    let notices: Notices = Arc::new(|notice| {
        // A used-up budget is reported as the command's result, as is a model that does not answer.
        if let Notice::Say { cause, text } = notice
            && cause != "budget"
        {
            terminal::say(format_args!("note: {}", text.trim_start_matches("Tandem: ")));
        }
    });
    Gears::new(settings, Arc::new(meter(settings)), &notices)
}

/// The meter of these settings, which adds to the day's spending.
pub(super) fn meter(settings: &Settings) -> Meter {
    let files = default_folder().map(|folder| DayFiles::new(&folder));
    Meter::new(settings.budget, settings.prices.clone(), files)
}

/// What runs jobs with these models.
pub(super) fn assist(gears: &Gears, settings: &Settings) -> Assist {
    let [fast, deep] = gears.models();
    Assist::new(Models { fast, deep }, &settings.privacy)
}
