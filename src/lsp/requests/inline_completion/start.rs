//! Starts a request for ghost text: decides whether it is answered at once, and when a model is called.

use futures_util::future::{AbortHandle, AbortRegistration};
use std::sync::Arc;
use tokio::time::Instant;

use super::call::CallTarget;
use super::commit;
use super::pending::{CompletionAnswer, Existing, ItemOptions, PendingRequest, predict};
use crate::context::syntax_context;
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::job::{Reason, SuppressionReason};
use crate::lsp::convert;
use crate::lsp::limits::SUGGESTIONS;
use crate::lsp::protocol::InlineCompletion;
use crate::lsp::state::ServerState;
use crate::privacy::Verdict;
use crate::session::Session;
use crate::session::ghost::trigger::{self, Column, Trigger, TriggerContext};
use crate::session::ghost::{CompletionPoint, pause};

/// The way a request starts.
pub(super) enum StartedCompletion {
    /// It is answered at once.
    Answered(CompletionAnswer),
    /// It is answered with a prediction, and [continues](PendingRequest::follow) with a model.
    Predicted(CompletionAnswer, Box<PendingRequest>, AbortRegistration),
    /// It waits for a call, or has to make one. The registration lets a newer request abort it.
    Pending(Box<PendingRequest>, AbortRegistration),
}

/// Reads the state of the session as the request arrives, without waiting.
///
/// If a model will be called and nothing fits yet, the local engine predicts. An editor that repeats its
/// request when it is [notified](crate::lsp::editor::Editor::ghost_text_changed) gets the prediction at once.
pub(super) fn start(
    state: &Arc<ServerState>,
    request: &InlineCompletion,
) -> Result<StartedCompletion, Reason> {
    let now = Instant::now();
    let id = DocumentId::new(&request.text_document.uri);
    let (handle, registration) = AbortHandle::new_pair();
    let is_explicit = request.is_invoked();
    let has_model = state.serving.assist().is_fast_model_up();
    let mut session = state.session.lock();
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
    let options = ItemOptions {
        encoding,
        max_items: max_items(state, is_explicit),
        splits_lines: is_explicit && !state.client.get().takes_parts,
        indicator_only: snapshot.settings.indicator_only,
    };
    let is_under_menu = point.selected.is_some();
    let target = CallTarget { snapshot, point, is_explicit, eagerness };
    let mut facts = trigger_context(&mut session, has_model, &target, now)?;
    let mut due = due(&facts, now)?;
    if !facts.asks_a_model
        && !is_explicit
        && let Some(mut ghost) = session.ghost(&id)
    {
        ghost.drop_passed_over();
    }
    let fits_already = session.ghost(&id).is_some_and(|ghost| ghost.has_any(&target.point));
    let mut prediction = None;
    let is_code = !commit::is_message(&target.snapshot);
    if is_code && facts.asks_a_model && !is_explicit && due.is_ok() && !is_under_menu && !fits_already {
        drop(session);
        let predicted =
            state.serving.assist().predict(&target.snapshot, target.point.cursor, target.eagerness);
        facts.is_pause_likely |= predicted.ends_unclear_word;
        due = self::due(&facts, now)?;
        session = state.session.lock();
        prediction = predicted.text;
        if state.client.get().asks_again
            && let Some(text) = prediction.take()
        {
            predict(state, &mut session, &target, &text)?;
        }
    }
    let mut pending = PendingRequest::new(target, options, due, prediction);
    let Existing { shown, goes_on, running } = pending.existing(state, &mut session)?;
    drop(session);
    let shown = match shown {
        Some(shown) if !goes_on => return Ok(StartedCompletion::Answered(shown)),
        shown => shown,
    };
    pending.join(state, running, shown.is_some(), now);
    let pending = Box::new(pending);
    Ok(match shown {
        Some(shown) => {
            state.session.lock().tracked_mut(&id)?.follow_running(is_under_menu);
            StartedCompletion::Predicted(shown, pending, registration)
        }
        None => StartedCompletion::Pending(pending, registration),
    })
}

/// When to call a model, or the reason not to. An error means that nothing is shown at all.
fn due(facts: &TriggerContext, now: Instant) -> Result<Result<Instant, Reason>, Reason> {
    match trigger::decide(facts) {
        Trigger::Now => Ok(Ok(now)),
        Trigger::After(delay) => Ok(Ok(now + delay)),
        Trigger::Never(reason) if !trigger::shows_existing(&reason) => Err(reason),
        Trigger::Never(reason) => Ok(Err(reason)),
    }
}

/// The point where the request wants ghost text.
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
    // An item extends the menu's entry and has its range (LSP 3.18, `SelectedCompletionInfo`), which is on one
    // line.
    let fits = span.end == cursor
        && document.line_start(span.start) == document.line_start(cursor)
        && !selected.text.contains(['\n', '\r']);
    if !fits {
        return Err(Reason::Quiet(SuppressionReason::Menu));
    }
    Ok(CompletionPoint { cursor, selected: Some((span.start, selected.text.clone())) })
}

/// The input to the decision to call a model.
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

/// The maximum number of suggestions for a request.
fn max_items(state: &ServerState, is_explicit: bool) -> usize {
    if !is_explicit {
        return 1;
    }
    let shown = state.client.get().candidates.and_then(|it| usize::try_from(it).ok());
    shown.map_or(SUGGESTIONS, |shown| shown.clamp(1, SUGGESTIONS))
}
