//! Loads the settings and sets up the models that they name.
//!
//! This happens at the start, and whenever the settings change.
//!
//! A running request keeps the settings that it began with. Files are read synchronously, so that the next
//! message sees the new settings: they are few and small. Commands that print keys may take a minute and run in
//! separate threads; until a command has finished, its models are left out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Value, json};
use tower_lsp::gen_lsp_types::Uri;

use super::canary::Canary;
use super::recording;
use super::serving::{Configuration, Pick, Serving, UserFile};
use super::state::ServerState;
use super::workspace_walk;
use crate::config::{self, Loaded, Scoped, Settings};
use crate::lsp::limits::{POLICY_PAUSE_AT_START, SETTINGS_REWRITE_TIME};
use crate::model::fallback::Notices;
use crate::model::gears::Gears;
use crate::model::{bill, policy};
use crate::route::Gear;

/// Forwards the models' notices, until the server shuts down.
fn notices(state: &Arc<ServerState>) -> Notices {
    let state = Arc::downgrade(state);
    Arc::new(move |notice| {
        if let Some(state) = state.upgrade() {
            state.notice(notice);
        }
    })
}

/// Loads the settings for the first time and sets up the models.
pub(super) fn load_first(
    state: &Arc<ServerState>,
    options: Option<Value>,
    folders: &[PathBuf],
    picks: Vec<Pick>,
) -> Scoped {
    let mut configuration = state.configuration();
    configuration.picks = picks;
    configuration.editor = options.into_iter().collect();
    let loaded = configuration.load(folders);
    for problem in &loaded.problems {
        state.editor.defer(format!("Tandem's settings: {problem}"));
    }
    let settings = loaded.settings.everywhere();
    let shared = configuration.start.connections.clone();
    let gears = Gears::sharing(shared, settings, configuration.meter(settings), &notices(state));
    for ignored in gears.ignored_settings() {
        state.editor.defer(format!("Tandem's settings: {ignored}"));
    }
    state.serving.replace(serving(state, &configuration, settings, folders, gears));
    loaded.settings.clone()
}

/// The users of these models. A model on trial keeps its known state.
fn serving(
    state: &ServerState,
    configuration: &Configuration,
    settings: &Settings,
    folders: &[PathBuf],
    gears: Gears,
) -> Serving {
    let before = state.serving.get();
    let recorder = recording::recorder(state, configuration, settings.record, folders);
    let assist = before.assist.with(configuration.models(&gears), &settings.privacy);
    let assist = assist.observed_by(recording::observer(recorder.as_ref()));
    let seen = (&state.editor, &state.status_changed);
    let folder = configuration.start.state.as_deref();
    let canary = Canary::new(settings, (&gears, &assist), seen, folder, before.canary.as_deref());
    let windows = configuration.start.windows.clone();
    Serving { assist, gears, recorder, canary, windows }
}

/// After `initialized`: asks the editor to watch the files, and runs the key commands.
pub(super) fn watch(state: &Arc<ServerState>) {
    let client = state.client.get();
    if client.watches_files {
        let file = state.configuration().start.config.clone();
        state.editor.watch(watchers(file.as_deref(), client.watches_elsewhere));
    }
    fetch_keys(state);
    keep_policy_fresh(state);
    keep_bill_delivered(state);
}

/// Fetches the company's policy in the background, now and from time to time, until the server ends.
fn keep_policy_fresh(state: &Arc<ServerState>) {
    let Some(files) = state.configuration().start.policy.clone() else { return };
    let state = Arc::downgrade(state);
    tokio::spawn(async move {
        let mut pause = POLICY_PAUSE_AT_START;
        loop {
            let next = policy::refresh(&files, pause).await;
            let Some(state) = state.upgrade() else { return };
            let loaded = state.configuration().loaded.clone();
            // Even without an answer, a policy may have ended, or another server may have fetched one.
            if loaded.is_some_and(|it| it.settings.everywhere().policy.is_some() || it.is_stale()) {
                load_again(&state);
            }
            drop(state);
            tokio::time::sleep(next).await;
            pause = policy::POLICY_PAUSE / 2;
        }
    });
}

