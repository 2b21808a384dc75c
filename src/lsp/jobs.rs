//! From a request to its answer: snapshot, work in a task, and what the session and the editor hear of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::{AbortHandle, AbortRegistration, Abortable};
use serde_json::json;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use super::backend::Shared;
use super::capabilities::{ACCEPT, REWRITE, REWRITE_KIND};
use super::wire::{self, CodeAction, Command, InlineItem, OfferData};
use super::{convert, parse, task};
use crate::assist::target::{self, Offer, Target};
use crate::assist::{Origin, Suggestion};
use crate::document::{Document, DocumentId};
use crate::edit::{Edit, rebase};
use crate::job::{Job, Outcome, Reason};
use crate::session::ghost::Ghost;
use crate::snapshot::Snapshot;

/// The first words of every action's title.
const TITLE: &str = "Tandem: ";
/// Characters of an instruction that a title shows.
const TITLE_LIMIT: usize = 60;

/// Ghost text. Never an error unless the server fails: where there is nothing to show, the list is empty, and the
/// reason goes to the log.
pub(super) async fn complete(
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
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
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

/// The code actions for a range: one for each instruction in a comment there. Asks no model.
pub(super) async fn offer(shared: &Arc<Shared>, request: wire::CodeActionRequest) -> Result<Vec<CodeAction>> {
    let wanted = request.context.only.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| covers(kind)));
    let id = DocumentId::new(&request.text_document.uri);
    let (snapshot, encoding) = {
        let session = shared.session();
        match session.snapshot(&id) {
            Ok(snapshot) if wanted => (snapshot, session.encoding()),
            _ => return Ok(Vec::new()),
        }
    };
    let editor = Arc::clone(shared);
    parsing(shared, snapshot.document, move |document| {
        let span = convert::span(document, request.range, encoding);
        // Editors ask with every move of the cursor, and nearly no file holds an instruction: no parse for those.
        let offers =
            if target::may_have_offers(document) { target::offers(document, span) } else { Vec::new() };
        offers.into_iter().map(|offer| action(&editor, document, offer, encoding)).collect()
    })
    .await
}

/// Runs work that parses a document, on the pool for such work. The tree stays with the document, so the session is
/// told to count it.
async fn parsing<T: Send + 'static>(
    shared: &Arc<Shared>,
    document: Arc<Document>,
    work: impl FnOnce(&Document) -> T + Send + 'static,
) -> Result<T> {
    let shared = Arc::clone(shared);
    task::run_blocking(move || {
        let done = work(&document);
        shared.session().note_parsed(document.id());
        done
    })
    .await
}

