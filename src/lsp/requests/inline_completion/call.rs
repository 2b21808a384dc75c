//! A call to a model for ghost text, in a separate task.
//!
//! The session holds the handle that stops it: when the typed text differs from it, when the file is closed, or
//! when no request has waited for it for a while. However the call ends, its task passes the outcome to the
//! session and wakes the waiting requests.

use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{AbortHandle, AbortRegistration, Abortable, Aborted};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::commit;
use crate::assist::{CompletionParams, Partial};
use crate::config::Eagerness;
use crate::document::DocumentId;
use crate::job::Reason;
use crate::lsp::call_signals::CallSignals;
use crate::lsp::canary::{Canary, Contest};
use crate::lsp::requests::edit_job::MODEL_CAUSE;
use crate::lsp::state::ServerState;
use crate::model::News;
use crate::route::Gear;
use crate::session::ghost::{Call, CompletionPoint, GRACE, Source, WaiterCount};
use crate::snapshot::Snapshot;

/// The target of calls: a point in a version of a document.
pub(super) struct CallTarget {
    pub(super) snapshot: Snapshot,
    pub(super) point: CompletionPoint,
    /// Whether the user requested it explicitly.
    pub(super) is_explicit: bool,
    pub(super) eagerness: Eagerness,
}

/// A request's subscription to a call. While it lives, the call has a waiting request.
pub(super) struct Subscription {
    pub(super) call: u64,
    /// `None` if only the call's continuation is growing, which needs no waiting request.
    interest: Option<Arc<WaiterCount>>,
    pub(super) signal: Arc<Notify>,
}

impl Subscription {
    /// Takes a lock, so the session must not be locked.
    pub(super) fn new(signals: &CallSignals, call: u64, interest: Option<Arc<WaiterCount>>) -> Self {
        if let Some(interest) = &interest {
            interest.join();
        }
        Self { call, interest, signal: signals.subscribe(call) }
    }
}

/// Takes no lock, so a request may end while the session is locked.
impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(interest) = &self.interest {
            interest.leave(Instant::now().into_std());
        }
    }
}

impl CallTarget {
    /// The snapshot and the cursor for the call.
    ///
    /// The selected menu entry counts as accepted, and the model continues it.
    fn input(&self) -> (Snapshot, usize) {
        let snapshot = &self.snapshot;
        match &self.point.selected {
            None => (snapshot.clone(), self.point.cursor),
            Some((start, text)) => {
                let document = Arc::new(snapshot.document.with(*start..self.point.cursor, text));
                (Snapshot { document, ..snapshot.clone() }, start + text.len())
            }
        }
    }
}

/// Begins a call for a request; `None` if its document is outdated.
///
/// The model is called at `not_before`, unless the file has changed by then; preparation happens earlier.
pub(super) fn begin(
    state: &Arc<ServerState>,
    target: &CallTarget,
    variant: usize,
    not_before: Option<Instant>,
) -> Option<Subscription> {
    let number = state.ids.next();
    let (handle, registration) = AbortHandle::new_pair();
    let serving = state.serving.get();
    let assist = &serving.assist;
    let is_slow = assist.is_slow();
    // A slow model's text may be useful later, so that the model need not be called again.
    let grace = if is_slow { GRACE.max(assist.completion_wait(target.is_explicit)) } else { GRACE };
    let call = Call { number, handle, is_explicit: target.is_explicit, grace, is_alone: is_slow };
    let document = &target.snapshot.document;
    let now = Instant::now().into_std();
    let has_model = assist.has_model_of(Gear::Fast);
    let interest = {
        let mut session = state.session.lock();
        let interest = session.ghost(document.id())?.begin(document, &target.point, call, now)?;
        if has_model && !target.is_explicit {
            session.user_mut().record_call(now);
        }
        interest
    };
    let subscription = Subscription::new(&state.call_signals, number, Some(interest));
    let (snapshot, cursor) = target.input();
    let CallTarget { eagerness, is_explicit: invoked, .. } = *target;
    let params = CompletionParams { cursor, eagerness, variant, invoked, not_before };
    // With a selected menu entry, the snapshot's document differs from the editor's.
    let revision = document.revision();
    let may_be_duel = !invoked
        && target.point.selected.is_none()
        && assist.is_fast_model_up()
        && !commit::is_message(&target.snapshot);
    let contest = serving.canary.as_ref().filter(|_| may_be_duel).and_then(Canary::draw);
    let call = (number, contest);
    tokio::spawn(run(state.clone(), call, snapshot, revision, params, registration));
    Some(subscription)
}

