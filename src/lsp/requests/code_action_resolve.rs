//! `codeAction/resolve`: makes the edit of the picked action, by a model if necessary.

use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, Result};

use super::fix::fix;
use super::fix_all;
use super::rewrite::rewrite;
use crate::assist::target::{self, Instruction};
use crate::document::{Document, DocumentId};
use crate::job::{Job, Reason};
use crate::lsp::errors::failure;
use crate::lsp::protocol::{ActionData, CodeAction, FixData, OfferData};
use crate::lsp::state::ServerState;
use crate::lsp::task;

/// Fills in an action's edit.
pub(in crate::lsp) async fn code_action_resolve(
    state: Arc<ServerState>,
    action: CodeAction,
) -> Result<CodeAction> {
    let Some(data) = action.data.clone() else { return Ok(action) };
    let data: ActionData = serde_json::from_value(data)
        .map_err(|error| Error::invalid_params(format!("this code action is not Tandem's: {error}")))?;
    match data {
        ActionData::Fix(data) => resolve_fix(&state, action, data).await,
        ActionData::FixAll(data) => fix_all::resolve_kind(&state, action, data).await,
        ActionData::Instruct(data) => resolve_rewrite(state, action, data).await,
    }
}

async fn resolve_fix(state: &Arc<ServerState>, mut action: CodeAction, data: FixData) -> Result<CodeAction> {
    let id = DocumentId::new(&data.uri);
    let resolved = fix(state, &id, Some(data.version), &data.fix, None).await?;
    action.edit = Some(resolved.edit);
    Ok(action)
}

async fn resolve_rewrite(
    state: Arc<ServerState>,
    mut action: CodeAction,
    data: OfferData,
) -> Result<CodeAction> {
    let id = DocumentId::new(&data.uri);
    let snapshot = state.session.lock().snapshot(&id).map_err(|reason| failure(Job::Rewrite, &reason))?;
    let resolved = task::run(async move {
        let document = Arc::clone(&snapshot.document);
        let all = state.session.with_tree(document, target::all_instructions).await?;
        let Instruction { text, target, .. } = still_offered(&snapshot.document, all, &data)
            .ok_or_else(|| failure(Job::Rewrite, &Reason::Stale))?;
        let (made, left) = rewrite(&state, &snapshot, &target, &text, None, None).await?;
        // The editor applies it without a preview.
        if let Some((said, _)) = left {
            state.editor.tell(format!("Tandem: {said}"));
        }
        Ok::<_, Error>(made)
    })
    .await??;
    action.edit = Some(resolved.edit);
    Ok(action)
}

/// The instruction that an action was made from.
///
/// It is on the same line if the document is unchanged, otherwise the only instruction with the same words.
fn still_offered(document: &Document, all: Vec<Instruction>, data: &OfferData) -> Option<Instruction> {
    let line = |it: &Instruction| document.text().byte_to_line(it.target.span.start);
    let mut same = all.into_iter().filter(|it| it.text == data.instruction);
    if document.version() == data.version {
        return same.find(|it| line(it) == data.line as usize);
    }
    let only = same.next()?;
    same.next().is_none().then_some(only)
}