/// Delivers the bill of finished days in the background, until the server ends.
fn keep_bill_delivered(state: &Arc<ServerState>) {
    let Some(folder) = state.configuration().start.state.clone() else { return };
    let state = Arc::downgrade(state);
    tokio::spawn(async move {
        let mut is_failing = false;
        loop {
            let Some(bill) = state.upgrade().and_then(|it| {
                it.configuration().loaded.as_ref().map(|it| it.settings.everywhere().bill.clone())
            }) else {
                return;
            };
            let delivered = bill::deliver(&bill, &folder, SystemTime::now()).await;
            if let (Err(error), false) = (&delivered, is_failing) {
                tracing::warn!(%error, "the bill is not delivered");
            }
            is_failing = delivered.is_err();
            tokio::time::sleep(bill::BILL_PAUSE).await;
        }
    });
}

pub(super) fn is_settings_file(state: &ServerState, path: &Path) -> bool {
    let is_users = || state.configuration().start.config.as_deref().is_some_and(|file| file == path);
    path.file_name().is_some_and(|name| name == config::PROJECT_FILE) || is_users()
}

/// The files to watch.
///
/// They are the project's settings in every workspace folder, the user's settings, and the files of the workspace.
fn watchers(file: Option<&Path>, elsewhere: bool) -> Value {
    let project = json!({ "globPattern": format!("**/{}", config::PROJECT_FILE) });
    let user = file.and_then(|file| {
        let file = std::path::absolute(file).ok()?;
        let name = file.file_name()?.to_str()?;
        // A plain glob applies to the workspace folders, but some editors accept an absolute path.
        Some(match elsewhere {
            true => {
                let folder = Uri::from_directory_path(file.parent()?).ok()?;
                json!({ "globPattern": { "baseUri": folder.as_str(), "pattern": name } })
            }
            false => json!({ "globPattern": file.to_str()? }),
        })
    });
    [Some(project), user].into_iter().flatten().chain(workspace_walk::watchers()).collect()
}

/// Loads the settings again if one of their files has changed.
///
/// This is for editors that do not watch files. It checks the modification times of two or three files, so it
/// is called only for rare messages.
pub(super) fn reload_if_stale(state: &Arc<ServerState>) {
    let is_stale = state.configuration().loaded.as_deref().is_some_and(Loaded::is_stale);
    if is_stale {
        reload(state);
    }
}

/// Applies the editor's changed settings, `{ "tandem": … }`.
///
/// They are requested if the message does not contain them.
pub(super) fn editor_settings_changed(state: &Arc<ServerState>, mut settings: Value) {
    match settings.get_mut("tandem").map(Value::take) {
        Some(ours) => replace_editor_settings(state, ours),
        None if settings.is_null() && state.client.get().supports_configuration => {
            let state = Arc::clone(state);
            tokio::spawn(async move {
                if let Some(ours) = state.editor.settings().await {
                    replace_editor_settings(&state, ours);
                }
            });
        }
        // The message is about other servers, or empty; the file may have changed.
        None => reload(state),
    }
}

/// Replaces all settings that the editor sent before. `null` says nothing: an editor that has no settings for this
/// server sends it (LSP 3.17, `workspace/configuration`).
///
/// `trusted` is kept unless it is sent again.
fn replace_editor_settings(state: &Arc<ServerState>, settings: Value) {
    if !settings.is_null() {
        let mut configuration = state.configuration();
        let trusted = configuration.editor.iter().rev().find_map(|sent| sent.get("trusted").cloned());
        let first = trusted.map_or_else(|| json!({}), |trusted| json!({ "trusted": trusted }));
        configuration.editor = vec![first, settings];
    }
    reload(state);
}

/// Loads the settings again. Key commands that failed run again.
pub(super) fn reload(state: &Arc<ServerState>) {
    if is_being_rewritten(state) {
        return;
    }
    state.configuration().keys.forget_failures();
    load_again(state);
    fetch_keys(state);
}

/// Prefers a candidate of a gear until the server ends; `None` restores the order of the settings.
pub(super) fn pick(state: &Arc<ServerState>, gear: Gear, pick: Option<Pick>) {
    {
        let mut configuration = state.configuration();
        configuration.picks.retain(|it| it.gear != gear);
        configuration.picks.extend(pick);
    }
    load_again(state);
}

