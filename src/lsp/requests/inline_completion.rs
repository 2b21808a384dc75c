//! `textDocument/inlineCompletion`: ghost text.
//!
//! A request is answered from existing suggestions, complete or growing. A call to a model is not part of the
//! request that started it ([`call`]): it lives as long as the typed text agrees with it, and may serve a later
//! request.
//!
//! ```text
//! request ─► start ─┬─► Answered          a suggestion fits already
//!                   ├─► Predicted         a prediction is shown, and the model is called after the answer
//!                   ├─► Err(reason)       stale, suppressed, or known to be nothing
//!                   └─► Pending ─► poll ──┬─► Show       a suggestion fits now
//!                          ▲              ├─► Err(reason) the calls produced nothing, or the text changed
//!                          │              ├─► Call       no call fits: when it is due, calls begin
//!                          │              ├─► Siblings   explicit: one fits, the most likely may arrive within
//!                          │              │              SIBLING_TIMEOUT, or others on a repeated request
//!                          │              ├─► TakeOver   a model's suggestion replaces a prediction
//!                          │              └─► Wait       a call is growing
//!                          └── woken when one of its own calls grows or ends, or by the clock
//!
//! call ─► Growing ─┬─► Complete ─► continuation: Growing ─► Over
//!                  ├─► Nothing or Failed
//!                  └─► stopped: the typed text differs, the file is closed, or no request waits
//! ```
//!
//! [`start`] and [`pending`] are the upper state machine, whose states hold no lock; the session keeps the state of
//! the calls. A newer request for the same file aborts the pending one, and so does the editor's cancellation.

mod call;
mod commit;
mod pending;
mod start;

use futures_util::future::{AbortRegistration, Abortable, Aborted};
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

use super::edit_job::MODEL_CAUSE;
use crate::document::DocumentId;
use crate::job::{Job, Reason, SuppressionReason};
use crate::lsp::capabilities::ACCEPT;
use crate::lsp::convert;
use crate::lsp::progress::Cancelled;
use crate::lsp::protocol::{Command, InlineCompletion, InlineItem};
use crate::lsp::request_outcome::{Answered, PendingOutcome};
use crate::lsp::state::ServerState;
use crate::lsp::{recording, task};
use crate::route::Gear;
use crate::session::ghost::Source;
use pending::{CompletionAnswer, PendingRequest};
use start::StartedCompletion;

/// Answers a request for ghost text.
///
/// The answer is an error only if the server fails: if there is nothing to show, the list is empty, and the
/// reason is logged.
pub(in crate::lsp) async fn inline_completion(
    state: Arc<ServerState>,
    request: InlineCompletion,
) -> Result<Vec<InlineItem>> {
    let record = PendingOutcome::new(Job::Complete, request.position.line, request.is_invoked());
    let id = DocumentId::new(&request.text_document.uri);
    let mut is_provisional = false;
    let shown = match start::start(&state, &request) {
        Ok(StartedCompletion::Answered(shown)) => Ok(shown),
        Ok(StartedCompletion::Predicted(shown, pending, registration)) => {
            is_provisional = true;
            tokio::spawn(follow(state.clone(), id.clone(), pending, registration, record));
            Ok(shown)
        }
        Ok(StartedCompletion::Pending(pending, registration)) => {
            let work = Abortable::new(pending.answer(state.clone()), registration);
            // A fast model answers before a progress bar could be shown.
            match request.is_invoked() && state.serving.assist().is_slow() {
                true => task::run(watch(state.clone(), id.clone(), work)).await?,
                false => task::run(work).await?.unwrap_or(Err(Reason::Superseded)),
            }
        }
        Err(reason) => Err(reason),
    };
    state.related.refresh_if_moved(&id);
    {
        let mut session = state.session.lock();
        let outcome = shown.as_ref().map(|shown| {
            let source = shown.items.first().and_then(|item| session.feedback().source(item.id));
            source.map(Answered::from).unwrap_or_default().without(shown.also_refused.clone())
        });
        record.finish(&mut session, &id, outcome.map_err(Clone::clone));
    }
    let code = shown.as_ref().map_or_else(Reason::code, |_| "shown");
    recording::decided(&state, &id, request.position, record, code);
    match shown {
        Ok(shown) => {
            recording::ghost_text_shown(&state, &shown.document, &shown.items);
            look_ahead(&state, &id);
            Ok(items(shown, is_provisional))
        }
        Err(reason) => {
            report_nothing(&state, &reason);
            Ok(Vec::new())
        }
    }
}