/// Whether an editor that asks for actions of this kind wants ours: kinds are prefixes, part by part.
fn covers(kind: &str) -> bool {
    kind.is_empty()
        || REWRITE_KIND.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn action(
    shared: &Shared,
    document: &Document,
    offer: Offer,
    encoding: crate::document::position::Encoding,
) -> CodeAction {
    let client = shared.client();
    let range = convert::to_range(document, &offer.target.span, encoding);
    let uri = document.id().as_str().to_owned();
    let short: String = offer.instruction.chars().take(TITLE_LIMIT).collect();
    let cut = if short.len() < offer.instruction.len() { "…" } else { "" };
    let title = format!("{TITLE}{short}{cut}");
    let mut action = CodeAction {
        title: title.clone(),
        kind: Some(REWRITE_KIND.to_owned()),
        // `CodeActionTag.LLMGenerated`.
        tags: if client.marks_generated { vec![1] } else { Vec::new() },
        edit: None,
        command: None,
        data: None,
    };
    if client.resolves_edits {
        let data = OfferData {
            uri,
            version: document.version(),
            instruction: offer.instruction,
            line: range.start.line,
        };
        action.data = Some(json!(data));
    } else {
        let text_document = wire::DocumentRef { uri, version: Some(document.version()) };
        let arguments = wire::RewriteArguments { text_document, range, instruction: offer.instruction };
        action.command =
            Some(Command { title, command: REWRITE.to_owned(), arguments: vec![json!(arguments)] });
    }
    action
}

/// Fills in an action's edit: asks the model now.
pub(super) async fn resolve(shared: &Arc<Shared>, mut action: CodeAction) -> Result<CodeAction> {
    let Some(data) = action.data.clone() else { return Ok(action) };
    let data: OfferData = serde_json::from_value(data)
        .map_err(|error| Error::invalid_params(format!("this code action is not Tandem's: {error}")))?;
    let id = DocumentId::new(&data.uri);
    let snapshot = shared.session().snapshot(&id).map_err(|reason| failure(Job::Rewrite, &reason))?;
    let shared = Arc::clone(shared);
    let (resolved, _) = task::run(async move {
        let document = Arc::clone(&snapshot.document);
        let offers = parsing(&shared, document, target::all_offers).await?;
        let offer = still_offered(&snapshot.document, offers, &data)
            .ok_or_else(|| failure(Job::Rewrite, &Reason::Stale))?;
        rewrite(&shared, &snapshot, &offer.target, &offer.instruction).await
    })
    .await??;
    action.edit = Some(resolved);
    Ok(action)
}

/// The offer that an action was made from: at its line if the document is the same, else the only one with its words.
fn still_offered(document: &Document, offers: Vec<Offer>, data: &OfferData) -> Option<Offer> {
    let line = |offer: &Offer| document.text().byte_to_line(offer.target.span.start);
    let mut same = offers.into_iter().filter(|offer| offer.instruction == data.instruction);
    if document.version() == data.version {
        return same.find(|offer| line(offer) == data.line as usize);
    }
    let only = same.next()?;
    same.next().is_none().then_some(only)
}

/// `tandem.rewrite`: rewrites a range as told and has the editor apply the result.
pub(super) async fn rewrite_command(
    shared: &Arc<Shared>,
    arguments: wire::RewriteArguments,
) -> Result<serde_json::Value> {
    let id = DocumentId::new(&arguments.text_document.uri);
    let (snapshot, encoding) = {
        let session = shared.session();
        let snapshot = session.snapshot(&id).map_err(|reason| failure(Job::Rewrite, &reason))?;
        (snapshot, session.encoding())
    };
    if !shared.client().applies_edits {
        return Err(Error::invalid_params(
            "this editor does not apply edits; use the code action of an `ai:` comment",
        ));
    }
    let instruction = arguments.instruction.trim().to_owned();
    if instruction.is_empty() {
        return Err(Error::invalid_params("`instruction` is empty: say what is to be done with the range"));
    }
    if arguments.text_document.version.is_some_and(|version| version != snapshot.document.version()) {
        return Err(failure(Job::Rewrite, &Reason::Stale));
    }
    let shared = Arc::clone(shared);
    task::run(async move {
        let document = Arc::clone(&snapshot.document);
        let words = instruction.clone();
        let target = parsing(&shared, document, move |document| {
            let span = convert::span(document, arguments.range, encoding);
            // The comment that holds the instruction is no part of the code.
            let offers = target::offers(document, span.clone());
            let offered = offers.into_iter().find(|offer| offer.instruction == words);
            offered.map_or_else(|| target::of_range(document, span), |offer| offer.target)
        })
        .await?;
        let (edit, origin) = rewrite(&shared, &snapshot, &target, &instruction).await?;
        shared.editor.apply(format!("{TITLE}{instruction}"), edit);
        Ok(json!({ "gear": origin.gear.to_string(), "model": origin.model }))
    })
    .await?
}

/// Rewrites a target and carries the edits over what was typed meanwhile.
async fn rewrite(
    shared: &Arc<Shared>,
    snapshot: &Snapshot,
    target: &Target,
    instruction: &str,
) -> Result<(wire::WorkspaceEdit, Origin)> {
    let rewrite = match shared.assist().rewrite(snapshot, target, instruction).await {
        Outcome::Done(rewrite) => rewrite,
        Outcome::Nothing(reason) => return Err(failure(Job::Rewrite, &reason)),
    };
    shared.editor.recovered(MODEL_CAUSE);
    log_origin(Job::Rewrite, &rewrite.origin);
    let (current, edits) =
        carry(shared, &snapshot.document, rewrite.edits).map_err(|reason| failure(Job::Rewrite, &reason))?;
    Ok((convert::workspace_edit(&current, &edits, shared.client()), rewrite.origin))
}

/// The edits as edits of the current version.
fn carry(
    shared: &Shared,
    made_for: &Document,
    mut edits: Vec<Edit>,
) -> std::result::Result<(Arc<Document>, Vec<Edit>), Reason> {
    let (current, since) = {
        let session = shared.session();
        let current = Arc::clone(session.tracked(made_for.id())?.document());
        (current, session.changes_since(made_for).ok_or(Reason::Stale)?)
    };
    for splice in since {
        edits = rebase::over(&edits, &[convert::to_edit(splice)])
            .map_err(|conflict| Reason::Refused { code: conflict.code(), why: conflict.to_string() })?;
    }
    Ok((current, edits))
}

/// The cause under which a model's failures are shown, once until it answers again.
const MODEL_CAUSE: &str = "model";

/// Notes why there is no ghost text.
fn nothing(shared: &Shared, job: Job, reason: &Reason) -> Vec<InlineItem> {
    tracing::debug!(job = job.name(), code = reason.code(), %reason, "nothing");
    if matches!(reason, Reason::Model(_) | Reason::Deadline) {
        shared.editor.warn_once(MODEL_CAUSE, format!("Tandem: no ghost text for now: {reason}"));
    }
    Vec::new()
}

/// A request that the user made and that came to nothing: an error with one sentence to act on.
fn failure(job: Job, reason: &Reason) -> Error {
    tracing::debug!(job = job.name(), code = reason.code(), %reason, "nothing");
    let code = match reason {
        // LSP 3.18: `ContentModified`, `RequestFailed`.
        Reason::Stale | Reason::Refused { code: "rebase-overlap" | "rebase-touch", .. } => -32801,
        Reason::Internal => -32603,
        _ => -32803,
    };
    Error {
        code: ErrorCode::ServerError(code),
        message: format!("Tandem: {reason}").into(),
        data: Some(json!({ "reason": reason.code() })),
    }
}

fn log_origin(job: Job, origin: &Origin) {
    tracing::debug!(
        job = job.name(),
        gear = %origin.gear,
        model = origin.model.as_deref().unwrap_or("none"),
        input_tokens = origin.usage.input_tokens,
        cached_tokens = origin.usage.cached_tokens,
        output_tokens = origin.usage.output_tokens,
        "answered"
    );
}
