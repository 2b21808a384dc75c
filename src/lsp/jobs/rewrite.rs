//! Rewriting: `tandem.rewrite`, and what a picked code action asks for.

use std::sync::Arc;

use serde_json::json;
use tokio::time::Instant;
use tower_lsp::jsonrpc::{Error, Result};

use super::super::backend::Shared;
use super::super::{convert, progress, task, wire};
use super::{MODEL_CAUSE, TITLE, failure, log_origin, parsing, remember};
use crate::assist::Origin;
use crate::assist::target::{self, Target};
use crate::document::{Document, DocumentId};
use crate::edit::reply::Flag;
use crate::edit::{Edit, rebase};
use crate::job::{Job, Outcome, Reason};
use crate::route::Gear;
use crate::snapshot::Snapshot;

/// `tandem.rewrite`: rewrites a range as told and has the editor apply the result.
pub(in crate::lsp) async fn rewrite_command(
    shared: &Arc<Shared>,
    arguments: wire::RewriteArguments,
    work_done_token: Option<serde_json::Value>,
) -> Result<serde_json::Value> {
    let id = DocumentId::new(&arguments.text_document.uri);
    let (snapshot, encoding) = {
        let session = shared.session();
        let snapshot = session.snapshot(&id).map_err(|reason| failure(Job::Rewrite, &reason))?;
        (snapshot, session.encoding())
    };
    if !shared.client().applies_edits && !arguments.preview {
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
    let forced = arguments.gear.as_deref().map(str::parse::<Gear>).transpose();
    let forced = forced.map_err(|error| Error::invalid_params(error.to_string()))?;
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
        let Rewritten { edit, flags, origin } =
            rewrite(&shared, &snapshot, &target, &instruction, forced, work_done_token).await?;
        let mut answer = json!({ "gear": origin.gear.name(), "model": origin.model, "flags": flags });
        if arguments.preview {
            answer["edit"] = json!(edit);
        } else {
            shared.editor.apply(format!("{TITLE}{instruction}"), edit);
        }
        Ok(answer)
    })
    .await?
}

/// A rewrite, for the text that the editor has now.
pub(super) struct Rewritten {
    pub(super) edit: wire::WorkspaceEdit,
    /// What is to be said of it, one sentence each.
    pub(super) flags: Vec<String>,
    pub(super) origin: Origin,
}

/// Rewrites a target and carries the edits over what was typed meanwhile. The editor shows it if it takes long.
pub(super) async fn rewrite(
    shared: &Arc<Shared>,
    snapshot: &Snapshot,
    target: &Target,
    instruction: &str,
    forced: Option<Gear>,
    work_done_token: Option<serde_json::Value>,
) -> Result<Rewritten> {
    let started = Instant::now();
    let assist = shared.assist();
    let work = assist.rewrite(snapshot, target, instruction, forced);
    let outcome = progress::watched(shared, format!("{TITLE}{instruction}"), work_done_token, work).await;
    let made = match outcome {
        Ok(Outcome::Done(rewrite)) => {
            shared.editor.recovered(MODEL_CAUSE);
            log_origin(Job::Rewrite, &rewrite.origin);
            // Once for each edit, and without waiting: it is a remark, no question.
            if let Some(flag) = rewrite.flags.iter().find(|flag| matches!(flag, Flag::UnknownNames(_))) {
                shared.editor.tell(format!("{TITLE}the new text {flag}; look before you rely on it"));
            }
            carry(shared, &snapshot.document, rewrite.edits).and_then(|(current, edits)| {
                Ok(Rewritten {
                    edit: convert::document_edits(&current, edits, shared.client())?,
                    flags: rewrite.flags.iter().map(ToString::to_string).collect(),
                    origin: rewrite.origin,
                })
            })
        }
        Ok(Outcome::Nothing(reason)) => Err(reason),
        Err(progress::Stopped) => Err(Reason::Cancelled),
    };
    let origin = made.as_ref().map(|made| &made.origin);
    remember(shared, Job::Rewrite, &snapshot.document, target.span.start, started, origin);
    made.map_err(|reason| failure(Job::Rewrite, &reason))
}

/// The edits as edits of the current version.
pub(super) fn carry(
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