/// Whether the user's file seems to be in the middle of a rewrite.
///
/// Reading it now would drop the user's models and rules for withheld files, so it is read after
/// [`SETTINGS_REWRITE_TIME`].
fn is_being_rewritten(state: &Arc<ServerState>) -> bool {
    let mut configuration = state.configuration();
    if configuration.user_file != UserFile::Present {
        return configuration.user_file == UserFile::Vanished;
    }
    if !configuration.is_user_file_empty() {
        return false;
    }
    configuration.user_file = UserFile::Vanished;
    let state = Arc::downgrade(state);
    tokio::spawn(async move {
        tokio::time::sleep(SETTINGS_REWRITE_TIME).await;
        if let Some(state) = state.upgrade() {
            state.configuration().user_file = UserFile::Empty;
            reload(&state);
        }
    });
    true
}

fn load_again(state: &Arc<ServerState>) {
    let mut configuration = state.configuration();
    if configuration.user_file == UserFile::Vanished {
        // The file is read after the rewrite.
        return;
    }
    let folders = state.session.lock().folders().to_vec();
    let Some([before, loaded]) = configuration.reload(&folders) else { return };
    let mut news: Vec<String> = loaded
        .problems
        .iter()
        .filter(|problem| !before.problems.contains(problem))
        .map(ToString::to_string)
        .collect();
    let (old, new) = (before.settings.clone(), loaded.settings.clone());
    if old != new {
        news.extend(replace(state, &configuration, &old, new));
    }
    drop(configuration);
    if !news.is_empty() {
        // Allows a repeated mistake to be shown again.
        state.editor.forget("settings");
        let lines: Vec<String> = news.iter().map(|what| format!("Tandem's settings: {what}")).collect();
        state.editor.warn_once("settings", lines.join("\n"));
    }
}

/// Replaces the settings `old` by `new`. Returns the settings that have no effect.
fn replace(
    state: &Arc<ServerState>,
    configuration: &Configuration,
    old: &Scoped,
    new: Scoped,
) -> Vec<String> {
    let (before, settings) = (Arc::clone(old.everywhere()), Arc::clone(new.everywhere()));
    let same_privacy = old.has_same_privacy(&new);
    state.session.lock().set_settings(new);
    let serving = state.serving.get();
    let (gears, renewed) = serving.gears.renewed(&before, &settings, &notices(state));
    // Messages about the previous models and cap do not apply to the new ones.
    for gear in &renewed {
        state.editor.forget_all(&format!("{gear} "));
    }
    if before.budget != settings.budget || before.lease != settings.lease {
        state.editor.forget("lease");
        state.editor.forget("budget");
    }
    let known = serving.gears.ignored_settings();
    let ignored = gears.ignored_settings().into_iter().filter(|it| !known.contains(it)).collect();
    let folders = state.session.lock().folders().to_vec();
    let serving = self::serving(state, configuration, &settings, &folders, gears);
    if !renewed.is_empty() {
        serving.assist.warm();
    }
    let fast = serving.assist.model_name(Gear::Fast).filter(|_| renewed.contains(&"fast"));
    if before.canary != settings.canary {
        state.editor.forget_all("canary");
        serving.canary.iter().for_each(|it| it.warm());
    }
    state.serving.replace(serving);
    // Uses the new models.
    state.related.refresh_all();
    if !same_privacy {
        state.access.check_all();
        workspace_walk::index_workspace(state);
    }
    state.status_changed.notify_one();
    state.editor.log(match fast {
        Some(model) => format!("Tandem: the settings have changed; the fast gear is {model}"),
        None => "Tandem: the settings have changed".to_owned(),
    });
    ignored
}

/// Runs the pending key commands, each in a separate thread.
///
/// The blocking pool's few threads are for parsing.
fn fetch_keys(state: &Arc<ServerState>) {
    let mut configuration = state.configuration();
    let pending = configuration.loaded.as_ref().map(|loaded| loaded.pending.clone()).unwrap_or_default();
    for command in pending {
        if !configuration.running.insert(command.clone()) {
            continue;
        }
        let (state, keys) = (Arc::downgrade(state), configuration.keys.clone());
        tokio::spawn(async move {
            keys.fetch(&command).await;
            let Some(state) = state.upgrade() else { return };
            state.configuration().running.remove(&command);
            load_again(&state);
        });
    }
}
