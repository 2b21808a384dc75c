//! The sources of the settings, and the models that the settings name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use serde_json::Value;

use super::canary::Canary;
use super::session_lock::SessionLock;
use crate::assist::{Assist, Models};
use crate::config::policy::PolicyFiles;
use crate::config::{self, Endpoint, KeyCommand, Keys, Loaded, Role, Settings, Sources};
use crate::disk::{self, Links, Readers};
use crate::lock::Mutex;
use crate::model::gears::Gears;
use crate::model::usage::{DayFiles, Meter, SharedBudget};
use crate::model::{News, SharedModels};
use crate::record::Recorder;
use crate::route::Gear;
use crate::session::ghost::AcceptedItem;
use crate::session::{Feedback, Reaction};
use crate::workspace::SharedIndexes;

/// The sources of the settings.
pub(super) struct Configuration {
    pub(super) start: Start,
    /// `initializationOptions`, or the settings that the editor sent later.
    pub(super) editor: Vec<Value>,
    pub(super) keys: Keys,
    /// The settings that were loaded last; `None` before `initialize`.
    pub(super) loaded: Option<Arc<Loaded>>,
    /// Looks up environment variables.
    variable: fn(&str) -> Option<String>,
    /// The key commands that are running.
    pub(super) running: HashSet<KeyCommand>,
    pub(super) user_file: UserFile,
    /// The candidates that the user prefers in this session.
    pub(super) picks: Vec<Pick>,
}

/// A candidate of a gear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) gear: Gear,
    pub(super) provider: String,
    pub(super) model: String,
}

impl Pick {
    /// Whether it refers to this endpoint.
    pub(super) fn is(&self, endpoint: &Endpoint) -> bool {
        self.provider == endpoint.provider && self.model == endpoint.model
    }
}

/// The state of the user's file at the last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UserFile {
    /// It had content.
    Present,
    /// It had content before and has none now: it may be in the middle of a rewrite.
    Vanished,
    /// It is missing or empty.
    Empty,
}

impl Configuration {
    pub(super) fn new(start: Start) -> Self {
        Self {
            keys: start.keys.of_another_session(),
            start,
            editor: Vec::new(),
            loaded: None,
            variable: |name| std::env::var(name).ok(),
            running: HashSet::new(),
            user_file: UserFile::Empty,
            picks: Vec::new(),
        }
    }

    /// Whether the user's file is missing or empty.
    pub(super) fn is_user_file_empty(&self) -> bool {
        let file: Option<&Path> = self.start.config.as_deref();
        !file.is_some_and(|file| disk::metadata(file, Links::Follow).is_ok_and(|it| it.len() > 0))
    }

    /// Loads the settings for the first time.
    pub(super) fn load(&mut self, folders: &[PathBuf]) -> Arc<Loaded> {
        let loaded = Arc::new(self.read(folders, None));
        self.loaded = Some(Arc::clone(&loaded));
        loaded
    }

    /// Loads the settings again. Returns the previous and the new settings, or `None` if none were loaded before.
    ///
    /// If loading panics, the previous settings stay.
    pub(super) fn reload(&mut self, folders: &[PathBuf]) -> Option<[Arc<Loaded>; 2]> {
        let before = self.loaded.clone()?;
        let loaded = Arc::new(self.read(folders, Some(&before)));
        self.loaded = Some(Arc::clone(&loaded));
        Some([before, loaded])
    }

    fn read(&mut self, folders: &[PathBuf], before: Option<&Loaded>) -> Loaded {
        self.user_file = if self.is_user_file_empty() { UserFile::Empty } else { UserFile::Present };
        let sources = Sources {
            policy: self.start.policy.as_ref(),
            file: self.start.config.as_deref(),
            editor: &self.editor,
            folders,
            variable: &self.variable,
            readers: &self.start.readers,
        };
        let mut loaded = match before {
            Some(before) => config::reload(&sources, before, &mut self.keys),
            None => config::load(&sources, &mut self.keys, false),
        };
        // A pick that is missing from the settings stays: it may be back with the next change.
        for pick in &self.picks {
            let role: fn(&mut Settings) -> &mut Role = match pick.gear {
                Gear::Deep => |it| &mut it.deep,
                Gear::Fast | Gear::Local => |it| &mut it.fast,
            };
            loaded.settings.prefer(role, &|it| pick.is(it));
        }
        loaded
    }

    /// The models to call: those of the gears, unless the server was started with others.
    pub(super) fn models(&self, gears: &Gears) -> Models {
        let [fast, deep] = gears.models();
        self.start.models.clone().unwrap_or(Models { fast, deep })
    }

    /// A meter for these settings.
    pub(super) fn meter(&self, settings: &Settings) -> Arc<Meter> {
        let files = self.start.state.as_deref().map(DayFiles::new);
        Arc::new(self.start.budget.meter(settings.budget, settings.prices.clone(), files))
    }
}

