//! `tandem.rewrite`: rewrites a range according to an instruction.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;
use tower_lsp::jsonrpc::{Error, Result};

use super::edit_job::CurrentEdit;
use super::left_uses::{LeftUses, left_uses};
use super::title::{shortened, title};
use crate::assist::RewriteParams;
use crate::assist::plan::may_leave_uses;
use crate::assist::target::{self, RewriteTarget};
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::edit::Flag;
use crate::job::{Job, Reason};
use crate::lsp::errors::{failure, gear};
use crate::lsp::protocol::RewriteArguments;
use crate::lsp::request_outcome::PendingOutcome;
use crate::lsp::state::ServerState;
use crate::lsp::{convert, task};
use crate::route::Gear;
use crate::snapshot::Snapshot;

/// Rewrites a range and asks the editor to apply the result, unless a preview is requested.
pub(in crate::lsp) async fn rewrite_command(
    state: Arc<ServerState>,
    arguments: RewriteArguments,
    work_done_token: Option<Value>,
) -> Result<Value> {
    let id = DocumentId::new(&arguments.text_document.uri);
    let (snapshot, encoding) = {
        let session = state.session.lock();
        let snapshot = session.snapshot(&id).map_err(|reason| failure(Job::Rewrite, &reason))?;
        (snapshot, session.encoding())
    };
    if arguments.show {
        return show(&state, &snapshot, &arguments, encoding).await;
    }
    if !state.client.get().applies_edits && !arguments.preview {
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
    let forced = gear(arguments.gear.as_deref())?;
    task::run(async move {
        let words = instruction.clone();
        let find_target = move |document: &_| {
            let span = convert::span(document, arguments.range, encoding);
            // The comment that contains the instruction is not part of the code.
            let mut instructions = target::instructions(document, span.clone()).into_iter();
            let same = instructions.find(|it| it.text == words);
            same.map_or_else(|| target::of_range(document, span), |it| it.target)
        };
        let target = state.session.with_tree(Arc::clone(&snapshot.document), find_target).await?;
        let (CurrentEdit { edit, flags, origin }, left) =
            rewrite(&state, &snapshot, &target, &instruction, forced, work_done_token).await?;
        let mut flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        let (said, left) = left.unzip();
        flags.extend(said);
        let mut answer = json!({ "gear": origin.gear.name(), "model": origin.model, "flags": flags });
        if let Some(left) = left {
            answer["left"] = json!(left);
        }
        if arguments.preview {
            answer["edit"] = json!(edit);
        } else {
            state.editor.apply(title(&shortened(&instruction)), edit);
        }
        Ok(answer)
    })
    .await?
}

/// Returns the name and range of the code that a rewrite would change.
async fn show(
    state: &Arc<ServerState>,
    snapshot: &Snapshot,
    arguments: &RewriteArguments,
    encoding: Encoding,
) -> Result<Value> {
    let range = arguments.range;
    let find = move |document: &Document| {
        let target = target::of_range(document, convert::span(document, range, encoding));
        let text = document.slice(target.span.clone());
        let end = target.span.start + text.trim_end_matches(['\n', '\r']).len();
        let lines = convert::to_range(document, &(target.span.start..end), encoding);
        json!({ "target": { "name": target::heading(document, &target.span), "range": lines } })
    };
    state.session.with_tree(Arc::clone(&snapshot.document), find).await
}

/// Rewrites a target and rebases the edits over the changes meanwhile; also returns the uses that it leaves, if any.
pub(super) async fn rewrite(
    state: &Arc<ServerState>,
    snapshot: &Snapshot,
    target: &RewriteTarget,
    instruction: &str,
    forced: Option<Gear>,
    work_done_token: Option<Value>,
) -> Result<(CurrentEdit, Option<LeftUses>)> {
    let document = &snapshot.document;
    let line = convert::line_of(document, target.span.start);
    let record = PendingOutcome::new(Job::Rewrite, line, true);
    let assist = state.serving.assist();
    let diagnostics = {
        let session = state.session.lock();
        session.tracked(document.id()).map(|it| it.diagnostics().to_vec()).unwrap_or_default()
    };
    let (say, said) = watch::channel(String::new());
    let params = RewriteParams { target, instruction, diagnostics: &diagnostics, forced, said: Some(&say) };
    let job = assist.rewrite(snapshot, params);
    let name = title(&shortened(instruction));
    let made = state.watch_job(name, work_done_token, said, job).await;
    if let Ok((rewrite, _)) = &made
        && let Some(flag) = rewrite.flags.iter().find(|flag| matches!(flag, Flag::UnknownNames(_)))
    {
        state.editor.tell(title(&format!("the new text {flag}; look before you rely on it")));
    }
    let may_leave = match (&made, convert::file_path(document.id().as_str())) {
        (Ok((made, _)), Some(path)) => {
            let (workspace, document) = (Arc::clone(&snapshot.workspace), Arc::clone(document));
            let edits = made.edits.clone();
            let judge = move || may_leave_uses(&workspace, &path, &document.text().to_string(), &edits);
            // An error means that the request was cancelled.
            task::run_blocking(judge).await.unwrap_or(false)
        }
        _ => false,
    };
    let current = state.finish_edit_job(record, document, made)?;
    let left = if may_leave { left_uses(state, &current.edit).await } else { None };
    Ok((current, left))
}
