//! `codeAction/resolve`: makes the edit of an action that was picked, by a model if need be.

use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, Result};

use super::edit_job::EditJobs;
use super::fix::fix;
use super::rewrite::rewrite;
use crate::assist::target::{self, Offer};
use crate::document::{Document, DocumentId};
use crate::job::{Job, Reason};
use crate::lsp::errors::failure;
use crate::lsp::protocol::{ActionData, CodeAction, FixData, OfferData};
use crate::lsp::task;

/// Fills in an action's edit.
pub(in crate::lsp) async fn code_action_resolve(jobs: EditJobs, action: CodeAction) -> Result<CodeAction> {
    let Some(data) = action.data.clone() else { return Ok(action) };
    let data: ActionData = serde_json::from_value(data)
        .map_err(|error| Error::invalid_params(format!("this code action is not Tandem's: {error}")))?;
    match data {
        ActionData::Fix(data) => resolve_fix(&jobs, action, data).await,
        ActionData::Instruct(data) => resolve_rewrite(jobs, action, data).await,
    }
}

async fn resolve_fix(jobs: &EditJobs, mut action: CodeAction, data: FixData) -> Result<CodeAction> {
    let id = DocumentId::new(&data.uri);
    let resolved = fix(jobs, &id, Some(data.version), &data.fix, None).await?;
    action.edit = Some(resolved.edit);
    // It is known only now, and not every client takes it now.
    if jobs.client.get().resolves_preferred {
        action.is_preferred = Some(resolved.flags.is_empty());
    }
    Ok(action)
}

async fn resolve_rewrite(jobs: EditJobs, mut action: CodeAction, data: OfferData) -> Result<CodeAction> {
    let id = DocumentId::new(&data.uri);
    let snapshot = jobs.session.lock().snapshot(&id).map_err(|reason| failure(Job::Rewrite, &reason))?;
    let resolved = task::run(async move {
        let document = Arc::clone(&snapshot.document);
        let offers = jobs.session.with_tree(document, target::all_offers).await?;
        let offer = still_offered(&snapshot.document, offers, &data)
            .ok_or_else(|| failure(Job::Rewrite, &Reason::Stale))?;
        rewrite(&jobs, &snapshot, &offer.target, &offer.instruction, None, None).await
    })
    .await??;
    action.edit = Some(resolved.edit);
    Ok(action)
}

/// The offer that an action was made from.
///
/// It is at the same line if the document is unchanged, else the only one with the same words.
fn still_offered(document: &Document, offers: Vec<Offer>, data: &OfferData) -> Option<Offer> {
    let line = |offer: &Offer| document.text().byte_to_line(offer.target.span.start);
    let mut same = offers.into_iter().filter(|offer| offer.instruction == data.instruction);
    if document.version() == data.version {
        return same.find(|offer| line(offer) == data.line as usize);
    }
    let only = same.next()?;
    same.next().is_none().then_some(only)
}