/// Waits for an explicit request under a progress bar, which can cancel the request and its call.
async fn watch(
    state: Arc<ServerState>,
    id: DocumentId,
    work: Abortable<impl Future<Output = std::result::Result<CompletionAnswer, Reason>> + Send>,
) -> std::result::Result<CompletionAnswer, Reason> {
    match state.bars.watch("Ghost text".to_owned(), None, work).await {
        Ok(shown) => shown.unwrap_or(Err(Reason::Superseded)),
        Err(Cancelled) => {
            if let Some(mut ghost) = state.session.lock().ghost(&id) {
                ghost.stop_calls();
            }
            Err(Reason::Cancelled)
        }
    }
}

/// Lets a model be called while a prediction is on screen.
///
/// The editor is notified when the model's suggestion takes over; otherwise the reason is logged.
async fn follow(
    state: Arc<ServerState>,
    id: DocumentId,
    pending: Box<PendingRequest>,
    registration: AbortRegistration,
    record: PendingOutcome,
) {
    let version = pending.version();
    let followed = Abortable::new(pending.follow(state.clone()), registration).await;
    match followed {
        Ok(Ok(())) => state.editor.ghost_text_changed(id.as_str(), version),
        Ok(Err(Reason::Stale | Reason::Superseded)) | Err(Aborted) => {}
        Ok(Err(reason)) => {
            let shown = Answered::from(Source { gear: Gear::Local.to_string(), model: None });
            record.finish(&mut state.session.lock(), &id, Ok(shown.without(Some(reason))));
        }
    }
}

/// Begins a call for the continuation of the suggestion on screen, if the setting `speculate` is on.
fn look_ahead(state: &Arc<ServerState>, id: &DocumentId) {
    let eagerness = {
        let session = state.session.lock();
        let (Ok(snapshot), Ok(tracked)) = (session.snapshot(id), session.tracked(id)) else { return };
        let speculates = snapshot.settings.speculate && !commit::is_message(&snapshot);
        speculates.then(|| snapshot.settings.eagerness(tracked.language_id()))
    };
    if let Some(eagerness) = eagerness
        && state.serving.assist().has_model_of(Gear::Fast)
    {
        call::begin_continuation(state, id, eagerness);
    }
}

/// Converts the items to LSP.
///
/// They usually insert at the cursor, with an empty range, so that text behind the cursor stays readable
/// (Neovim draws a non-empty range over the text).
fn items(shown: CompletionAnswer, is_provisional: bool) -> Vec<InlineItem> {
    let CompletionAnswer { document, encoding, items, .. } = shown;
    let item = |item: crate::session::ghost::GhostText| InlineItem {
        range: convert::to_range(&document, &item.span, encoding),
        insert_text: item.text,
        command: Command::new("Accept", ACCEPT, &item.id),
        is_provisional,
    };
    items.into_iter().map(item).collect()
}

/// Logs why there is no ghost text, and warns the user if the model is too slow.
fn report_nothing(state: &Arc<ServerState>, reason: &Reason) {
    tracing::debug!(job = Job::Complete.name(), code = reason.code(), %reason, "nothing");
    if *reason == Reason::Quiet(SuppressionReason::IndicatorOnly) {
        state.status_changed.notify_one();
    }
    if *reason == Reason::Deadline {
        state.editor.warn_once(MODEL_CAUSE, format!("Tandem: no ghost text for now: {reason}"));
    }
}
