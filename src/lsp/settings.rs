//! The settings in force, and the models that they name: loaded at the start, and again whenever they change.
//!
//! What runs goes on with the settings that it began with; what begins next has the new ones. Files are read at once,
//! so that the next message finds them in force: they are few and small, and a project's are waited for only so long. Commands that print keys may take a minute, and
//! run in threads of their own; until one has answered, its models are left out.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower_lsp::gen_lsp_types::Uri;

use super::backend::Shared;
use super::{Start, clearance, names};
use crate::assist::{Assist, Models};
use crate::config::{self, KeyCommand, Keys, Loaded, Scoped, Settings, Sources};
use crate::model::gears::Gears;
use crate::model::ladder::Notices;
use crate::model::usage::{DayFiles, Meter};
use crate::route::Gear;

/// Within this time a file is there again that its writer took away, or emptied, to write it anew.
const WRITTEN_WITHIN: Duration = Duration::from_millis(500);

/// Where the settings come from.
pub(super) struct Configuration {
    start: Start,
    /// `initializationOptions`, and what the editor sent later in their place.
    editor: Vec<Value>,
    keys: Keys,
    /// What was loaded last; `None` before `initialize`.
    loaded: Option<Loaded>,
    /// The commands for keys that run.
    running: HashSet<KeyCommand>,
    /// What is known of the user's file.
    file: File,
}

/// Whether the user's file has anything in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum File {
    There,
    /// It had when it was read last. It may be about to be written.
    Away,
    Empty,
}

/// What the settings come to.
pub(super) struct Serving {
    pub(super) assist: Assist,
    /// The models, as those see them who report on them.
    pub(super) gears: Gears,
}

/// The framework answers requests before `initialize` itself.
impl Default for Serving {
    fn default() -> Self {
        let assist = Assist::new(Models::default(), &config::Privacy::default());
        Self { assist, gears: Gears::none() }
    }
}

impl Configuration {
    pub(super) fn new(start: Start) -> Self {
        Self {
            start,
            editor: Vec::new(),
            keys: Keys::default(),
            loaded: None,
            running: HashSet::new(),
            file: File::Empty,
        }
    }

    /// Whether the user's file has nothing in it, if it is there at all.
    fn is_empty(&self) -> bool {
        let file = self.start.config.as_deref();
        !file.is_some_and(|file| std::fs::metadata(file).is_ok_and(|it| it.len() > 0))
    }

    fn load(&mut self, folders: &[PathBuf], before: Option<&Loaded>) -> Loaded {
        self.file = if self.is_empty() { File::Empty } else { File::There };
        let sources = Sources {
            file: self.start.config.as_deref(),
            editor: &self.editor,
            folders,
            variable: &|name| std::env::var(name).ok(),
            readers: &self.start.readers,
        };
        match before {
            Some(before) => config::reload(&sources, before, &mut self.keys),
            None => config::load(&sources, &mut self.keys, false),
        }
    }

    /// The models to ask: those of the gears, unless the server was started with others.
    fn models(&self, gears: &Gears) -> Models {
        let [fast, deep] = gears.models();
        self.start.models.clone().unwrap_or(Models { fast, deep })
    }

