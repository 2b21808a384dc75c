//! A pending request for ghost text: the calls that it waits for, and its answer.

use std::sync::Arc;

use futures_util::future::select_all;
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::Instant;

use super::call::{self, CallTarget, Subscription};
use super::commit;
use crate::document::Document;
use crate::document::position::Encoding;
use crate::job::{Reason, SuppressionReason};
use crate::lsp::limits::{CALL_LEAD, SIBLING_TIMEOUT};
use crate::lsp::state::ServerState;
use crate::model::News;
use crate::route::Gear;
use crate::session::Session;
use crate::session::ghost::{CallStatus, GhostText, Source, WaiterCount};

/// The ghost text that answers a request, now on screen.
pub(super) struct CompletionAnswer {
    pub(super) document: Arc<Document>,
    pub(super) encoding: Encoding,
    pub(super) items: Vec<GhostText>,
    /// The reason why something else is not shown alongside.
    pub(super) also_refused: Option<Reason>,
}

/// Options for the items of an answer.
pub(super) struct ItemOptions {
    pub(super) encoding: Encoding,
    /// The maximum number of suggestions.
    pub(super) max_items: usize,
    /// Whether a shown suggestion may be followed by its first line as a separate item.
    pub(super) splits_lines: bool,
    /// Whether an automatic request only indicates that there is a suggestion.
    pub(super) indicator_only: bool,
}

/// A request that is waiting.
pub(super) struct PendingRequest {
    target: CallTarget,
    options: ItemOptions,
    /// When to call a model if nothing fits until then, or the reason not to.
    due: Result<Instant, Reason>,
    /// The calls that it waits for.
    calls: Vec<Subscription>,
    /// The signals of calls that a slow model has to finish before another one.
    ahead: Vec<Arc<Notify>>,
    /// The calls in `ahead`, if the model is slow and the request waits for them before it makes its own call.
    awaited: Vec<Subscription>,
    /// Whether it has made its own calls.
    has_called: bool,
    /// Whether [other work](Self::run_side_work) during these calls is still to be done.
    has_just_called: bool,
    /// The most likely of its calls: the suggestion is shown as soon as there is one.
    first_choice: Option<u64>,
    /// A prediction that is shown if the model has no suggestion: for editors that would not repeat the request
    /// for the model's answer.
    prediction: Option<String>,
    /// Whether it has already been answered with a prediction.
    is_answered: bool,
}

/// The result of polling a pending request.
enum Poll {
    Show(CompletionAnswer),
    /// A model's suggestion takes over from the prediction that was the answer.
    TakeOver,
    /// A suggestion fits, but more may come.
    Siblings,
    /// A call is growing.
    Wait,
    /// A call must be made.
    Call,
}

/// Adds a prediction to the suggestions.
pub(super) fn predict(
    state: &Arc<ServerState>,
    session: &mut Session,
    target: &CallTarget,
    text: &str,
) -> Result<(), Reason> {
    let document = &target.snapshot.document;
    let mut ghost = session.ghost(document.id()).ok_or(Reason::NotOpen)?;
    let source = Source { gear: Gear::Local.to_string(), model: None };
    let prediction = (state.ids.next(), text);
    let is_current =
        ghost.predict(document, target.point.cursor, prediction, source, Instant::now().into_std());
    if is_current { Ok(()) } else { Err(Reason::Stale) }
}

/// The state of the suggestions when a request starts.
pub(super) struct Existing {
    /// The answer, if it exists already.
    pub(super) shown: Option<CompletionAnswer>,
    /// Whether to call a model although there is an answer, because the answer is a prediction.
    pub(super) goes_on: bool,
    pub(super) running: RunningCalls,
}

/// The running calls that are relevant to a request.
pub(super) struct RunningCalls {
    /// The call that fits, and its waiting requests.
    fitting: Option<(u64, Option<Arc<WaiterCount>>)>,
    /// The calls that a slow model has to finish before another one.
    ahead: Vec<u64>,
}

