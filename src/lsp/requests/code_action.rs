//! `textDocument/codeAction`: instructions in comments, and quick fixes.
//!
//! Listing them calls no model.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tower_lsp::jsonrpc::Result;

use super::ask;
use super::edit_job::EditJobs;
use super::title::{shortened, title};
use super::{fix_all, pair, quick_fix};
use crate::assist::own_fixes;
use crate::assist::target::{self, Instruction};
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::lsp::capabilities::{ASK_KIND, Client, FIX_ALL_KIND, FIX_KIND, PLAN, REWRITE, REWRITE_KIND};
use crate::lsp::convert;
use crate::lsp::limits::FIXED_AT_SAVE;
use crate::lsp::prepared_fixes::{FixWork, Trial, exchanged};
use crate::lsp::protocol::{
    CodeAction, CodeActionRequest, Command, DocumentRef, OfferData, PlanArguments, Range, RewriteArguments,
};
use crate::route::Gear;

/// `CodeActionTriggerKind.Invoked`: the user asked for actions.
const INVOKED: u32 = 1;

/// The code actions for a range.
pub(in crate::lsp) async fn code_actions(
    jobs: EditJobs,
    request: CodeActionRequest,
) -> Result<Vec<CodeAction>> {
    let wants = |ours: &str| {
        request.context.only.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| covers(kind, ours)))
    };
    let wants_rewrites = wants(REWRITE_KIND);
    // Every name has one, so they are listed only when they are asked for.
    let is_asked = request.context.only.is_some() || request.context.trigger_kind == Some(INVOKED);
    let wants_places = is_asked && wants(ASK_KIND);
    let wants_fixes = wants(FIX_KIND) && !request.context.diagnostics.is_empty();
    // They are about selected code.
    let wants_jobs = is_asked && request.range.start != request.range.end;
    // What no tool reports is looked for where the user asks.
    let wants_own = is_asked && wants(FIX_KIND) && request.context.diagnostics.is_empty();
    // An action on the whole file is listed where such are asked for, and not with every move of the cursor.
    let wants_all = request.context.only.is_some() && wants(FIX_ALL_KIND);
    let is_own_kind = request.context.only.iter().flatten().any(|kind| kind == FIX_ALL_KIND);
    let id = DocumentId::new(&request.text_document.uri);
    let assist = jobs.serving.assist();
    let has_model = [Gear::Fast, Gear::Deep].iter().any(|gear| assist.model_name(*gear).is_some());
    let client = jobs.client.get().clone();
    let (snapshot, hints, context, setback, path) = {
        let session = jobs.session.lock();
        let Ok(snapshot) = session.snapshot(&id) else { return Ok(Vec::new()) };
        let wants_any =
            [wants_rewrites, wants_fixes, wants_own, wants_all, wants_places, wants_jobs].contains(&true);
        if !wants_any {
            return Ok(Vec::new());
        }
        let others = if wants_fixes || wants_all { session.other_documents(&id) } else { Vec::new() };
        let (encoding, folders) = (session.encoding(), session.folders().to_vec());
        let mut listing =
            quick_fix::Listing { client, encoding, has_model, others, folders, ..Default::default() };
        let mut hints = Vec::new();
        if (wants_all || wants_fixes)
            && let Ok(tracked) = session.tracked(&id)
        {
            hints = tracked.hints().to_vec();
            listing.of_model = tracked.model_fixes().to_vec();
            listing.work = FixWork::of(&session, tracked);
        }
        let setback = wants_fixes.then(|| session.setback(&id)).flatten();
        let path = session.tracked(&id).ok().and_then(|tracked| tracked.path_on_disk().map(Path::to_owned));
        (snapshot, hints, listing, setback, path)
    };
    let workspace = snapshot.workspace;
    let session = jobs.session.clone();
    let list = move |document: &Document| {
        let span = convert::span(document, request.range, context.encoding);
        let place = match wants_places {
            true => ask::action(&workspace, document, span.start, context.encoding),
            false => None,
        };
        // Editors ask with every move of the cursor, and few files hold an instruction: the others are not
        // parsed.
        let may_have_instructions = wants_rewrites && target::may_have_instructions(document);
        let instructions =
            if may_have_instructions { target::instructions(document, span.clone()) } else { Vec::new() };
        let rewrites = instructions
            .into_iter()
            .map(|it| rewrite_action(document, it, context.encoding, &context.client));
        let mut actions: Vec<CodeAction> = rewrites.collect();
        if wants_fixes {
            actions.extend(pair::fixes(document, &hints, &span, context.encoding, &context.client));
            let mut reported = request.context.diagnostics.clone();
            reported.retain(|raw| !pair::is_fixed(raw, &hints));
            let (fixes, kinds) = quick_fix::actions(document, &reported, &context);
            actions.extend(fixes);
            if context.client.resolves_edits && !kinds.is_empty() {
                actions.extend(fix_all::kind_actions(
                    document,
                    &context.work.sets(document, &[], None),
                    &kinds,
                ));
            }
        }
        actions.extend(setback.and_then(|it| quick_fix::revert_action(document, it, &context.client)));
        if wants_own && context.client.code_actions {
            let fixes = own_fixes(document, &span, &workspace, path.as_deref());
            actions.extend(quick_fix::own_actions(document, fixes, &context.client));
        }
        if wants_all {
            let reported = fix_all::all_reported(document, &request.context.diagnostics, &context);
            let mut work = FixWork { reported, ..context.work };
            // A request of the user waits for all, and a save does not.
            let is_invoked = request.context.trigger_kind == Some(INVOKED);
            let limit = (!is_invoked).then_some(FIXED_AT_SAVE);
            if is_invoked {
                work.exchanged = Arc::default();
            }
            let made = work.make(document, &context.others, Trial::Together, limit);
            let fixes = work.sets(document, &made, None);
            if !is_invoked && let Ok(tracked) = session.lock().tracked_mut(document.id()) {
                tracked.note_exchanged(exchanged(document, &fixes.certain.edits).collect());
            }
            actions.extend(fix_all::action(document, &fixes, is_own_kind, &context.client));
        }
        actions.extend(place);
        if wants_jobs && context.has_model {
            let jobs = pair::actions(document, request.range, &context.client);
            let is_wanted = |action: &CodeAction| {
                let only = request.context.only.as_ref();
                let kind = action.kind.as_deref().unwrap_or_default();
                only.is_none_or(|kinds| kinds.iter().any(|wanted| covers(wanted, kind)))
            };
            actions.extend(jobs.into_iter().filter(is_wanted));
        }
        actions
    };
    jobs.session.with_tree(snapshot.document, list).await
}

