//! The next edit: `tandem/nextEdit`, and `textDocument/copilotInlineEdit` for clients that know that.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, AbortRegistration, Abortable};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tower_lsp::jsonrpc::Result;

use super::super::backend::Shared;
use super::super::capabilities::ACCEPT;
use super::super::wire::{self, Command};
use super::super::{convert, status, task};
use super::log_origin;
use crate::assist::Situation;
use crate::config::Eagerness;
use crate::document::DocumentId;
use crate::job::{Job, Outcome, Quiet, Reason};
use crate::session::ghost::{Maker, policy};
use crate::session::next_edit::NextEdit;
use crate::session::{Decision, Session};

/// Other open files in which the next edit may be, at most.
const ELSEWHERE: usize = 16;

/// Which files a client takes next edits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lsp) enum Reach {
    /// The one that it asks about.
    Own,
    /// Any that is open.
    All,
}

/// The edit to show next, or an empty list. Never an error unless the server fails.
pub(in crate::lsp) async fn next_edit(
    shared: &Arc<Shared>,
    request: wire::NextEditRequest,
    reach: Reach,
) -> Result<wire::NextEdits> {
    let id = DocumentId::new(&request.text_document.uri);
    let started = Instant::now();
    let outcome = answer(shared, &id, &request, reach, started).await?;
    let decision = Decision {
        at: status::now(),
        line: request.position.line,
        job: Job::NextEdit,
        invoked: request.is_invoked(),
        nothing: outcome.as_ref().err().cloned(),
        route: None,
        gear: outcome.as_ref().ok().map(|(_, maker)| maker.gear.clone()),
        model: outcome.as_ref().ok().and_then(|(_, maker)| maker.model.clone()),
        milliseconds: status::milliseconds(started.elapsed()),
    };
    shared.session().decide(&id, decision);
    let edits = match outcome {
        Ok((edit, _)) => vec![edit],
        Err(reason) => {
            tracing::debug!(job = Job::NextEdit.name(), code = reason.code(), %reason, "nothing");
            Vec::new()
        }
    };
    Ok(wire::NextEdits { edits })
}

/// The edit and who made it, or why there is none.
async fn answer(
    shared: &Arc<Shared>,
    id: &DocumentId,
    request: &wire::NextEditRequest,
    reach: Reach,
    now: Instant,
) -> Result<std::result::Result<Shown, Reason>> {
    let (situation, registration, wait) = match begin(shared, id, request, reach, now.into_std()) {
        Ok(Begun::Waiting(shown)) => return Ok(Ok(*shown)),
        Ok(Begun::Asked { situation, registration, wait }) => (situation, registration, wait),
        Err(reason) => return Ok(Err(reason)),
    };
    let (first, known) = oneshot::channel();
    let shared_too = Arc::clone(shared);
    let work = async move {
        tokio::time::sleep(wait).await;
        let document = &situation.snapshot.document;
        if shared_too.session().begin_search(document, Instant::now().into_std()) {
            search(shared_too, situation, first).await;
        } else {
            // Nobody listens if the request was cancelled just now.
            first.send(Err(Reason::Stale)).ok();
        }
    };
    let work = async move {
        // Stopped by a newer search, or by the end of the file: `first` is dropped then.
        Abortable::new(work, registration).await.ok();
    };
    let found = task::until_known(work, known).await?.unwrap_or(Err(Reason::Superseded));
    Ok(found.and_then(|()| {
        let session = shared.session();
        waiting(&session, id, reach)?.ok_or(Reason::Stale)
    }))
}

/// An edit as the editor takes it, and who made it.
type Shown = (wire::NextEdit, Maker);

/// How a request begins.
enum Begun {
    /// One waits to be shown: from the answer before, or carried over what was typed.
    Waiting(Box<Shown>),
    /// It has to be searched for.
    Asked { situation: Arc<Situation>, registration: AbortRegistration, wait: Duration },
}