impl PendingRequest {
    pub(super) fn new(
        target: CallTarget,
        options: ItemOptions,
        due: Result<Instant, Reason>,
        prediction: Option<String>,
    ) -> Self {
        Self {
            target,
            options,
            due,
            calls: Vec::new(),
            ahead: Vec::new(),
            awaited: Vec::new(),
            has_called: false,
            has_just_called: false,
            first_choice: None,
            prediction,
            is_answered: false,
        }
    }

    /// The existing answer and running calls, or the reason why there is nothing.
    pub(super) fn existing(
        &self,
        state: &Arc<ServerState>,
        session: &mut Session,
    ) -> Result<Existing, Reason> {
        let (id, point) = (self.target.snapshot.document.id(), &self.target.point);
        let is_explicit = self.target.is_explicit;
        let now = Instant::now().into_std();
        let mut ghost = session.ghost(id).ok_or(Reason::NotOpen)?;
        // An explicit request makes its own calls, unless an earlier explicit request has.
        let uses_existing = !is_explicit || ghost.explicit_count(point) > 0;
        let items = match uses_existing {
            true => ghost.show(point, self.options.max_items, now, || state.ids.next()),
            false => Vec::new(),
        };
        let fitting = ghost.fitting_call(point);
        let known_nothing = ghost.known_nothing(point);
        let ahead = ghost.calls_ahead(point);
        let is_prediction = items.first().is_some_and(|item| ghost.is_prediction(item.id));
        let goes_on = is_prediction
            && !is_explicit
            && !ghost.has_answer(point)
            && (fitting.is_some() || self.due.is_ok() && known_nothing.is_none());
        let fitting = fitting.filter(|_| uses_existing).map(|call| (call, ghost.interest(call)));
        // A user who repeats the request wants to see others, which may be about to arrive.
        let waits_for_others = is_explicit && fitting.is_some() && items.len() < self.options.max_items;
        if !items.is_empty() && !waits_for_others {
            let shown = Some(self.show(state, session, items, None)?);
            return Ok(Existing { shown, goes_on, running: RunningCalls { fitting, ahead } });
        }
        if let Some(reason) = known_nothing.filter(|_| !is_explicit && fitting.is_none()) {
            return Err(reason);
        }
        if fitting.is_none() {
            self.due.clone()?;
        }
        Ok(Existing { shown: None, goes_on, running: RunningCalls { fitting, ahead } })
    }

    /// Makes the request wait for running calls, or for its own call if none fits and one is due `now`.
    ///
    /// Takes locks, so the session must not be locked.
    pub(super) fn join(
        &mut self,
        state: &Arc<ServerState>,
        running: RunningCalls,
        is_answered: bool,
        now: Instant,
    ) {
        self.is_answered = is_answered;
        self.subscribe(state, running);
        if self.calls.is_empty() && self.due == Ok(now) {
            self.call(state, now);
        }
    }

    fn subscribe(&mut self, state: &Arc<ServerState>, RunningCalls { fitting, ahead }: RunningCalls) {
        if let Some((call, interest)) = fitting {
            self.calls.push(Subscription::new(&state.call_signals, call, interest));
            self.has_called = self.target.is_explicit;
        }
        if state.serving.assist().is_slow() {
            // They are awaited: a concurrent call would delay both.
            let mut session = state.session.lock();
            let ghost = session.ghost(self.target.snapshot.document.id());
            let interests: Vec<_> =
                ahead.iter().map(|call| (*call, ghost.as_ref().and_then(|it| it.interest(*call)))).collect();
            drop(session);
            let subscription = |(call, interest)| Subscription::new(&state.call_signals, call, interest);
            self.awaited = interests.into_iter().map(subscription).collect();
        }
        self.ahead = ahead.iter().map(|call| state.call_signals.subscribe(*call)).collect();
        self.keep_calls(state);
    }

    /// Keeps a menu over the answered prediction from stopping the calls.
    fn keep_calls(&self, state: &Arc<ServerState>) {
        if !self.is_answered || self.target.point.selected.is_some() {
            return;
        }
        let calls = self.calls.iter().chain(&self.awaited).map(|it| it.call).collect();
        if let Some(mut ghost) = state.session.lock().ghost(self.target.snapshot.document.id()) {
            ghost.follow(calls);
        }
    }

