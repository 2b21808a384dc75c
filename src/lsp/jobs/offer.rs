//! Code actions: one for each instruction in a comment, and the quick fixes. Listing them asks no model; resolving one does.

use std::sync::Arc;

use serde_json::json;
use tower_lsp::jsonrpc::{Error, Result};

use super::super::backend::Shared;
use super::super::capabilities::{FIX_KIND, REWRITE, REWRITE_KIND};
use super::super::wire::{self, ActionData, CodeAction, Command, OfferData};
use super::super::{convert, task};
use super::rewrite::rewrite;
use super::{TITLE, failure, fix, parsing};
use crate::assist::target::{self, Offer};
use crate::document::{Document, DocumentId};
use crate::job::{Job, Reason};
use crate::text::printable;

/// Characters of an instruction that a title shows.
const TITLE_LIMIT: usize = 60;

/// The code actions for a range: one for each instruction in a comment there, and for each diagnostic that comes with
/// the request. Asks no model.
pub(in crate::lsp) async fn offer(
    shared: &Arc<Shared>,
    request: wire::CodeActionRequest,
) -> Result<Vec<CodeAction>> {
    let wants = |ours: &str| {
        request.context.only.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| covers(kind, ours)))
    };
    let wants_rewrites = wants(REWRITE_KIND);
    let wants_fixes = wants(FIX_KIND) && !request.context.diagnostics.is_empty();
    let id = DocumentId::new(&request.text_document.uri);
    let (snapshot, context) = {
        let session = shared.session();
        let Ok(snapshot) = session.snapshot(&id) else { return Ok(Vec::new()) };
        if !wants_rewrites && !wants_fixes {
            return Ok(Vec::new());
        }
        let others = if wants_fixes { session.others(&id) } else { Vec::new() };
        let folders = session.folders().to_vec();
        (snapshot, fix::Context { encoding: session.encoding(), others, folders })
    };
    let editor = Arc::clone(shared);
    parsing(shared, snapshot.document, move |document| {
        let encoding = context.encoding;
        let span = convert::span(document, request.range, encoding);
        // Editors ask with every move of the cursor, and nearly no file holds an instruction: no parse for those.
        let has_offers = wants_rewrites && target::may_have_offers(document);
        let offers = if has_offers { target::offers(document, span) } else { Vec::new() };
        let mut actions: Vec<CodeAction> =
            offers.into_iter().map(|offer| action(&editor, document, offer, encoding)).collect();
        if wants_fixes {
            actions.extend(fix::offers(&editor, document, &request.context.diagnostics, &context));
        }
        actions
    })
    .await
}

/// Whether an editor that asks for actions of this kind wants ours: kinds are prefixes, part by part.
fn covers(kind: &str, ours: &str) -> bool {
    kind.is_empty() || ours.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
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
    let title = format!("{TITLE}{}{cut}", printable(&short));
    let mut action = CodeAction {
        kind: Some(REWRITE_KIND.to_owned()),
        // `CodeActionTag.LLMGenerated`.
        tags: if client.marks_generated { vec![1] } else { Vec::new() },
        ..CodeAction::new(title.clone())
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
        let arguments = wire::RewriteArguments::new(text_document, range, offer.instruction);
        action.command =
            Some(Command { title, command: REWRITE.to_owned(), arguments: vec![json!(arguments)] });
    }
    action
}

/// Fills in an action's edit: asks the model now.
pub(in crate::lsp) async fn resolve(shared: &Arc<Shared>, mut action: CodeAction) -> Result<CodeAction> {
    let Some(data) = action.data.clone() else { return Ok(action) };
    let data: ActionData = serde_json::from_value(data)
        .map_err(|error| Error::invalid_params(format!("this code action is not Tandem's: {error}")))?;
    let data = match data {
        ActionData::Fix(data) => return fix::resolve(shared, action, data).await,
        ActionData::Instruct(data) => data,
    };
    let id = DocumentId::new(&data.uri);
    let snapshot = shared.session().snapshot(&id).map_err(|reason| failure(Job::Rewrite, &reason))?;
    let shared = Arc::clone(shared);
    let resolved = task::run(async move {
        let document = Arc::clone(&snapshot.document);
        let offers = parsing(&shared, document, target::all_offers).await?;
        let offer = still_offered(&snapshot.document, offers, &data)
            .ok_or_else(|| failure(Job::Rewrite, &Reason::Stale))?;
        rewrite(&shared, &snapshot, &offer.target, &offer.instruction, None, None).await
    })
    .await??;
    action.edit = Some(resolved.edit);
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