/// Whether a request for actions of this kind includes ours.
///
/// Kinds are prefixes, part by part.
fn covers(kind: &str, ours: &str) -> bool {
    kind.is_empty() || ours.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The action for an instruction in a comment.
fn rewrite_action(
    document: &Document,
    Instruction { text, target, is_for_project }: Instruction,
    encoding: Encoding,
    client: &Client,
) -> CodeAction {
    let range = convert::to_range(document, &target.span, encoding);
    let uri = document.id().as_str().to_owned();
    if is_for_project {
        return plan_action(document, text, range, client);
    }
    let title = title(&shortened(&text));
    let mut action = CodeAction {
        kind: Some(REWRITE_KIND.to_owned()),
        // `CodeActionTag.LLMGenerated`.
        tags: if client.marks_generated { vec![1] } else { Vec::new() },
        ..CodeAction::new(title.clone())
    };
    if client.resolves_edits {
        let data = OfferData { uri, version: document.version(), instruction: text, line: range.start.line };
        action.data = Some(json!(data));
    } else {
        let text_document = DocumentRef { uri, version: Some(document.version()) };
        let arguments = RewriteArguments::new(text_document, range, text);
        action.command =
            Some(Command { title, command: REWRITE.to_owned(), arguments: vec![json!(arguments)] });
    }
    action
}

/// The action for an instruction about the whole project. What it comes to is not known before it is run.
fn plan_action(document: &Document, text: String, range: Range, client: &Client) -> CodeAction {
    let title = title(&format!("in all files: {}", shortened(&text)));
    let uri = document.id().as_str().to_owned();
    let arguments = PlanArguments {
        instruction: format!("{text}\n\nRemove the `ai!:` comment that asks for this."),
        text_document: Some(DocumentRef { uri, version: Some(document.version()) }),
        range: Some(range),
        ..PlanArguments::default()
    };
    let command =
        Command { title: title.clone(), command: PLAN.to_owned(), arguments: vec![json!(arguments)] };
    CodeAction {
        kind: Some(REWRITE_KIND.to_owned()),
        tags: if client.marks_generated { vec![1] } else { Vec::new() },
        command: Some(command),
        ..CodeAction::new(title)
    }
}
