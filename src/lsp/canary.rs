//! The canary, a model on trial: some requests are a duel between it and the fast model.
//!
//! When a request for ghost text is drawn at random, a coin flip decides which model's answer the user sees.
//! That model is called as if there were no other. Once its request has left, the other model gets the same
//! request in a background task. The task waits for the text to settle and records how much of each answer was
//! kept. If the canary does not answer, the fast model is called instead; if neither does, nothing counts.
//! Explicit requests and requests under a menu are never duels.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep};

use super::clock::milliseconds;
use super::duel_file::DuelFile;
use super::editor::Editor;
use super::session_lock::WeakSession;
use crate::assist::{Assist, Completion, CompletionParams, Models, Origin, Partial};
use crate::compare::duel::{Duel, Entry, Score};
use crate::compare::trial::Trial;
use crate::config::Settings;
use crate::job::Reason;
use crate::lock::Mutex;
use crate::model::Model as _;
use crate::model::fallback::Fallback;
use crate::model::gears::{CANARY, Gears};
use crate::model::usage::Meter;
use crate::record::kept::kept;
use crate::record::outcomes::Settling;
use crate::route::Gear;
use crate::snapshot::Snapshot;
use crate::text::random::{random, random_share};

/// The maximum number of concurrent duels: each holds a text until it has settled.
const MOST_OPEN: usize = 8;
/// The maximum length of a recorded reason, in characters.
const MOST_WHY_CHARS: usize = 300;
/// The reason for a model that fails without one.
const NO_ANSWER: &str = "it does not answer";
/// The time between two checks of a text that has not settled.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The canary, a model on trial.
pub(super) struct Canary {
    trial: Trial,
    share: f64,
    /// Calls the canary in place of the fast model.
    assist: Assist,
    model: Arc<Fallback>,
    /// The model it is compared with.
    fast: Arc<Fallback>,
    meter: Arc<Meter>,
    editor: Editor,
    status_changed: Arc<Notify>,
    shared: Arc<SharedDuel>,
}

/// The state of a duel, which outlives a change of unrelated settings.
struct SharedDuel {
    /// Held during disk access; the state is locked within.
    file: Mutex<Option<DuelFile>>,
    /// Held for a few lines.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    duel: Duel,
    open: usize,
    /// The US dollars of this server that are already recorded in entries.
    noted: f64,
}

/// The answer of one of the two models.
#[derive(Debug)]
enum DuelAnswer {
    /// The text, which may be empty, and the milliseconds until it could be shown, if that was measured.
    Text(String, Option<u64>),
    /// The model did not answer.
    Failed(String),
    /// The model was not called.
    Void,
}

type CompletionMade = Result<(Completion, Origin), Reason>;

impl Canary {
    /// The canary of these settings, if they name one. It takes over the state of `before` if it is the same trial.
    ///
    /// Reads a small file in the user's state folder, if there is such a folder.
    pub(super) fn new(
        settings: &Settings,
        (gears, assist): (&Gears, &Assist),
        (editor, status_changed): (&Editor, &Arc<Notify>),
        state: Option<&Path>,
        before: Option<&Self>,
    ) -> Option<Arc<Self>> {
        let (trial, model, fast) = (Trial::of(settings)?, gears.canary.clone()?, gears.fast.clone()?);
        let shared = match before.filter(|it| it.trial.is_same(&trial)) {
            Some(before) => Arc::clone(&before.shared),
            None => {
                let mut file = state.map(|folder| DuelFile::new(folder, &trial));
                let mut state = State { noted: dollars(&gears.meter), ..State::default() };
                if let Some(Err(error)) = file.as_mut().map(|file| file.read(&mut state.duel)) {
                    tracing::warn!(%error, "what is known of the canary cannot be read");
                }
                Arc::new(SharedDuel { file: Mutex::new(file), state: Mutex::new(state) })
            }
        };
        let models = Models { fast: Some(Arc::clone(&model) as _), deep: None };
        Some(Arc::new(Self {
            trial,
            share: settings.canary.as_ref()?.share,
            assist: assist.with(models, &settings.privacy),
            model,
            fast,
            meter: Arc::clone(&gears.meter),
            editor: editor.clone(),
            status_changed: Arc::clone(status_changed),
            shared,
        }))
    }

    /// Warms the canary up in the background, unless its duel is over.
    pub(super) fn warm(&self) {
        if self.shared.state.lock().duel.ended().is_none() {
            self.assist.warm();
        }
    }

    /// The state of the duel, in one line.
    pub(super) fn line(&self) -> String {
        self.trial.line(&self.shared.state.lock().duel)
    }

