//! `tandem.fix`: the edit for one diagnostic.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;
use tower_lsp::jsonrpc::{Error, Result};

use super::edit_job::CurrentEdit;
use super::quick_fix;
use super::title::{shortened_message, title};
use crate::assist::{Origin, Rewrite, certain_fix};
use crate::document::DocumentId;
use crate::job::{Job, Reason};
use crate::lsp::errors::failure;
use crate::lsp::other_files::OtherFiles;
use crate::lsp::protocol::{Diagnostic, FixArguments};
use crate::lsp::request_outcome::PendingOutcome;
use crate::lsp::state::ServerState;
use crate::lsp::{convert, task};
use crate::session::ModelFix;

/// Fixes a diagnostic and asks the editor to apply the result.
pub(in crate::lsp) async fn fix_command(
    state: Arc<ServerState>,
    arguments: FixArguments,
    work_done_token: Option<Value>,
) -> Result<Value> {
    if !state.client.get().applies_edits {
        return Err(Error::invalid_params("this editor does not apply edits; use the quick fix"));
    }
    let id = DocumentId::new(&arguments.text_document.uri);
    let version = arguments.text_document.version;
    let CurrentEdit { edit, flags, origin } =
        fix(&state, &id, version, &arguments.diagnostic, work_done_token).await?;
    state.editor.apply(title("fix"), edit);
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    Ok(json!({ "gear": origin.gear.name(), "model": origin.model, "flags": flags }))
}

/// The edit for a diagnostic of this version of a document.
///
/// The diagnostic is moved to the current position of its text, and the edit is rebased over the changes meanwhile.
pub(super) async fn fix(
    state: &Arc<ServerState>,
    id: &DocumentId,
    version: Option<i32>,
    raw: &Value,
    work_done_token: Option<Value>,
) -> Result<CurrentEdit> {
    let mut read: Diagnostic = serde_json::from_value(raw.clone())
        .map_err(|error| Error::invalid_params(format!("the diagnostic cannot be read: {error}")))?;
    let (snapshot, diagnostic, others, of_model, reported) = {
        let session = state.session.lock();
        let snapshot = session.snapshot(id).map_err(|reason| failure(Job::Fix, &reason))?;
        let range = session.tracked(id).map(|tracked| convert::range_now(tracked, version, read.range));
        read.range = range.and_then(|now| now.ok_or(Reason::Stale)).map_err(|it| failure(Job::Fix, &it))?;
        let shown = |uri: &str| convert::shown_path(uri, session.folders());
        let diagnostic = convert::diagnostic(&snapshot.document, &read, session.encoding(), shown);
        let of_model = session.tracked(id).map(|tracked| tracked.model_fixes().to_vec()).unwrap_or_default();
        let reported =
            session.tracked(id).map(|tracked| Arc::clone(tracked.diagnostics())).unwrap_or_default();
        (snapshot, diagnostic, session.other_documents(id), of_model, reported)
    };
    let state = Arc::clone(state);
    task::run(async move {
        let document = &snapshot.document;
        let line = convert::line_of(document, diagnostic.span.start);
        let record = PendingOutcome::new(Job::Fix, line, true);
        let known = {
            let (diagnostic, workspace) = (diagnostic.clone(), Arc::clone(&snapshot.workspace));
            let find = move |document: &_| {
                let others = OtherFiles::new(&others, &workspace, &reported);
                if let Some(fix) = certain_fix(&others.view(document), &diagnostic) {
                    let rewrite = Rewrite { edits: fix.edits, flags: Vec::new() };
                    return Some((rewrite, Origin::local("certain by rule")));
                }
                let ModelFix { edits, flags, source, .. } =
                    quick_fix::ready(document, &diagnostic, &of_model)?.clone();
                Some((Rewrite { edits, flags }, Origin::ahead(source.model)))
            };
            state.session.with_tree(Arc::clone(document), find).await?
        };
        let made = match known {
            Some(known) => Ok(known),
            None => {
                let assist = state.serving.assist();
                let (say, said) = watch::channel(String::new());
                let job = assist.fix(&snapshot, &diagnostic, Some(&say));
                let name = title(&shortened_message(&diagnostic.message));
                state.watch_job(name, work_done_token, said, job).await
            }
        };
        state.session.lock().keep_tree(document.id(), Instant::now().into_std());
        state.finish_edit_job(record, document, made)
    })
    .await?
}
