//! `tandem/nextEdit`, and its alias `textDocument/copilotInlineEdit`.

mod left;
mod options;
mod params;
mod queued;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, AbortRegistration, Abortable};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tower_lsp::jsonrpc::Result;

use crate::assist::{NextEditParams, SuggestedEdit};
use crate::config::{Eagerness, Settings};
use crate::document::{Document, DocumentId};
use crate::job::{Job, Reason, SuppressionReason};
use crate::lsp::protocol::{self, NextEditRequest};
use crate::lsp::request_outcome::{Answered, PendingOutcome};
use crate::lsp::state::ServerState;
use crate::lsp::{convert, recording, task};
use crate::session::Session;
use crate::session::ghost::trigger;
use crate::snapshot::RecentEdit;
use options::Asked;
use params::params;
use queued::{QueuedEdits, queue, queued, restore};

pub(in crate::lsp) use options::Reach;

/// Returns the edit to show next, or an empty list. The answer is an error only if the server fails.
pub(in crate::lsp) async fn next_edit(
    state: Arc<ServerState>,
    request: NextEditRequest,
    reach: Reach,
) -> Result<protocol::NextEdits> {
    let asked = Asked { state: &state, id: DocumentId::new(&request.text_document.uri), request, reach };
    let Asked { id, request, .. } = &asked;
    let record = PendingOutcome::new(Job::NextEdit, request.position.line, request.is_invoked());
    // The search logs a refusal only after these edits are logged.
    let (shown, _logged) = answer(&asked, record).await?;
    let outcome = shown.as_ref().map(|shown| Answered::from(shown.source.clone())).map_err(Clone::clone);
    record.finish(&mut state.session.lock(), id, outcome);
    let code = shown.as_ref().map_or_else(Reason::code, |_| "shown");
    recording::decided(&state, id, request.position, record, code);
    let is_end = match &shown {
        Ok(shown) => shown.is_last_there,
        Err(reason) => reason.is_lasting(),
    };
    let edits = match shown {
        Ok(shown) => {
            recording::next_edits_shown(&state, &shown.edits, &shown.source);
            shown.edits
        }
        Err(reason) => {
            tracing::debug!(job = Job::NextEdit.name(), code = reason.code(), %reason, "nothing");
            Vec::new()
        }
    };
    let left = if is_end { left::left(&asked, &edits).await } else { None };
    Ok(protocol::NextEdits { edits, left })
}

/// Dropped once the answer of a search is logged.
type LoggedGuard = Option<oneshot::Sender<()>>;

/// The edits, or the reason why there are none.
async fn answer(
    asked: &Asked<'_>,
    record: PendingOutcome,
) -> Result<(std::result::Result<QueuedEdits, Reason>, LoggedGuard)> {
    let (params, registration, delay) = match start(asked, record.started.into_std()) {
        Ok(StartedSearch::Queued(shown)) => return Ok((Ok(shown), None)),
        Ok(StartedSearch::Search { params, registration, delay }) => (params, registration, delay),
        Err(reason) => return Ok((Err(reason), None)),
    };
    let (first, known) = oneshot::channel();
    let (guard, logged) = oneshot::channel();
    let (searching, searched) = (asked.state.clone(), asked.id.clone());
    let work = async move {
        tokio::time::sleep(delay).await;
        let document = &params.snapshot.document;
        let now = Instant::now().into_std();
        let is_current = {
            let mut session = searching.session.lock();
            session.next_edits(document.id()).is_some_and(|mut edits| edits.begin_search(document, now))
        };
        if is_current {
            let refused = search(&searching, params, first).await;
            if let Some(answered) = refused {
                // An error also means that the answer is logged or never will be.
                logged.await.ok();
                record.finish(&mut searching.session.lock(), &searched, Ok(answered));
            }
        } else {
            // The receiver is gone if the request was cancelled just now.
            first.send(Err(Reason::Stale)).ok();
        }
    };
    let work = async move {
        // Stopped by a newer search or when the file is closed: `first` is then dropped.
        Abortable::new(work, registration).await.ok();
    };
    let found = task::until_known(work, known).await?.unwrap_or(Err(Reason::Superseded));
    let shown = found.and_then(|()| {
        let session = asked.state.session.lock();
        queued(&session, asked)?.ok_or(Reason::Stale)
    });
    Ok((shown, Some(guard)))
}

/// The way a request starts.
enum StartedSearch {
    /// An edit is queued: from the last search, or rebased over the typed text.
    Queued(QueuedEdits),
    /// A search is needed, after a delay.
    Search { params: Arc<NextEditParams>, registration: AbortRegistration, delay: Duration },
}

