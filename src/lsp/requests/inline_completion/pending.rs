//! One request for ghost text, from its start to its answer.

use std::sync::Arc;

use futures_util::future::{AbortHandle, AbortRegistration, select_all};
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::Instant;

use super::call::{self, CallTarget, Subscription};
use super::context::CompletionContext;
use crate::context::syntax_context;
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::job::{Quiet, Reason};
use crate::lsp::convert;
use crate::lsp::limits::{CALL_LEAD, SIBLING_TIMEOUT};
use crate::lsp::protocol::InlineCompletion;
use crate::privacy::Verdict;
use crate::route::Gear;
use crate::session::Session;
use crate::session::ghost::trigger::{self, Column, Trigger, TriggerContext};
use crate::session::ghost::{CallStatus, CompletionPoint, GhostText, Interest, Source, pause};

/// How a request starts.
pub(super) enum StartedCompletion {
    /// It is answered at once.
    Answered(Shown),
    /// It is answered with a prediction, and [goes on](PendingRequest::follow) with a model.
    Predicted(Shown, Box<PendingRequest>, AbortRegistration),
    /// It waits for a call, or has to make one. The registration lets a newer request abort it.
    Pending(Box<PendingRequest>, AbortRegistration),
}

/// The ghost text that answers a request, now on screen.
pub(super) struct Shown {
    pub(super) document: Arc<Document>,
    pub(super) encoding: Encoding,
    pub(super) items: Vec<GhostText>,
    /// Why something else is not shown beside them.
    pub(super) beside: Option<Reason>,
}

/// A request that waits.
pub(super) struct PendingRequest {
    target: CallTarget,
    encoding: Encoding,
    /// The most suggestions that it shows.
    max_items: usize,
    /// Whether a shown suggestion may be followed by its first line as an item of its own.
    splits_lines: bool,
    indicator_only: bool,
    /// When to call a model if nothing fits until then, or why not to.
    due: Result<Instant, Reason>,
    /// The calls that it waits for.
    calls: Vec<Subscription>,
    /// The signals of calls that a slow model has to finish before another one.
    ahead: Vec<Arc<Notify>>,
    /// The same, if it waits for them before it makes a call of its own: the model is slow.
    awaited: Vec<Subscription>,
    /// Whether it made calls of its own.
    has_called: bool,
    /// Whether nothing was done [beside](Self::do_beside) these calls so far.
    has_just_called: bool,
    /// The most likely of several that it made: its suggestion is shown as soon as there is one.
    first_choice: Option<u64>,
    /// A prediction that is shown if the model has nothing: for editors that would not ask again for what the
    /// model has to say.
    prediction: Option<String>,
    /// Whether it was answered with a prediction already.
    is_answered: bool,
}

/// What a pending request finds.
enum Poll {
    /// This is the answer.
    Show(Shown),
    /// A model's suggestion takes the place of the prediction that was the answer.
    TakeOver,
    /// A suggestion fits, but more may come.
    Siblings,
    /// A call is growing.
    Wait,
    /// A call has to be made.
    Call,
}

