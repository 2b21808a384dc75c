//! Ghost text: `textDocument/inlineCompletion`.

use std::sync::Arc;

use futures_util::future::{AbortHandle, AbortRegistration, Abortable};
use serde_json::json;
use tower_lsp::jsonrpc::Result;

use super::super::backend::Shared;
use super::super::capabilities::ACCEPT;
use super::super::wire::{self, Command, InlineItem};
use super::super::{convert, parse, task};
use super::{MODEL_CAUSE, log_origin};
use crate::assist::Suggestion;
use crate::document::{Document, DocumentId};
use crate::job::{Job, Outcome, Reason};
use crate::session::ghost::Ghost;
use crate::snapshot::Snapshot;

/// Ghost text. Never an error unless the server fails: where there is nothing to show, the list is empty, and the
/// reason goes to the log.
pub(in crate::lsp) async fn complete(
    shared: &Arc<Shared>,
    request: wire::InlineCompletion,
) -> Result<Vec<InlineItem>> {
    let (snapshot, cursor, registration) = match begin_completion(shared, &request) {
        Ok(Begun::Shown(item)) => return Ok(vec![item]),
        Ok(Begun::Asked { snapshot, cursor, registration }) => (snapshot, cursor, registration),
        Err(reason) => return Ok(nothing(shared, Job::Complete, &reason)),
    };
    let work = {
        let shared = Arc::clone(shared);
        async move {
            match shared.assist().complete(&snapshot, cursor).await {
                Outcome::Done(suggestion) => show(&shared, &snapshot.document, cursor, suggestion),
                Outcome::Nothing(reason) => Err(reason),
            }
        }
    };
    let shown = match task::run(Abortable::new(work, registration)).await? {
        Ok(shown) => shown,
        Err(_) => Err(Reason::Superseded),
    };
    Ok(shown.map_or_else(|reason| nothing(shared, Job::Complete, &reason), |item| vec![item]))
}

/// How a request for ghost text begins.
enum Begun {
    /// The user is typing what is on screen: this is left of it.
    Shown(InlineItem),
    /// A model, or the local engine, has to be asked.
    Asked { snapshot: Snapshot, cursor: usize, registration: AbortRegistration },
}

/// Everything that must see the session as it was when the request came: under one lock, with no wait.
fn begin_completion(
    shared: &Arc<Shared>,
    request: &wire::InlineCompletion,
) -> std::result::Result<Begun, Reason> {
    let id = DocumentId::new(&request.text_document.uri);
    let (handle, registration) = AbortHandle::new_pair();
    let mut session = shared.session();
    let snapshot = session.snapshot(&id)?;
    let document = &snapshot.document;
    if request.text_document.version.is_some_and(|version| version != document.version()) {
        return Err(Reason::Stale);
    }
    let encoding = session.encoding();
    let cursor = convert::byte(document, request.position, encoding);
    if let Some((ghost, rest)) = session.ghost(&id, cursor) {
        return Ok(Begun::Shown(item(document, cursor, ghost, rest.to_owned(), encoding)));
    }
    session.supersede(&id, handle);
    drop(session);
    parse::schedule(shared, &id);
    Ok(Begun::Asked { snapshot, cursor, registration })
}

/// Puts a suggestion on screen, unless the document has moved on. Then it may still serve the next request.
fn show(
    shared: &Shared,
    document: &Document,
    cursor: usize,
    suggestion: Suggestion,
) -> std::result::Result<InlineItem, Reason> {
    let id = shared.next_id();
    shared.editor.recovered(MODEL_CAUSE);
    log_origin(Job::Complete, &suggestion.origin);
    let ghost = Ghost::new(id, cursor, document.line_start(cursor), suggestion.text.clone());
    let mut session = shared.session();
    let encoding = session.encoding();
    let current = session.show(document, ghost);
    drop(session);
    current.then(|| item(document, cursor, id, suggestion.text, encoding)).ok_or(Reason::Stale)
}

/// An item that inserts at the cursor. Its range is empty, so that text behind the cursor stays readable (Neovim draws
/// a range that is not empty over the text).
fn item(
    document: &Document,
    cursor: usize,
    ghost: u64,
    text: String,
    encoding: crate::document::position::Encoding,
) -> InlineItem {
    let at = convert::to_position(document, cursor, encoding);
    InlineItem {
        insert_text: text,
        range: wire::Range { start: at, end: at },
        command: Command {
            title: "Accept".to_owned(),
            command: ACCEPT.to_owned(),
            arguments: vec![json!(ghost)],
        },
    }
}

/// Notes why there is no ghost text.
fn nothing(shared: &Shared, job: Job, reason: &Reason) -> Vec<InlineItem> {
    tracing::debug!(job = job.name(), code = reason.code(), %reason, "nothing");
    if matches!(reason, Reason::Model(_) | Reason::Deadline) {
        shared.editor.warn_once(MODEL_CAUSE, format!("Tandem: no ghost text for now: {reason}"));
    }
    Vec::new()
}