/// The models that the current settings name, and their users.
pub(super) struct Serving {
    pub(super) assist: Assist,
    /// The models with their statistics, for reports.
    pub(super) gears: Gears,
    /// The flight recorder, if it is on.
    pub(super) recorder: Option<Recorder>,
    /// The model on trial next to the fast one.
    pub(super) canary: Option<Arc<Canary>>,
    /// The number of windows that this process serves, if it is shared.
    pub(super) windows: Option<Arc<AtomicUsize>>,
}

impl Serving {
    /// Warms the models up in the background.
    pub(super) fn warm(&self) {
        self.assist.warm();
        self.canary.iter().for_each(|it| it.warm());
    }
}

/// Nothing is configured: before `initialize` the framework answers requests.
impl Default for Serving {
    fn default() -> Self {
        let assist = Assist::new(Models::default(), &config::Privacy::default());
        Self { assist, gears: Gears::none(), recorder: None, canary: None, windows: None }
    }
}

/// The [`Serving`] of the current settings.
///
/// Its lock is held only to copy or replace an `Arc`.
#[derive(Clone, Default)]
pub(super) struct CurrentServing(Arc<Mutex<Arc<Serving>>>);

impl CurrentServing {
    pub(super) fn get(&self) -> Arc<Serving> {
        Arc::clone(&self.0.lock())
    }

    /// The jobs, with the current models.
    pub(super) fn assist(&self) -> Assist {
        self.get().assist.clone()
    }

    /// Tells the language servers among the models what became of their items, or of documents.
    pub(super) fn tell(&self, news: impl IntoIterator<Item = News>) {
        news.into_iter().for_each(|it| self.get().gears.tell(&it));
    }

    /// Notes a reaction in the session, and passes it on to the bill and the language servers among the models.
    ///
    /// `note` returns whether the suggestion is known, and the news for the servers.
    pub(super) fn react<N: IntoIterator<Item = News>>(
        &self,
        session: &SessionLock,
        note: impl FnOnce(&mut Feedback<'_>) -> (bool, N),
    ) -> bool {
        let ((known, news), reactions) = {
            let mut session = session.lock();
            let mut feedback = session.feedback();
            (note(&mut feedback), feedback.take_reactions())
        };
        self.count(reactions);
        self.tell(news);
        known
    }

    /// Counts what was shown and accepted, for the bill.
    pub(super) fn count(&self, reactions: Vec<Reaction>) {
        let serving = self.get();
        for Reaction { job, model, is_accepted } in reactions {
            serving.gears.meter.reacted(job.name(), &model, is_accepted);
        }
    }

    /// Replaces the serving; running work keeps the previous one.
    pub(super) fn replace(&self, serving: Serving) {
        let serving = Arc::new(serving);
        let before = std::mem::replace(&mut *self.0.lock(), serving);
        // Dropped here, outside of the lock: it may close sockets.
        drop(before);
    }
}

/// The news that more of a suggestion's items was accepted.
pub(super) fn accepted(items: Vec<AcceptedItem>) -> impl Iterator<Item = News> {
    let news = |AcceptedItem { item, units, is_whole }| News::Accepted { item, units, is_whole };
    items.into_iter().map(news)
}

/// The environment that the server is started with.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The company's policy; without it no rule applies, as in tests.
    pub policy: Option<PolicyFiles>,
    /// The configuration file, which may be missing.
    pub config: Option<PathBuf>,
    /// The folder for the daily spending; without it nothing is stored.
    pub state: Option<PathBuf>,
    /// The folder of the user's caches; without it no workspace is known before it is read.
    pub cache: Option<PathBuf>,
    /// Models to use in place of the configured ones.
    pub models: Option<Models>,
    /// The threads that read workspaces, whose disks may get stuck.
    pub readers: Readers,
    /// What the windows that this process serves share of their folders.
    pub indexes: Option<SharedIndexes>,
    /// What the windows that this process serves share of budgets.
    pub budget: SharedBudget,
    /// The connections to models that the windows of this process share.
    pub connections: SharedModels,
    /// The keys and tokens that they share.
    pub keys: Keys,
    /// The number of windows that this process serves, if it is shared.
    pub windows: Option<Arc<AtomicUsize>>,
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn settings_outlive_a_panic_while_they_are_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        let provider = "[providers.p]\nbase_url = \"http://p.test\"\napi_key_env = \"KEY_OF_P\"\n";
        let fast = "[fast]\ncandidates = [{ provider = \"p\", model = \"m\" }]\n";
        std::fs::write(&config, format!("{provider}{fast}")).unwrap();
        let mut configuration = Configuration::new(Start { config: Some(config), ..Start::default() });
        assert!(configuration.reload(&[]).is_none());
        configuration.load(&[]);
        configuration.variable = |_| panic!("on purpose");
        assert!(catch_unwind(AssertUnwindSafe(|| configuration.reload(&[]))).is_err());
        configuration.variable = |_| None;
        assert!(configuration.reload(&[]).is_some());
    }
}
