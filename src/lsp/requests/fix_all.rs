//! `source.fixAll.tandem`: all certain fixes of a file as one edit.
//!
//! Existing model fixes are included where the user allows these. No model is called.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;

use super::quick_fix::{Listing, read_diagnostic};
use super::title::title;
use crate::assist::FixKind;
use crate::document::{Document, DocumentId};
use crate::job::{Job, Reason};
use crate::lsp::capabilities::{Client, FIX_ALL_KIND, FIX_KIND};
use crate::lsp::convert;
use crate::lsp::errors::failure;
use crate::lsp::limits::FIXED_TOGETHER;
use crate::lsp::prepared_fixes::{FixSets, FixWork, ModelFixSet, Occasion};
use crate::lsp::protocol::{CodeAction, FixAllData};
use crate::lsp::state::ServerState;
use crate::snapshot::Diagnostic;
use crate::text::printable;
use crate::text::words::counted;

/// All diagnostics of a file, without duplicates, in file order.
///
/// They are the diagnostics in the request, and those that other servers reported before.
pub(super) fn all_reported(document: &Document, sent: &[Value], context: &Listing) -> Arc<Vec<Diagnostic>> {
    let known = &context.work.reported;
    let sent = sent.iter().take(FIXED_TOGETHER).filter_map(|raw| read_diagnostic(document, raw, context));
    let new: Vec<Diagnostic> = sent.filter(|it| !it.is_among(known)).collect();
    if new.is_empty() {
        return Arc::clone(known);
    }
    let mut all = [new.as_slice(), known.as_slice()].concat();
    Diagnostic::sort(&mut all);
    Arc::new(all)
}

/// The action that applies the fixes; `None` if there are none.
///
/// Model fixes are included only if Tandem's own action kind is requested by name.
pub(super) fn action(
    document: &Document,
    fixes: &FixSets,
    is_own_kind: bool,
    client: &Client,
) -> Option<CodeAction> {
    let with_model = fixes.with_model.as_ref().filter(|_| is_own_kind);
    let set = with_model.map_or(&fixes.certain, |fixes| &fixes.all);
    if set.count == 0 {
        return None;
    }
    let edit = convert::document_edits(document, &set.edits, client);
    let certain = set.count - with_model.map_or(0, |fixes| fixes.of_model);
    let mut parts = Vec::new();
    if certain > 0 {
        parts.push(counted(certain, "certain fix"));
    }
    if let Some(ModelFixSet { of_model, model, .. }) = with_model {
        parts.push(format!("{} of {}", counted(of_model, "fix"), printable(model)));
    }
    Some(CodeAction {
        edit: Some(edit),
        tags: if with_model.is_some() { client.generated_tags() } else { Vec::new() },
        ..CodeAction::new(FIX_ALL_KIND, title(&format!("make {}", parts.join(" and "))))
    })
}

/// Actions for kinds with several fixes in the file, one of which is for these diagnostics.
///
/// The edit is made once an action is picked.
pub(super) fn kind_actions(document: &Document, prepared: &FixSets, kinds: &[FixKind]) -> Vec<CodeAction> {
    let several = prepared.kinds.iter().filter(|(kind, count)| *count > 1 && kinds.contains(kind));
    let action = |(kind, count): &(FixKind, usize)| {
        let title = title(&format!("fix all of this kind in this file: {}, {count} times", kind.name()));
        let (uri, version) = (document.id().as_str().to_owned(), document.version());
        let data = Some(json!(FixAllData { uri, version, all_of: kind.name().to_owned() }));
        CodeAction { data, ..CodeAction::new(FIX_KIND, title) }
    };
    several.map(action).collect()
}

/// Makes the edit of an action that applies all fixes of one kind.
pub(super) async fn resolve_kind(
    state: &Arc<ServerState>,
    mut action: CodeAction,
    data: FixAllData,
) -> Result<CodeAction> {
    let id = DocumentId::new(&data.uri);
    let kind = FixKind::ALL.into_iter().find(|kind| kind.name() == data.all_of);
    let client = state.client.get().clone();
    let (snapshot, work, others) = {
        let session = state.session.lock();
        let snapshot = session.snapshot(&id).map_err(|reason| failure(Job::Fix, &reason))?;
        let tracked = session.tracked(&id).map_err(|reason| failure(Job::Fix, &reason))?;
        (snapshot, FixWork::of(&session, tracked), session.other_documents(&id))
    };
    // The fixes of another version may differ from the listed ones.
    let Some(kind) = kind.filter(|_| snapshot.document.version() == data.version) else {
        return Err(failure(Job::Fix, &Reason::Stale));
    };
    let make = move |document: &Document| {
        let made = work.make(document, &others, None);
        let fixes = work.sets(document, &made, Occasion::OfKind(kind));
        convert::document_edits(document, &fixes.certain.edits, &client)
    };
    action.edit = Some(state.session.with_tree(snapshot.document, make).await?);
    Ok(action)
}