    /// Waits until there is something to show, or until nothing can arrive any more.
    pub(super) async fn answer(
        mut self: Box<Self>,
        state: Arc<ServerState>,
    ) -> Result<CompletionAnswer, Reason> {
        self.settle(&state).await?.ok_or(Reason::Superseded)
    }

    /// Lets a model be called after the request was answered with a prediction, until the model's suggestion
    /// takes over.
    pub(super) async fn follow(mut self: Box<Self>, state: Arc<ServerState>) -> Result<(), Reason> {
        self.settle(&state).await.map(drop)
    }

    /// The version of the request's document.
    pub(super) fn version(&self) -> i32 {
        self.target.snapshot.document.version()
    }

    /// Waits for the answer; `None` if there was one and a model's suggestion takes over from it.
    async fn settle(&mut self, state: &Arc<ServerState>) -> Result<Option<CompletionAnswer>, Reason> {
        let mut siblings_until = None;
        loop {
            if std::mem::take(&mut self.has_just_called) {
                // The calls start first: their tasks are already scheduled.
                yield_now().await;
                self.run_side_work(state);
            }
            // Registered before the poll, so that no wake-up is missed.
            let calls = self.calls.iter().map(|it| &it.signal).chain(&self.ahead);
            let mut wake_ups: Vec<_> =
                calls.map(|signal| Box::pin(Arc::clone(signal).notified_owned())).collect();
            for wake_up in &mut wake_ups {
                wake_up.as_mut().enable();
            }
            let until = match self.poll(state, siblings_until)? {
                Poll::Show(shown) => return Ok(Some(shown)),
                Poll::TakeOver => return Ok(None),
                Poll::Siblings => {
                    Some(*siblings_until.get_or_insert_with(|| Instant::now() + SIBLING_TIMEOUT))
                }
                Poll::Wait => None,
                Poll::Call => match self.due.clone()? {
                    due if due <= Instant::now() + CALL_LEAD => {
                        self.call(state, due);
                        continue;
                    }
                    due => Some(due - CALL_LEAD),
                },
            };
            let woken = async {
                if wake_ups.is_empty() { std::future::pending().await } else { select_all(wake_ups).await }
            };
            match until {
                // The next poll determines which of the two it was.
                Some(until) => _ = tokio::time::timeout_at(until, woken).await,
                None => _ = woken.await,
            }
        }
    }

    /// Checks whether there is something to show now.
    ///
    /// `until` is when to stop waiting for siblings.
    fn poll(&mut self, state: &Arc<ServerState>, until: Option<Instant>) -> Result<Poll, Reason> {
        let (document, point) = (&self.target.snapshot.document, &self.target.point);
        let is_explicit = self.target.is_explicit;
        let mut session = state.session.lock();
        if session.tracked(document.id())?.document().revision() != document.revision() {
            return Err(Reason::Stale);
        }
        if is_explicit && !self.has_called {
            return Ok(Poll::Call);
        }
        let mut ghost = session.ghost(document.id()).ok_or(Reason::NotOpen)?;
        let states: Vec<CallStatus> = self.calls.iter().map(|it| ghost.status(it.call)).collect();
        let is_growing = states.contains(&CallStatus::Growing);
        let is_late = until.is_some_and(|until| until <= Instant::now());
        let is_first_ready = self.first_choice.is_some_and(|call| ghost.is_ready(call, point));
        if is_explicit && is_growing && !is_late && !is_first_ready {
            return Ok(if ghost.has_answer(point) { Poll::Siblings } else { Poll::Wait });
        }
        let now = Instant::now().into_std();
        let reason = states.into_iter().find_map(|it| match it {
            CallStatus::Nothing(reason) => Some(reason),
            CallStatus::Growing | CallStatus::Over => None,
        });
        if self.is_answered {
            if ghost.take_over(point, now) {
                return Ok(Poll::TakeOver);
            }
        } else {
            let items = ghost.show(point, self.options.max_items, now, || state.ids.next());
            if !items.is_empty() {
                return self.show(state, &mut session, items, reason).map(Poll::Show);
            }
        }
        if is_growing {
            return Ok(Poll::Wait);
        }
        let has_answer = ghost.has_answer(point);
        if !self.has_called && !has_answer {
            let ahead = if self.awaited.is_empty() { Vec::new() } else { ghost.calls_ahead(point) };
            let waits = self.awaited.iter().any(|it| ahead.contains(&it.call));
            return Ok(if waits { Poll::Wait } else { Poll::Call });
        }
        let reason = reason.or_else(|| ghost.known_nothing(point)).unwrap_or(match has_answer {
            true => Reason::Quiet(SuppressionReason::PredictionStays),
            false => Reason::Superseded,
        });
        let Some(text) = self.prediction.take() else { return Err(reason) };
        predict(state, &mut session, &self.target, &text)?;
        let mut ghost = session.ghost(document.id()).ok_or(Reason::NotOpen)?;
        let items = ghost.show(point, self.options.max_items, now, || state.ids.next());
        if items.is_empty() {
            return Err(reason);
        }
        self.show(state, &mut session, items, Some(reason)).map(Poll::Show)
    }