/// Everything that must see the session as it was when the request came: under one lock, with no wait.
fn begin(
    shared: &Shared,
    id: &DocumentId,
    request: &wire::NextEditRequest,
    reach: Reach,
    now: std::time::Instant,
) -> std::result::Result<Begun, Reason> {
    let (handle, registration) = AbortHandle::new_pair();
    let mut session = shared.session();
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
        return Err(Reason::Quiet(Quiet::Language));
    }
    if !settings.next_edit(language) && !is_invoked {
        return Err(Reason::Off);
    }
    if let Some(shown) = waiting(&session, id, reach)? {
        return Ok(Begun::Waiting(Box::new(shown)));
    }
    let cursor = convert::byte(document, request.position, session.encoding());
    let line = document.text().byte_to_line(cursor);
    let steps = session.steps(id);
    let problems = session.problems_near(id, cursor);
    if is_invoked {
        if steps.is_empty() && problems.is_empty() {
            return Err(Reason::NothingDone);
        }
    } else {
        if session.snoozed(now).is_some() {
            return Err(Reason::Snoozed);
        }
        if settings.indicator_only {
            return Err(Reason::Quiet(Quiet::IndicatorOnly));
        }
        if session.is_cooling_down(now) {
            return Err(Reason::Quiet(Quiet::CoolDown));
        }
        if session.ends_in_undo(id) {
            return Err(Reason::Quiet(Quiet::Undone));
        }
        if steps.last().is_none_or(|step| now.duration_since(step.ended) > recent(eagerness)) {
            return Err(Reason::NothingDone);
        }
        if session.knows_no_next_edit(document, line) {
            return Err(Reason::NothingToAdd);
        }
    }
    let apart = session.search(id, handle, now);
    // Somebody who is typing is about to change what it would be for; who took an edit wants the next one.
    let is_typing = !is_invoked && !steps.last().is_some_and(|step| step.is_accepted);
    let pause = if is_typing { policy::pause(&session.habits(id, now)) } else { Duration::ZERO };
    let elsewhere = if reach == Reach::All { session.elsewhere(id, ELSEWHERE) } else { Vec::new() };
    let situation = Situation { snapshot, cursor, steps, problems, eagerness, is_invoked, elsewhere };
    Ok(Begun::Asked { situation: Arc::new(situation), registration, wait: pause.max(apart) })
}

/// How long ago a step may be, for something to follow from it unasked.
fn recent(eagerness: Eagerness) -> Duration {
    match eagerness {
        Eagerness::Low => Duration::from_secs(15),
        Eagerness::Medium => Duration::from_secs(60),
        Eagerness::High => Duration::from_secs(10 * 60),
    }
}

/// Searches, and puts what is found into the session. `first` hears of the first that can be shown, or why there is
/// none.
async fn search(
    shared: Arc<Shared>,
    situation: Arc<Situation>,
    first: oneshot::Sender<std::result::Result<(), Reason>>,
) {
    let document = Arc::clone(&situation.snapshot.document);
    let cursor_line = document.text().byte_to_line(situation.cursor);
    let mut first = Some(first);
    let mut more = false;
    let found = |hunks: Vec<crate::assist::Hunk>| {
        let Some(of) = hunks.first().map(|hunk| Arc::clone(&hunk.document)) else { return false };
        let edits = hunks.into_iter().map(|hunk| NextEdit {
            id: shared.next_id(),
            edit: hunk.edit,
            old: hunk.old,
            repeats: hunk.repeats,
            maker: Maker { gear: hunk.gear.to_string(), model: shared.assist().model_name(hunk.gear) },
        });
        let edits = edits.collect();
        let mut session = shared.session();
        session.offer_next_edits(&of, edits, more);
        more = true;
        let any = session.next_edit(of.id()).is_some();
        if any && of.id() != document.id() {
            session.lead_elsewhere(document.id(), of.id());
        }
        drop(session);
        if any && let Some(first) = first.take() {
            // Nobody listens if the request was cancelled just now.
            first.send(Ok(())).ok();
        }
        any
    };
    let outcome = shared.assist().next_edit(Arc::clone(&situation), found).await;
    shared.session().note_parsed(document.id());
    match outcome {
        Outcome::Done(origin) => log_origin(Job::NextEdit, &origin),
        Outcome::Nothing(reason) => {
            // A model that could not be asked may answer the next time.
            if matches!(reason, Reason::NothingToAdd | Reason::Unchanged | Reason::Refused { .. }) {
                shared.session().note_no_next_edit(&document, cursor_line);
            }
            if let Some(first) = first.take() {
                first.send(Err(reason)).ok();
            }
        }
    }
}

/// The edit that waits in a file, or where what was done in it leads to, as the editor takes it.
fn waiting(session: &Session, id: &DocumentId, reach: Reach) -> std::result::Result<Option<Shown>, Reason> {
    session.tracked(id)?;
    let elsewhere = || (reach == Reach::All).then(|| session.next_edit_elsewhere(id)).flatten();
    let own = session.next_edit(id).map(|_| id);
    let Some(id) = own.or_else(elsewhere) else { return Ok(None) };
    let document = session.tracked(id)?.document();
    let Some(next) = session.next_edit(id) else { return Ok(None) };
    let edit = wire::NextEdit {
        id: next.id,
        text: next.edit.text.clone(),
        range: convert::to_range(document, &next.edit.span, session.encoding()),
        text_document: wire::DocumentRef { uri: id.as_str().to_owned(), version: Some(document.version()) },
        command: Command {
            title: "Accept".to_owned(),
            command: ACCEPT.to_owned(),
            arguments: vec![json!(next.id)],
        },
    };
    Ok(Some((edit, next.maker.clone())))
}
