//! `source.fixAll.tandem`: all certain fixes of a file as one edit. No model is asked.
//!
//! They are made when diagnostics come in, so that a save finds them ready.

use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};

use super::edit_job::EditJobs;
use super::quick_fix::{Listing, files_with_name, read_diagnostic};
use super::title::title;
use crate::assist::{FixKind, Reported, fix_file};
use crate::document::{Document, DocumentId};
use crate::job::{Job, Reason};
use crate::lsp::capabilities::{Client, FIX_ALL_KIND, FIX_KIND};
use crate::lsp::convert;
use crate::lsp::errors::failure;
use crate::lsp::limits::FIXED_TOGETHER;
use crate::lsp::protocol::{CodeAction, FixAllData};
use crate::lsp::session_lock::SessionLock;
use crate::session::PreparedFixes;
use crate::snapshot::Diagnostic;

/// What is reported of a file, each diagnostic once, in the order of the file: what the editor sends, and what other
/// servers reported before.
pub(super) fn all_reported(
    document: &Document,
    sent: &[Value],
    known: &[Diagnostic],
    context: &Listing,
) -> Vec<Diagnostic> {
    let sent = sent.iter().take(FIXED_TOGETHER).filter_map(|raw| read_diagnostic(document, raw, context));
    in_order(sent.chain(known.iter().cloned()).collect())
}

fn in_order(mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    all.sort_by(|a, b| {
        let key = |it: &Diagnostic| (it.span.start, it.span.end, it.severity);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    all.dedup_by(|a, b| a.span == b.span && a.message == b.message);
    all.truncate(FIXED_TOGETHER);
    all
}

/// Makes the fixes. Waits for the parse.
pub(super) fn fixes(document: &Document, reported: Vec<Diagnostic>, context: &Listing) -> PreparedFixes {
    fixes_of(document, reported, None, context)
}

/// Makes those of one kind. Waits for the parse.
fn fixes_of(
    document: &Document,
    reported: Vec<Diagnostic>,
    kind: Option<FixKind>,
    context: &Listing,
) -> PreparedFixes {
    let list: Vec<Reported> = reported.iter().cloned().map(Reported::from).collect();
    let others = |name: &str| files_with_name(document, name, &context.others);
    let made = fix_file(document, &list, kind, others);
    let taken = made.composed.taken;
    let of_kind = |kind: FixKind| taken.iter().filter(|at| made.fixes[**at].1.kind == kind).count();
    let kinds =
        FixKind::ALL.into_iter().map(|kind| (kind.word(), of_kind(kind))).filter(|(_, count)| *count > 0);
    PreparedFixes { reported, count: taken.len(), kinds: kinds.collect(), edits: made.composed.edits }
}

/// The action for fixes; `None` if there are none.
pub(super) fn action(document: &Document, fixes: &PreparedFixes, client: &Client) -> Option<CodeAction> {
    if fixes.count == 0 {
        return None;
    }
    let edit = convert::document_edits(document, fixes.edits.clone(), client)
        .inspect_err(|error| tracing::debug!(%error, "the fixes are not offered"))
        .ok()?;
    let es = if fixes.count == 1 { "" } else { "es" };
    Some(CodeAction {
        kind: Some(FIX_ALL_KIND.to_owned()),
        edit: Some(edit),
        ..CodeAction::new(title(&format!("make {} certain fix{es}", fixes.count)))
    })
}

/// Actions for kinds of which a file has several fixes, among them one of these diagnostics; the edit is made once an
/// action is picked.
pub(super) fn kind_actions(
    document: &Document,
    prepared: &PreparedFixes,
    kinds: &[FixKind],
) -> Vec<CodeAction> {
    let several = prepared
        .kinds
        .iter()
        .filter(|(word, count)| *count > 1 && kinds.iter().any(|kind| kind.word() == *word));
    let action = |(word, count): &(&str, usize)| CodeAction {
        kind: Some(FIX_KIND.to_owned()),
        data: Some(json!(FixAllData {
            uri: document.id().as_str().to_owned(),
            version: document.version(),
            all_of: (*word).to_owned(),
        })),
        ..CodeAction::new(title(&format!("fix all of this kind in this file: {word}, {count} times")))
    };
    several.map(action).collect()
}

/// Makes the edit of an action for all fixes of one kind.
pub(super) async fn resolve_kind(
    jobs: &EditJobs,
    mut action: CodeAction,
    data: FixAllData,
) -> Result<CodeAction> {
    let id = DocumentId::new(&data.uri);
    let kind = FixKind::ALL.into_iter().find(|kind| kind.word() == data.all_of);
    let client = jobs.client.get().clone();
    let (snapshot, reported, context) = {
        let session = jobs.session.lock();
        let snapshot = session.snapshot(&id).map_err(|reason| failure(Job::Fix, &reason))?;
        let tracked = session.tracked(&id).map_err(|reason| failure(Job::Fix, &reason))?;
        let context = Listing {
            client,
            encoding: session.encoding(),
            has_model: false,
            others: session.other_documents(&id),
            folders: Vec::new(),
        };
        (snapshot, in_order(tracked.diagnostics().to_vec()), context)
    };
    // Fixes of another version may be others than those that were listed.
    let Some(kind) = kind.filter(|_| snapshot.document.version() == data.version) else {
        return Err(failure(Job::Fix, &Reason::Stale));
    };
    let make = move |document: &Document| {
        let fixes = fixes_of(document, reported, Some(kind), &context);
        convert::document_edits(document, fixes.edits, &context.client)
    };
    let edit = jobs.session.with_tree(snapshot.document, make).await?;
    action.edit = Some(edit.map_err(|error| Error::invalid_params(error.to_string()))?);
    Ok(action)
}

/// Makes the fixes of a file for what was reported last, in a task of its own.
pub(in crate::lsp) fn prepare(session: &SessionLock, id: DocumentId) {
    let session = session.clone();
    tokio::spawn(async move {
        let (document, reported, context) = {
            let session = session.lock();
            let Ok(tracked) = session.tracked(&id) else { return };
            let reported = in_order(tracked.diagnostics().to_vec());
            let context = Listing {
                client: Client::default(),
                encoding: session.encoding(),
                has_model: false,
                others: session.other_documents(&id),
                folders: Vec::new(),
            };
            (tracked.document().clone(), reported, context)
        };
        let made = {
            let reported = reported.clone();
            session.with_tree(document.clone(), move |document| fixes(document, reported, &context)).await
        };
        let Ok(made) = made else { return };
        if let Ok(tracked) = session.lock().tracked_mut(&id)
            && in_order(tracked.diagnostics().to_vec()) == reported
        {
            tracked.set_prepared_fixes(&document, made);
        }
    });
}