/// Reads the state of the session as the request arrives.
///
/// It takes one lock and does not wait.
fn start(asked: &Asked<'_>, now: std::time::Instant) -> std::result::Result<StartedSearch, Reason> {
    let Asked { state, id, request, reach } = asked;
    let (handle, registration) = AbortHandle::new_pair();
    let mut session = state.session.lock();
    let snapshot = session.snapshot(id)?;
    let document = &snapshot.document;
    if request.text_document.version.is_some_and(|version| version != document.version()) {
        return Err(Reason::Stale);
    }
    let language = session.tracked(id)?.language_id();
    let settings = &snapshot.settings;
    let is_invoked = request.is_invoked();
    let eagerness = settings.eagerness(language);
    if !settings.is_enabled(language) {
        return Err(Reason::Quiet(SuppressionReason::Language));
    }
    if !settings.next_edit(language) && !is_invoked {
        return Err(Reason::Off);
    }
    if request.wants_dismissed() && !restore(&mut session, id, *reach) {
        return Err(Reason::NothingDismissed);
    }
    if let Some(shown) = queued(&session, asked)? {
        return Ok(StartedSearch::Queued(shown));
    }
    let cursor = convert::byte(document, request.position, session.encoding());
    let recent_edits = session.recent_edits(id);
    // An explicit request covers everything that the file needs, typed or not.
    if !is_invoked {
        let last = recent_edits.last().map(Arc::as_ref);
        is_wanted(&mut session, document, settings, last, eagerness, cursor, now)?;
    }
    // The user is likely to type on and make the edit useless, except after accepting an edit: then the next
    // one is wanted.
    let is_typing = !is_invoked && !recent_edits.last().is_some_and(|step| step.is_accepted);
    let pause = if is_typing { trigger::until_pause(&session.activity(id, now)) } else { Duration::ZERO };
    let params = params(&session, asked, (snapshot, recent_edits))?;
    let interval = session.tracked_mut(id)?.next_edits().replace_search(handle, now);
    Ok(StartedSearch::Search { params: Arc::new(params), registration, delay: pause.max(interval) })
}

/// Whether an automatic search is wanted now; the error is the reason why not.
fn is_wanted(
    session: &mut Session,
    document: &Document,
    settings: &Settings,
    last: Option<&RecentEdit>,
    eagerness: Eagerness,
    cursor: usize,
    now: std::time::Instant,
) -> std::result::Result<(), Reason> {
    let id = document.id();
    if session.user().snoozed(now).is_some() {
        return Err(Reason::Snoozed);
    }
    if settings.indicator_only {
        return Err(Reason::Quiet(SuppressionReason::IndicatorOnly));
    }
    if session.user().rejected_recently(eagerness, now) {
        return Err(Reason::Quiet(SuppressionReason::CoolDown));
    }
    if session.ends_in_undo(id) && !session.ends_in_redo(id) {
        return Err(Reason::Quiet(SuppressionReason::Undone));
    }
    if last.is_none_or(|last| now.duration_since(last.ended) > max_age(eagerness)) {
        return Err(Reason::NothingDone);
    }
    let line = document.text().byte_to_line(cursor);
    if session.next_edits(id).is_some_and(|edits| edits.found_nothing(document, line)) {
        return Err(Reason::NothingFollows);
    }
    Ok(())
}

/// The maximum age of the last edit for an automatic search.
fn max_age(eagerness: Eagerness) -> Duration {
    match eagerness {
        Eagerness::Low => Duration::from_secs(15),
        Eagerness::Medium => Duration::from_secs(60),
        Eagerness::High => Duration::from_secs(10 * 60),
    }
}

/// Searches, and queues the edits found.
///
/// `first` receives whether there is a first edit to show, or the reason why not. Returns the gear that
/// answered, if something else was refused alongside.
async fn search(
    state: &Arc<ServerState>,
    params: Arc<NextEditParams>,
    first: oneshot::Sender<std::result::Result<(), Reason>>,
) -> Option<Answered> {
    let document = Arc::clone(&params.snapshot.document);
    let cursor_line = document.text().byte_to_line(params.cursor);
    let mut first = Some(first);
    let mut append = false;
    let assist = state.serving.assist();
    let found = |edits: Vec<SuggestedEdit>| {
        let has_edit = queue(state, &document, edits, append);
        append = true;
        if has_edit && let Some(first) = first.take() {
            // The receiver is gone if the request was cancelled just now.
            first.send(Ok(())).ok();
        }
        has_edit
    };
    // The future takes kilobytes, and would be copied with all futures that contain it.
    let outcome = Box::pin(assist.next_edit(Arc::clone(&params), found)).await;
    state.session.lock().keep_tree(document.id(), Instant::now().into_std());
    let reason = match outcome {
        Ok((origin, also_refused)) => {
            return also_refused
                .filter(Answered::is_told)
                .map(|it| Answered::from(&origin).without(Some(it)));
        }
        Err(reason) => reason,
    };
    // After any other reason, the next search may find something.
    if reason.is_lasting()
        && let Some(mut edits) = state.session.lock().next_edits(document.id())
    {
        edits.note_nothing(&document, cursor_line);
    }
    if let Some(first) = first.take() {
        first.send(Err(reason)).ok();
    }
    None
}