/// Reads everything of the session as it is when the request arrives. It does not wait.
///
/// Where a model will be asked and nothing fits yet, the local engine predicts. An editor that asks again when
/// it is [told](crate::lsp::editor::Editor::ghost_text_changed) gets the prediction at once.
pub(super) fn start(
    context: &CompletionContext,
    request: &InlineCompletion,
) -> Result<StartedCompletion, Reason> {
    let now = Instant::now();
    let id = DocumentId::new(&request.text_document.uri);
    let (handle, registration) = AbortHandle::new_pair();
    let is_explicit = request.is_invoked();
    let max_items = context.max_items(is_explicit);
    let splits_lines = is_explicit && !context.client.get().takes_parts;
    let has_model = context.serving.assist().has_fast_model();
    let mut session = context.session.lock();
    let snapshot = session.snapshot(&id)?;
    if request.text_document.version.is_some_and(|version| version != snapshot.document.version()) {
        return Err(Reason::Stale);
    }
    let encoding = session.encoding();
    let point = point(&snapshot.document, request, encoding)?;
    // The older request is answered now, even if this one shows nothing.
    let tracked = session.tracked_mut(&id)?;
    tracked.replace_running(handle);
    if is_explicit {
        tracked.stop_following();
    }
    tracked.set_focus(point.cursor);
    let eagerness = snapshot.settings.eagerness(session.tracked(&id)?.language_id());
    let indicator_only = snapshot.settings.indicator_only;
    let target = CallTarget { snapshot, point, is_explicit, eagerness };
    let mut facts = trigger_context(&mut session, has_model, &target, now)?;
    let mut due = due(&facts, now)?;
    let fits_already = session.ghost(&id).is_some_and(|ghost| ghost.has_any(&target.point));
    let mut prediction = None;
    if facts.asks_a_model && !is_explicit && due.is_ok() && target.point.selected.is_none() && !fits_already {
        drop(session);
        let predicted =
            context.serving.assist().predict(&target.snapshot, target.point.cursor, target.eagerness);
        facts.is_pause_likely |= predicted.ends_unclear_word;
        due = self::due(&facts, now)?;
        session = context.session.lock();
        prediction = predicted.text;
        if context.client.get().asks_again
            && let Some(text) = prediction.take()
        {
            predict(context, &mut session, &target, &text)?;
        }
    }
    let mut pending = PendingRequest {
        target,
        encoding,
        max_items,
        splits_lines,
        indicator_only,
        due,
        calls: Vec::new(),
        ahead: Vec::new(),
        awaited: Vec::new(),
        has_called: false,
        has_just_called: false,
        first_choice: None,
        prediction,
        is_answered: false,
    };
    let Existing { shown, goes_on, fitting, ahead } = pending.existing(context, &mut session)?;
    drop(session);
    let shown = match shown {
        Some(shown) if !goes_on => return Ok(StartedCompletion::Answered(shown)),
        shown => shown,
    };
    pending.is_answered = shown.is_some();
    pending.subscribe(context, fitting, &ahead);
    if pending.calls.is_empty() && pending.due == Ok(now) {
        pending.call(context, now);
    }
    let is_under_menu = pending.target.point.selected.is_some();
    let pending = Box::new(pending);
    Ok(match shown {
        Some(shown) => {
            context.session.lock().tracked_mut(&id)?.follow_running(is_under_menu);
            StartedCompletion::Predicted(shown, pending, registration)
        }
        None => StartedCompletion::Pending(pending, registration),
    })
}

/// When to call a model, or why not to. An error: nothing is shown at all.
fn due(facts: &TriggerContext, now: Instant) -> Result<Result<Instant, Reason>, Reason> {
    match trigger::decide(facts) {
        Trigger::Now => Ok(Ok(now)),
        Trigger::After(delay) => Ok(Ok(now + delay)),
        Trigger::Never(reason) if !trigger::shows_existing(&reason) => Err(reason),
        Trigger::Never(reason) => Ok(Err(reason)),
    }
}

/// Adds a prediction to what can be shown.
fn predict(
    context: &CompletionContext,
    session: &mut Session,
    target: &CallTarget,
    text: &str,
) -> Result<(), Reason> {
    let document = &target.snapshot.document;
    let mut ghost = session.ghost(document.id()).ok_or(Reason::NotOpen)?;
    let source = Source { gear: Gear::Local.to_string(), model: None };
    let prediction = (context.ids.next(), text);
    let is_current =
        ghost.predict(document, target.point.cursor, prediction, source, Instant::now().into_std());
    if is_current { Ok(()) } else { Err(Reason::Stale) }
}