    /// Decides at random whether a request is a duel.
    pub(super) fn draw(self: &Arc<Self>) -> Option<Contest> {
        if random_share() >= self.share {
            return None;
        }
        let (is_over, is_spent) = {
            let state = self.shared.state.lock();
            let is_over = state.duel.ended().is_some() || state.open >= MOST_OPEN;
            let spent = state.duel.dollars() + dollars(&self.meter) - state.noted;
            (is_over, spent >= self.trial.limits.dollars)
        };
        if is_over {
            return None;
        }
        if is_spent {
            tokio::spawn(Arc::clone(self).note(Entry::Void { dollars: 0.0 }));
            return None;
        }
        self.shared.state.lock().open += 1;
        // A model that is down is not called; the fast model's answer then shows whether the outage is its own fault.
        let is_canary_shown = random().is_multiple_of(2) && !self.model.is_down();
        Some(Contest {
            slot: Some(Slot(Arc::clone(self))),
            canary: Arc::clone(self),
            is_canary_shown,
            told: None,
        })
    }

    /// Adds an entry with the spending since the last one, and ends the duel if that is due.
    async fn note(self: Arc<Self>, entry: Entry) {
        let canary = Arc::clone(&self);
        match tokio::task::spawn_blocking(move || canary.write(entry)).await {
            Ok(Some(why)) => {
                let cause = format!("canary {:?}", self.trial.both());
                self.editor.warn_once(&cause, format!("Tandem: {why}"));
            }
            Ok(None) => {}
            Err(_) => tracing::error!("what came of a canary's answer was not noted"),
        }
        self.status_changed.notify_one();
    }

    /// Returns the reason why the duel ends, if it does.
    fn write(&self, mut entry: Entry) -> Option<String> {
        let mut file = self.shared.file.lock();
        let mut duel = {
            let mut state = self.shared.state.lock();
            if let Entry::Pair { dollars, .. } | Entry::Refused { dollars, .. } | Entry::Void { dollars } =
                &mut entry
            {
                let all = self::dollars(&self.meter);
                *dollars = all - std::mem::replace(&mut state.noted, all);
            }
            state.duel.clone()
        };
        self.keep(&mut file, &mut duel, &entry);
        let end = duel.check_end(&self.trial.limits, self.trial.both());
        if let Some(end) = &end {
            self.keep(&mut file, &mut duel, end);
        }
        self.shared.state.lock().duel = duel;
        end.and_then(|end| if let Entry::Ended { why, .. } = end { Some(why) } else { None })
    }

    /// Adds an entry to the file and the duel, or to the duel alone if there is no file.
    fn keep(&self, file: &mut Option<DuelFile>, duel: &mut Duel, entry: &Entry) {
        let kept = file.as_mut().map(|file| file.append(entry).and_then(|()| file.read(duel)));
        if !matches!(kept, Some(Ok(()))) {
            duel.record(entry);
        }
        if let Some(Err(error)) = kept {
            let what = format!("Tandem: what is known of the canary is lost with this server: {error}");
            self.editor.warn_once("canary's file", what);
        }
    }
}

/// The reason why a model is down, if it is.
fn why_down(model: &Fallback) -> Option<String> {
    model.is_down().then(|| model.report().degraded.unwrap_or_else(|| NO_ANSWER.to_owned()))
}

/// The spending of this server's canaries, in US dollars.
fn dollars(meter: &Meter) -> f64 {
    meter.totals().gears.get(CANARY).map_or(0.0, |it| it.dollars)
}

/// A permit for one concurrent duel.
struct Slot(Arc<Canary>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.shared.state.lock().open -= 1;
    }
}

/// A request that is a duel.
pub(super) struct Contest {
    canary: Arc<Canary>,
    is_canary_shown: bool,
    /// Passed to the task that records the outcome.
    slot: Option<Slot>,
    told: Option<oneshot::Sender<DuelAnswer>>,
}

impl Contest {
    /// The assist that makes the shown answer, if that is the canary's.
    pub(super) fn shown(&self) -> Option<Assist> {
        self.is_canary_shown.then(|| self.canary.assist.clone())
    }

    /// Starts the hidden request as the shown one leaves. `fast` calls the fast model.
    pub(super) fn begin(
        &mut self,
        fast: &Assist,
        snapshot: &Snapshot,
        params: CompletionParams,
        session: WeakSession,
    ) {
        let Some(slot) = self.slot.take() else { return };
        let (told, shown) = oneshot::channel();
        self.told = Some(told);
        let hidden = if self.is_canary_shown { fast.clone() } else { self.canary.assist.clone() };
        let params = CompletionParams { not_before: None, ..params };
        let (snapshot, is_canary_shown) = (snapshot.clone(), self.is_canary_shown);
        let place = DuelPlace { snapshot, params, session };
        tokio::spawn(async move {
            let model = if is_canary_shown { &slot.0.fast } else { &slot.0.model };
            let entry = place.entry((&hidden, || why_down(model)), shown, is_canary_shown).await;
            Arc::clone(&slot.0).note(entry).await;
        });
    }