/// Makes a suggestion for a `revision` of the file and passes it to the session.
async fn run(
    state: Arc<ServerState>,
    (call, contest): (u64, Option<Contest>),
    snapshot: Snapshot,
    revision: u64,
    params: CompletionParams,
    registration: AbortRegistration,
) {
    let id = snapshot.document.id().clone();
    let work = pin!(make(&state, (call, contest), &snapshot, revision, params));
    let made = to_its_end(work, registration).await;
    let made = made.unwrap_or_else(Err);
    let outcome = made.as_ref().map(|(text, shown)| (text.as_str(), *shown)).map_err(Clone::clone);
    if let Some(mut ghost) = state.session.lock().ghost(&id) {
        ghost.finish(call, outcome);
    }
    state.call_signals.wake(call);
}

/// Runs a call's work until it finishes, is stopped or panics.
///
/// The work is pinned by the caller: moved into this future, its kilobytes would be stored twice, and be copied
/// as often when the call's task is spawned.
async fn to_its_end<T>(
    work: Pin<&mut impl Future<Output = T>>,
    registration: AbortRegistration,
) -> Result<T, Reason> {
    match AssertUnwindSafe(Abortable::new(work, registration)).catch_unwind().await {
        Ok(Ok(made)) => Ok(made),
        Ok(Err(Aborted)) => Err(Reason::Superseded),
        Err(_) => {
            tracing::error!("a call for ghost text failed");
            Err(Reason::Internal)
        }
    }
}

/// The suggestion's text and how many bytes of it to show first.
///
/// The session receives the text as it grows.
async fn make(
    state: &Arc<ServerState>,
    (call, mut contest): (u64, Option<Contest>),
    snapshot: &Snapshot,
    revision: u64,
    params: CompletionParams,
) -> Result<(String, usize), Reason> {
    let fast = state.serving.assist();
    let mut assist = contest.as_ref().and_then(Contest::shown).unwrap_or_else(|| fast.clone());
    let leaves = |contest: &mut Option<Contest>| {
        if let Some(contest) = contest {
            contest.begin(&fast, snapshot, params, state.session.downgrade());
        }
    };
    let now = Instant::now();
    let started = params.not_before.map_or(now, |due| due.max(now));
    let id = snapshot.document.id();
    let unsent = params.not_before.map(|_| revision);
    let mut sink = StreamSink { state, id, call, unsent, ready: 0, started, first: None };
    if unsent.is_none() {
        leaves(&mut contest);
    }
    let mut progress = |partial: Partial<'_>| match sink.unsent.take() {
        Some(revision) => {
            let flow = sink.leaves(revision);
            if flow.is_continue() {
                leaves(&mut contest);
            }
            flow
        }
        None => sink.grow(partial),
    };
    let mut made = match commit::is_message(snapshot) {
        true => commit::complete(state, snapshot, params, &mut progress).await,
        false => assist.complete(snapshot, params, &mut progress).await,
    };
    if contest.as_mut().is_some_and(|it| it.report_shown(&made, started, sink.first)) {
        // The user is not affected by a canary that does not answer.
        let params = CompletionParams { not_before: None, ..params };
        assist = fast.clone();
        let mut progress = |partial: Partial<'_>| sink.grow(partial);
        // This is rare, so it is boxed instead of enlarging every call.
        made = Box::pin(assist.complete(snapshot, params, &mut progress)).await;
    }
    let (suggestion, origin) = made?;
    state.editor.recovered(MODEL_CAUSE);
    let gear = origin.gear;
    let model = origin.model.or_else(|| assist.model_name(gear));
    let item = origin.usage.item;
    let mut is_shown = false;
    let mut session = state.session.lock();
    // The local engine's latency is not evidence about a model's.
    if sink.ready == 0 && gear != Gear::Local {
        session.user_mut().record_latency(started.elapsed());
    }
    if let Some(mut ghost) = session.ghost(id) {
        if suggestion.is_doubtful {
            ghost.mark_doubtful(call);
        }
        ghost.set_source(call, Source { gear: gear.to_string(), model });
        is_shown = item.is_some_and(|item| ghost.set_item(call, item));
    }
    drop(session);
    if is_shown {
        state.serving.tell(item.map(News::Shown));
    }
    Ok((suggestion.text, suggestion.shown))
}

/// Begins a call for the continuation of the suggestion on screen, as if that were accepted.
///
/// So the continuation is ready when it is.
pub(super) fn begin_continuation(state: &Arc<ServerState>, id: &DocumentId, eagerness: Eagerness) {
    let (handle, registration) = AbortHandle::new_pair();
    let begun = {
        let mut session = state.session.lock();
        let Ok(snapshot) = session.snapshot(id) else { return };
        let begun = session.ghost(id).and_then(|mut ghost| ghost.begin_continuation(handle));
        begun.map(|(call, document, cursor)| (call, Snapshot { document, ..snapshot }, cursor))
    };
    let Some((call, snapshot, cursor)) = begun else { return };
    let params = CompletionParams { cursor, eagerness, variant: 0, invoked: false, not_before: None };
    tokio::spawn(run_continuation(state.clone(), call, snapshot, params, registration));
}