/// Where the request wants ghost text.
fn point(
    document: &Document,
    request: &InlineCompletion,
    encoding: Encoding,
) -> Result<CompletionPoint, Reason> {
    let cursor = convert::byte(document, request.position, encoding);
    let Some(selected) = &request.context.selected_completion_info else {
        return Ok(CompletionPoint::at(cursor));
    };
    let span = convert::span(document, selected.range, encoding);
    // An item extends the menu's entry and has its range (LSP 3.18, `SelectedCompletionInfo`), which is on
    // one line.
    let fits = span.end == cursor
        && document.line_start(span.start) == document.line_start(cursor)
        && !selected.text.contains(['\n', '\r']);
    if !fits {
        return Err(Reason::Quiet(Quiet::Menu));
    }
    Ok(CompletionPoint { cursor, selected: Some((span.start, selected.text.clone())) })
}

/// What the decision to call a model depends on.
fn trigger_context(
    session: &mut Session,
    has_model: bool,
    target: &CallTarget,
    now: Instant,
) -> Result<TriggerContext, Reason> {
    let document = &target.snapshot.document;
    let settings = &target.snapshot.settings;
    let access = target.snapshot.access.known();
    let (before, after) = convert::line_around(document, target.point.cursor);
    let is_call_running =
        session.ghost(document.id()).is_some_and(|ghost| !ghost.undecided_calls(&target.point).is_empty());
    Ok(TriggerContext {
        is_explicit: target.is_explicit,
        eagerness: target.eagerness,
        is_enabled: settings.is_enabled(session.tracked(document.id())?.language_id()),
        disable_in: settings.disable_in.iter().copied().collect(),
        part: syntax_context::at(document, target.point.cursor),
        is_secret: trigger::is_secret_string(&before),
        column: Column::of(&before, &after),
        activity: session.activity(document.id(), now.into_std()),
        asks_a_model: has_model && access.is_none_or(|verdict| *verdict == Verdict::Open),
        is_pause_likely: pause::is_likely(&before),
        is_call_running,
    })
}

/// A running call that fits, and the requests that wait for it.
type Fitting = (u64, Option<Arc<Interest>>);

/// What there is for a request when it starts.
struct Existing {
    /// The answer, if there is one already.
    shown: Option<Shown>,
    /// Whether a model is to be asked although there is an answer: that is a prediction.
    goes_on: bool,
    /// The running call that fits, and those that a slow model has to finish before another one.
    fitting: Option<Fitting>,
    ahead: Vec<u64>,
}