    /// Makes the calls, which call the model at `due`.
    fn call(&mut self, state: &Arc<ServerState>, due: Instant) {
        self.has_called = true;
        let not_before = Some(due).filter(|due| *due > Instant::now());
        let assist = state.serving.assist();
        let has_model = assist.has_model_of(Gear::Fast);
        let has_several = self.target.is_explicit
            && has_model
            && !assist.is_slow()
            && assist.offers_variants()
            && !commit::is_message(&self.target.snapshot);
        let variants = if has_several { self.options.max_items } else { 1 };
        // The newest suggestion is shown first, so the most likely variant is called last.
        for variant in (0..variants).rev() {
            self.calls.extend(call::begin(state, &self.target, variant, not_before));
        }
        self.keep_calls(state);
        self.first_choice = self.calls.last().map(|it| it.call);
        self.has_just_called = true;
    }

    /// Does the remaining work while the model is running.
    fn run_side_work(&self, state: &Arc<ServerState>) {
        let CallTarget { snapshot, point, is_explicit, eagerness } = &self.target;
        state.parser.hurry(snapshot.document.id());
        let has_model = state.serving.assist().has_model_of(Gear::Fast);
        if *is_explicit && has_model && point.selected.is_none() {
            let predicted = state.serving.assist().predict(snapshot, point.cursor, *eagerness);
            if let Some(text) = predicted.text {
                // The next poll detects an outdated file.
                _ = predict(state, &mut state.session.lock(), &self.target, &text);
            }
        }
    }

    /// Makes the answer from ghost text, and counts the ghost text as sent.
    fn show(
        &self,
        state: &Arc<ServerState>,
        session: &mut Session,
        mut items: Vec<GhostText>,
        also_refused: Option<Reason>,
    ) -> Result<CompletionAnswer, Reason> {
        let document = &self.target.snapshot.document;
        let mut shown = Vec::new();
        if let Some(mut ghost) = session.ghost(document.id()) {
            shown.extend(items.iter().flat_map(|item| ghost.shown_items(item.id)));
            if self.options.indicator_only && !self.target.is_explicit {
                ghost.mark_hidden();
                return Err(Reason::Quiet(SuppressionReason::IndicatorOnly));
            }
            if self.options.splits_lines
                && items.len() < self.options.max_items
                && let Some(first) = items.first()
            {
                items.extend(ghost.first_line(first, || state.ids.next()));
            }
        }
        let mut feedback = session.feedback();
        feedback.mark_sent(&items);
        state.serving.count(feedback.take_reactions());
        // Otherwise the items count as shown when they are drawn.
        if !feedback.reports_drawn() {
            state.serving.tell(shown.into_iter().map(News::Shown));
        }
        Ok(CompletionAnswer {
            document: Arc::clone(document),
            encoding: self.options.encoding,
            items,
            also_refused,
        })
    }
}