/// Makes the continuation of a suggestion and passes it to the session.
async fn run_continuation(
    state: Arc<ServerState>,
    call: u64,
    snapshot: Snapshot,
    params: CompletionParams,
    registration: AbortRegistration,
) {
    let assist = state.serving.assist();
    // Only the whole text is used.
    let mut progress = |_: Partial<'_>| ControlFlow::Continue(());
    let work = pin!(assist.complete(&snapshot, params, &mut progress));
    let made = to_its_end(work, registration).await.and_then(|made| made);
    let (more, item) = made
        .map_or_else(|_| (String::new(), None), |(suggestion, origin)| (suggestion.text, origin.usage.item));
    if let Some(mut ghost) = state.session.lock().ghost(snapshot.document.id()) {
        ghost.finish_continuation(call, &more, item);
    }
    state.call_signals.wake(call);
}

/// Passes the text to the session as it grows.
struct StreamSink<'a> {
    state: &'a Arc<ServerState>,
    id: &'a DocumentId,
    call: u64,
    /// The revision that the request is for, until it is sent.
    unsent: Option<u64>,
    /// How many bytes could be shown when the text last grew.
    ready: usize,
    started: Instant,
    /// The time until something could be shown.
    first: Option<std::time::Duration>,
}

impl StreamSink<'_> {
    /// Whether the request may be sent: the file is unchanged since the request was made.
    fn leaves(&self, revision: u64) -> ControlFlow<()> {
        let session = self.state.session.lock();
        match session.tracked(self.id) {
            Ok(tracked) if tracked.document().revision() == revision => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    fn grow(&mut self, Partial { text, ready }: Partial<'_>) -> ControlFlow<()> {
        let now = Instant::now();
        let has_more = ready.len() > self.ready;
        let flow = {
            let mut session = self.state.session.lock();
            if has_more && self.ready == 0 {
                self.first = Some(now - self.started);
                session.user_mut().record_latency(now - self.started);
            }
            let ghost = session.ghost(self.id);
            ghost.map_or(ControlFlow::Break(()), |mut it| it.grow(self.call, text, ready, now.into_std()))
        };
        self.ready = ready.len();
        if has_more || flow.is_break() {
            self.state.call_signals.wake(self.call);
        }
        flow
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tower_lsp::LspService;

    use super::*;
    use crate::lsp::Start;
    use crate::lsp::backend::Backend;

    /// A file with a call that has begun but not run yet, next to the call of another file.
    fn begun(text: &str) -> (Arc<ServerState>, DocumentId, [Subscription; 2]) {
        let (service, _socket) =
            LspService::build_with_lifecycle_methods(|client| Backend::new(client, Start::default()))
                .finish();
        let state = Arc::clone(&service.inner().state);
        let ids = ["file:///a.rs", "file:///b.rs"].map(DocumentId::new);
        let subscriptions = ids.clone().map(|id| {
            state.session.lock().open(id.clone(), "rust", 1, text, "a.rs");
            let target = CallTarget {
                snapshot: state.session.lock().snapshot(&id).unwrap(),
                point: CompletionPoint::at(text.len()),
                is_explicit: false,
                eagerness: Eagerness::Medium,
            };
            begin(&state, &target, 0, None).unwrap()
        });
        let [id, _] = ids;
        (state, id, subscriptions)
    }

    #[tokio::test(start_paused = true)]
    async fn call_stopped_before_it_ran_wakes_its_request() {
        let (state, id, [subscription, _]) = begun("let a = ");
        let mut woken = std::pin::pin!(subscription.signal.notified());
        woken.as_mut().enable();
        state.session.lock().close(&id);
        assert!(tokio::time::timeout(Duration::from_secs(9), woken).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn call_of_one_file_does_not_wake_the_request_of_another() {
        let (state, _, [subscription, other]) = begun("let a = ");
        let mut woken = std::pin::pin!(other.signal.notified());
        woken.as_mut().enable();
        state.call_signals.wake(subscription.call);
        assert!(woken.now_or_never().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn subscription_dropped_under_the_sessions_lock_does_not_hang() {
        let (state, _, [subscription, _]) = begun("let a = ");
        let guard = state.session.lock();
        drop(subscription);
        drop(guard);
    }
}