impl PendingRequest {
    /// What there is already, or why there is nothing.
    fn existing(&mut self, context: &CompletionContext, session: &mut Session) -> Result<Existing, Reason> {
        let (id, point) = (self.target.snapshot.document.id(), &self.target.point);
        let is_explicit = self.target.is_explicit;
        let now = Instant::now().into_std();
        let mut ghost = session.ghost(id).ok_or(Reason::NotOpen)?;
        // An explicit request makes calls of its own, unless an earlier explicit one has.
        let uses_existing = !is_explicit || ghost.explicit_count(point) > 0;
        let items = match uses_existing {
            true => ghost.show(point, self.max_items, now, || context.ids.next()),
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
        // Who asks again wants to see others, which may be about to come.
        let waits_for_others = is_explicit && fitting.is_some() && items.len() < self.max_items;
        if !items.is_empty() && !waits_for_others {
            let shown = Some(self.show(context, session, items, None)?);
            return Ok(Existing { shown, goes_on, fitting, ahead });
        }
        if let Some(reason) = known_nothing.filter(|_| !is_explicit && fitting.is_none()) {
            return Err(reason);
        }
        if fitting.is_none() {
            self.due.clone()?;
        }
        Ok(Existing { shown: None, goes_on, fitting, ahead })
    }

    /// Subscribes to running calls. It takes a lock, so the session must not be locked.
    fn subscribe(&mut self, context: &CompletionContext, fitting: Option<Fitting>, ahead: &[u64]) {
        if let Some((call, interest)) = fitting {
            self.calls.push(Subscription::new(&context.signals, call, interest));
            self.has_called = self.target.is_explicit;
        }
        if context.serving.assist().is_slow() {
            // They are waited for: another call beside one would hold up both.
            let mut session = context.session.lock();
            let ghost = session.ghost(self.target.snapshot.document.id());
            let interests: Vec<_> =
                ahead.iter().map(|call| (*call, ghost.as_ref().and_then(|it| it.interest(*call)))).collect();
            drop(session);
            let subscription = |(call, interest)| Subscription::new(&context.signals, call, interest);
            self.awaited = interests.into_iter().map(subscription).collect();
        }
        self.ahead = ahead.iter().map(|call| context.signals.subscribe(*call)).collect();
        self.keep_calls(context);
    }

    /// Has a menu over the prediction that is the answer stop none of its calls.
    fn keep_calls(&self, context: &CompletionContext) {
        if !self.is_answered || self.target.point.selected.is_some() {
            return;
        }
        let calls = self.calls.iter().chain(&self.awaited).map(Subscription::call).collect();
        if let Some(mut ghost) = context.session.lock().ghost(self.target.snapshot.document.id()) {
            ghost.follow(calls);
        }
    }

    /// Waits until there is something to show, or nothing can come any more.
    pub(super) async fn answer(mut self: Box<Self>, context: CompletionContext) -> Result<Shown, Reason> {
        self.settle(&context).await?.ok_or(Reason::Superseded)
    }

    /// Has a model asked after the request was answered with a prediction, until the model's suggestion takes
    /// over.
    ///
    /// # Errors
    ///
    /// Why the prediction stays.
    pub(super) async fn follow(mut self: Box<Self>, context: CompletionContext) -> Result<(), Reason> {
        self.settle(&context).await.map(drop)
    }

    /// The document's version that it is about.
    pub(super) fn version(&self) -> i32 {
        self.target.snapshot.document.version()
    }

    /// Waits for the answer; `None` if there was one, and a model's suggestion takes its place.
    async fn settle(&mut self, context: &CompletionContext) -> Result<Option<Shown>, Reason> {
        let mut siblings_until = None;
        loop {
            if std::mem::take(&mut self.has_just_called) {
                // The calls leave first: their tasks are woken already.
                yield_now().await;
                self.do_beside(context);
            }
            // Registered before the poll, so that no wake-up is missed.
            let calls = self.calls.iter().map(Subscription::signal).chain(&self.ahead);
            let mut wake_ups: Vec<_> =
                calls.map(|signal| Box::pin(Arc::clone(signal).notified_owned())).collect();
            for wake_up in &mut wake_ups {
                wake_up.as_mut().enable();
            }
            let until = match self.poll(context, siblings_until)? {
                Poll::Show(shown) => return Ok(Some(shown)),
                Poll::TakeOver => return Ok(None),
                Poll::Siblings => {
                    Some(*siblings_until.get_or_insert_with(|| Instant::now() + SIBLING_TIMEOUT))
                }
                Poll::Wait => None,
                Poll::Call => match self.due.clone()? {
                    due if due <= Instant::now() + CALL_LEAD => {
                        self.call(context, due);
                        continue;
                    }
                    due => Some(due - CALL_LEAD),
                },
            };
            let woken = async {
                if wake_ups.is_empty() { std::future::pending().await } else { select_all(wake_ups).await }
            };
            match until {
                // The next poll tells which of the two it was.
                Some(until) => _ = tokio::time::timeout_at(until, woken).await,
                None => _ = woken.await,
            }
        }
    }

    /// Looks whether there is something to show now.
    ///
    /// `until` is when to stop waiting for siblings.
    fn poll(&mut self, context: &CompletionContext, until: Option<Instant>) -> Result<Poll, Reason> {
        let (document, point) = (&self.target.snapshot.document, &self.target.point);
        let is_explicit = self.target.is_explicit;
        let mut session = context.session.lock();
        if session.tracked(document.id())?.document().revision() != document.revision() {
            return Err(Reason::Stale);
        }
        if is_explicit && !self.has_called {
            return Ok(Poll::Call);
        }
        let mut ghost = session.ghost(document.id()).ok_or(Reason::NotOpen)?;
        let states: Vec<CallStatus> = self.calls.iter().map(|it| ghost.status(it.call())).collect();
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
            let items = ghost.show(point, self.max_items, now, || context.ids.next());
            if !items.is_empty() {
                return self.show(context, &mut session, items, reason).map(Poll::Show);
            }
        }
        if is_growing {
            return Ok(Poll::Wait);
        }
        let has_answer = ghost.has_answer(point);
        if !self.has_called && !has_answer {
            let ahead = if self.awaited.is_empty() { Vec::new() } else { ghost.calls_ahead(point) };
            let waits = self.awaited.iter().any(|it| ahead.contains(&it.call()));
            return Ok(if waits { Poll::Wait } else { Poll::Call });
        }
        let reason = reason.or_else(|| ghost.known_nothing(point)).unwrap_or(match has_answer {
            true => Reason::Quiet(Quiet::PredictionStays),
            false => Reason::Superseded,
        });
        let Some(text) = self.prediction.take() else { return Err(reason) };
        predict(context, &mut session, &self.target, &text)?;
        let mut ghost = session.ghost(document.id()).ok_or(Reason::NotOpen)?;
        let items = ghost.show(point, self.max_items, now, || context.ids.next());
        if items.is_empty() {
            return Err(reason);
        }
        self.show(context, &mut session, items, Some(reason)).map(Poll::Show)
    }