    fn meter(&self, settings: &Settings) -> Arc<Meter> {
        let files = self.start.state.as_deref().map(DayFiles::new);
        Arc::new(Meter::new(settings.budget, settings.prices.clone(), files))
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, Configuration> {
    shared.configuration.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the models have to say goes to the editor, for as long as there is one.
fn notices(shared: &Arc<Shared>) -> Notices {
    let shared = Arc::downgrade(shared);
    Arc::new(move |notice| {
        if let Some(shared) = shared.upgrade() {
            shared.notice(notice);
        }
    })
}

/// Loads the settings for the first time, and sets up what they name.
pub(super) fn begin(shared: &Arc<Shared>, options: Option<Value>, folders: &[PathBuf]) -> Scoped {
    let mut configuration = lock(shared);
    configuration.editor = options.into_iter().collect();
    let loaded = configuration.load(folders, None);
    for problem in &loaded.problems {
        shared.editor.defer(format!("Tandem's settings: {problem}"));
    }
    let settings = loaded.settings.everywhere();
    let gears = Gears::new(settings, configuration.meter(settings), &notices(shared));
    for vain in gears.set_in_vain() {
        shared.editor.defer(format!("Tandem's settings: {vain}"));
    }
    let assist = Assist::new(configuration.models(&gears), &settings.privacy);
    shared.serve(Serving { assist, gears });
    let scoped = loaded.settings.clone();
    configuration.loaded = Some(loaded);
    scoped
}

/// The editor takes messages from now on: it is asked to watch the files, and commands for keys begin to run.
pub(super) fn follow(shared: &Arc<Shared>) {
    let client = shared.client();
    if client.watches_files {
        let file = lock(shared).start.config.clone();
        shared.editor.watch(watchers(file.as_deref(), client.watches_elsewhere));
    }
    fetch_keys(shared);
}

/// What to watch: the project's file in every workspace folder, and the user's file, wherever it is.
fn watchers(file: Option<&Path>, elsewhere: bool) -> Value {
    let project = json!({ "globPattern": format!("**/{}", config::PROJECT_FILE) });
    let user = file.and_then(|file| {
        let file = std::path::absolute(file).ok()?;
        let name = file.file_name()?.to_str()?;
        // A glob by itself is taken to be about the workspace folders, but some editors take a whole path.
        Some(match elsewhere {
            true => {
                let folder = Uri::from_directory_path(file.parent()?).ok()?;
                json!({ "globPattern": { "baseUri": folder.as_str(), "pattern": name } })
            }
            false => json!({ "globPattern": file.to_str()? }),
        })
    });
    [Some(project), user].into_iter().flatten().collect()
}

/// Renews the settings if a file with some has changed. Looks at two or three files' times: for editors that do not
/// watch files, when the user does something that is rare.
pub(super) fn look(shared: &Arc<Shared>) {
    let is_stale = lock(shared).loaded.as_ref().is_some_and(Loaded::is_stale);
    if is_stale {
        renew(shared);
    }
}

/// The editor says that its settings changed, and what they are, `{ "tandem": … }`, unless it is to be asked.
pub(super) fn changed(shared: &Arc<Shared>, mut settings: Value) {
    match settings.get_mut("tandem").map(Value::take) {
        Some(ours) => take_over(shared, ours),
        None if settings.is_null() && shared.client().tells_settings => {
            let shared = Arc::clone(shared);
            tokio::spawn(async move {
                if let Some(ours) = shared.editor.settings().await {
                    take_over(&shared, ours);
                }
            });
        }
        // It is about other servers, or says nothing; the user may have meant the file.
        None => renew(shared),
    }
}

/// Puts what the editor sent now in the place of all that it sent before, but for the trust: that it gives or takes by name.
fn take_over(shared: &Arc<Shared>, settings: Value) {
    {
        let mut configuration = lock(shared);
        let trusted = configuration.editor.iter().rev().find_map(|sent| sent.get("trusted").cloned());
        let first = trusted.map_or_else(|| json!({}), |trusted| json!({ "trusted": trusted }));
        configuration.editor = vec![first, settings];
    }
    renew(shared);
}

/// Loads the settings again and puts them in force. Commands for keys that failed run again.
pub(super) fn renew(shared: &Arc<Shared>) {
    if is_being_written(shared) {
        return;
    }
    lock(shared).keys.forget_failures();
    load_again(shared);
    fetch_keys(shared);
}

/// Whether the user's file is away for a moment, as far as one can tell. Were it read now, the user's models would be
/// gone, and what must not be shown would be; it is read when that moment is over.
fn is_being_written(shared: &Arc<Shared>) -> bool {
    let mut configuration = lock(shared);
    if configuration.file != File::There {
        return configuration.file == File::Away;
    }
    if !configuration.is_empty() {
        return false;
    }
    configuration.file = File::Away;
    let shared = Arc::downgrade(shared);
    tokio::spawn(async move {
        tokio::time::sleep(WRITTEN_WITHIN).await;
        if let Some(shared) = shared.upgrade() {
            lock(&shared).file = File::Empty;
            renew(&shared);
        }
    });
    true
}

fn load_again(shared: &Arc<Shared>) {
    let mut configuration = lock(shared);
    if configuration.file == File::Away {
        // It will be read when it is back.
        return;
    }
    let Some(before) = configuration.loaded.take() else { return };
    let folders = shared.session().folders().to_vec();
    let loaded = configuration.load(&folders, Some(&before));
    let mut news: Vec<String> = loaded
        .problems
        .iter()
        .filter(|problem| !before.problems.contains(problem))
        .map(ToString::to_string)
        .collect();
    let (old, new) = (before.settings, loaded.settings.clone());
    configuration.loaded = Some(loaded);
    if old != new {
        news.extend(exchange(shared, &configuration, &old, new));
    }
    drop(configuration);
    if !news.is_empty() {
        // Whoever makes the same mistake again wants to hear of it again.
        shared.editor.forget("settings");
        let lines: Vec<String> = news.iter().map(|what| format!("Tandem's settings: {what}")).collect();
        shared.editor.warn_once("settings", lines.join("\n"));
    }
}

/// Puts `new` in force in the place of `old`. Gives what the user set in vain.
fn exchange(shared: &Arc<Shared>, configuration: &Configuration, old: &Scoped, new: Scoped) -> Vec<String> {
    let (before, settings) = (Arc::clone(old.everywhere()), Arc::clone(new.everywhere()));
    let same_privacy = old.has_same_privacy(&new);
    shared.session().set_settings(new);
    let serving = shared.serving();
    let (gears, renewed) = serving.gears.renewed(&before, &settings, &notices(shared));
    // What was said of other models, or of another cap, says nothing of these.
    for gear in &renewed {
        shared.editor.forget_all(&format!("{gear} "));
    }
    if before.budget != settings.budget {
        shared.editor.forget("budget");
    }
    let known = serving.gears.set_in_vain();
    let in_vain = gears.set_in_vain().into_iter().filter(|it| !known.contains(it)).collect();
    let assist = serving.assist.with(configuration.models(&gears), &settings.privacy);
    if !renewed.is_empty() {
        assist.warm();
    }
    let fast = assist.model_name(Gear::Fast).filter(|_| renewed.contains(&"fast"));
    shared.serve(Serving { assist, gears });
    if !same_privacy {
        clearance::renew(shared);
        names::gather(shared);
    }
    shared.status_changed.notify_one();
    shared.editor.log(match fast {
        Some(model) => format!("Tandem: the settings have changed; the fast gear is {model}"),
        None => "Tandem: the settings have changed".to_owned(),
    });
    in_vain
}

/// Runs the commands for keys that are asked for and do not run yet, each in a thread of its own: the pool's are for
/// parsing, and are few.
fn fetch_keys(shared: &Arc<Shared>) {
    let mut configuration = lock(shared);
    let pending = configuration.loaded.as_ref().map(|loaded| loaded.pending.clone()).unwrap_or_default();
    for command in pending {
        if !configuration.running.insert(command.clone()) {
            continue;
        }
        let (done, answer) = oneshot::channel();
        let asked = command.clone();
        // The receiver is gone only when the server is.
        let run = move || drop(done.send(asked.run()));
        let started = std::thread::Builder::new().name("key".to_owned()).spawn(run);
        if let Err(error) = &started {
            tracing::error!(%error, "no thread for the command for a key");
        }
        let shared = Arc::downgrade(shared);
        tokio::spawn(async move {
            let gone = || Err("the command for its key could not be followed".to_owned());
            let answer = answer.await.unwrap_or_else(|_| gone());
            let Some(shared) = shared.upgrade() else { return };
            {
                let mut configuration = lock(&shared);
                configuration.running.remove(&command);
                configuration.keys.note(command, answer);
            }
            load_again(&shared);
        });
    }
}