    /// Reports the answer of the shown model, and how long after `started` it could be shown.
    ///
    /// Returns true if that is the canary, and it did not answer.
    pub(super) fn report_shown(
        &mut self,
        made: &CompletionMade,
        started: Instant,
        first: Option<Duration>,
    ) -> bool {
        let down = why_down(if self.is_canary_shown { &self.canary.model } else { &self.canary.fast });
        let answer = DuelAnswer::of(made, first.unwrap_or_else(|| started.elapsed()), down.as_deref());
        let has_failed = self.is_canary_shown && matches!(answer, DuelAnswer::Failed(_));
        if let Some(told) = self.told.take() {
            // The task is gone only if the server is.
            _ = told.send(answer);
        }
        has_failed
    }
}

impl DuelAnswer {
    /// Classifies an outcome. `down` is the reason why the model is down by now, if it is.
    fn of(made: &CompletionMade, first: Duration, down: Option<&str>) -> Self {
        match made {
            Ok((_, origin)) if origin.gear == Gear::Local => Self::failed(down.unwrap_or(NO_ANSWER)),
            Ok((made, _)) => Self::Text(made.text.clone(), Some(milliseconds(first))),
            Err(Reason::Model(why) | Reason::UnfitModels(why)) => Self::failed(why),
            Err(Reason::Superseded | Reason::Stale) => Self::Text(String::new(), None),
            Err(
                Reason::Capped(_)
                | Reason::Withheld { .. }
                | Reason::NotRead(_)
                | Reason::Unusable { .. }
                | Reason::Cancelled
                | Reason::Internal,
            ) => Self::Void,
            Err(_) => match down {
                // The local engine was called in its place, and has no answer.
                Some(why) => Self::failed(why),
                // There is nothing to show.
                None => Self::Text(String::new(), Some(milliseconds(first))),
            },
        }
    }

    /// An answer that failed; a provider's error message may be long.
    fn failed(why: &str) -> Self {
        Self::Failed(why.chars().take(MOST_WHY_CHARS).collect())
    }
}

/// The point in a document that both models are called for.
struct DuelPlace {
    snapshot: Snapshot,
    params: CompletionParams,
    session: WeakSession,
}

impl DuelPlace {
    /// Calls the hidden model, waits for the shown one, and compares both with the settled text. `down` is the
    /// reason why the hidden model is down by then, if it is.
    async fn entry(
        self,
        (hidden, down): (&Assist, impl Fn() -> Option<String>),
        shown: oneshot::Receiver<DuelAnswer>,
        is_canary_shown: bool,
    ) -> Entry {
        let (started, mut first) = (Instant::now(), None);
        let mut progress = |partial: Partial<'_>| {
            if !partial.ready.is_empty() {
                first.get_or_insert_with(|| started.elapsed());
            }
            ControlFlow::Continue(())
        };
        let made = hidden.complete(&self.snapshot, self.params, &mut progress).await;
        let hidden = DuelAnswer::of(&made, first.unwrap_or_else(|| started.elapsed()), down().as_deref());
        // The channel closes if the text typed meanwhile differs from the shown answer before it arrives.
        let shown = shown.await.unwrap_or_else(|_| DuelAnswer::Text(String::new(), None));
        let [model, canary] = if is_canary_shown { [hidden, shown] } else { [shown, hidden] };
        let dollars = 0.0;
        match (model, canary) {
            (DuelAnswer::Text(..), DuelAnswer::Failed(why)) => Entry::Refused { why, dollars },
            (DuelAnswer::Text(model, model_took), DuelAnswer::Text(canary, canary_took)) => {
                let is_same = model == canary;
                // Equal answers show no difference, whatever is kept of them.
                let written = if is_same { Some(String::new()) } else { self.written().await };
                let Some(written) = written else { return Entry::Void { dollars } };
                let score = |text: &str, milliseconds: Option<u64>| {
                    let measured = kept("", text, &written);
                    Score { suggested: measured.suggested, kept: measured.kept, milliseconds }
                };
                let scores = [score(&model, model_took), score(&canary, canary_took)];
                Entry::Pair { is_canary_shown, is_same, scores, dollars }
            }
            _ => Entry::Void { dollars },
        }
    }

    /// The text at the cursor once it has settled; `None` if the position is lost or the file was closed.
    async fn written(&self) -> Option<String> {
        let began = Instant::now();
        let mut document = Arc::clone(&self.snapshot.document);
        let mut settling = Settling::new(0, document.text().clone(), self.params.cursor);
        loop {
            let (current, changes) = {
                let session = self.session.upgrade()?;
                let session = session.lock();
                let tracked = session.tracked(document.id()).ok()?;
                (Arc::clone(tracked.document()), tracked.changes_since(&document)?)
            };
            let now = milliseconds(began.elapsed());
            changes.iter().for_each(|it| settling.change(now, &it.span, &it.text));
            document = current;
            if settling.has_settled(now) {
                return settling.written();
            }
            sleep(LOOK_INTERVAL).await;
        }
    }
}

#[cfg(test)]
mod tests;