    /// Makes the calls, which ask the model at `due`.
    fn call(&mut self, context: &CompletionContext, due: Instant) {
        self.has_called = true;
        let not_before = Some(due).filter(|due| *due > Instant::now());
        let assist = context.serving.assist();
        let has_model = assist.model_name(Gear::Fast).is_some();
        let has_several = self.target.is_explicit && has_model && !assist.is_slow();
        let variants = if has_several { self.max_items } else { 1 };
        // The newest suggestion is shown first, so the most likely variant is called last.
        for variant in (0..variants).rev() {
            self.calls.extend(call::begin(context, &self.target, variant, not_before));
        }
        self.keep_calls(context);
        self.first_choice = self.calls.last().map(Subscription::call);
        self.has_just_called = true;
    }

    /// Does what is to be done while the model is at it.
    fn do_beside(&self, context: &CompletionContext) {
        let CallTarget { snapshot, point, is_explicit, eagerness } = &self.target;
        context.parser.hurry(snapshot.document.id());
        let has_model = context.serving.assist().model_name(Gear::Fast).is_some();
        if *is_explicit && has_model && point.selected.is_none() {
            let predicted = context.serving.assist().predict(snapshot, point.cursor, *eagerness);
            if let Some(text) = predicted.text {
                // A file that has moved on is noticed by the next poll.
                _ = predict(context, &mut context.session.lock(), &self.target, &text);
            }
        }
    }

    /// The answer of some ghost text, which is counted as sent.
    fn show(
        &self,
        context: &CompletionContext,
        session: &mut Session,
        mut items: Vec<GhostText>,
        beside: Option<Reason>,
    ) -> Result<Shown, Reason> {
        let document = &self.target.snapshot.document;
        if let Some(mut ghost) = session.ghost(document.id()) {
            if self.indicator_only && !self.target.is_explicit {
                ghost.mark_hidden();
                return Err(Reason::Quiet(Quiet::IndicatorOnly));
            }
            if self.splits_lines
                && items.len() < self.max_items
                && let Some(first) = items.first()
            {
                items.extend(ghost.first_line(first, || context.ids.next()));
            }
        }
        session.feedback().mark_sent(&items);
        Ok(Shown { document: Arc::clone(document), encoding: self.encoding, items, beside })
    }
}
