//! The quick fixes that a code action request lists, one for each diagnostic.
//!
//! Listing them calls no model.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::title::{shortened_message, title};
use crate::assist::{CertainFix, FileView, FixKind, certain_fix};
use crate::document::Document;
use crate::document::position::Encoding;
use crate::edit::guard;
use crate::lsp::capabilities::{Client, FIX, FIX_KIND};
use crate::lsp::convert;
use crate::lsp::limits::FIXED_DIAGNOSTICS;
use crate::lsp::other_files::OtherFiles;
use crate::lsp::prepared_fixes::FixWork;
use crate::lsp::protocol::{CodeAction, Command, Diagnostic, DocumentRef, FixArguments, FixData};
use crate::session::{ModelFix, Setback};
use crate::snapshot;
use crate::text::printable;

/// What listing needs beside the document.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) client: Client,
    pub(super) encoding: Encoding,
    /// Whether there is a model for diagnostics without a certain fix.
    pub(super) has_model: bool,
    /// The other open files.
    pub(super) others: Vec<Arc<Document>>,
    pub(super) folders: Vec<PathBuf>,
    /// The fixes that a model has made.
    pub(super) of_model: Vec<ModelFix>,
    /// What is known of the fixes of the whole file.
    pub(super) work: FixWork,
}

/// The actions for diagnostics: the certain fix where there is one, else the one that a model has made, else a call to a
/// model.
///
/// With them come the kinds of the certain ones.
pub(super) fn actions(
    document: &Document,
    diagnostics: &[Value],
    context: &Listing,
) -> (Vec<CodeAction>, Vec<FixKind>) {
    let others = OtherFiles::new(&context.others);
    let file = others.view(document);
    let listed = diagnostics.iter().take(FIXED_DIAGNOSTICS).filter_map(|raw| action(&file, raw, context));
    let (actions, kinds): (Vec<CodeAction>, Vec<Option<FixKind>>) = listed.unzip();
    (actions, kinds.into_iter().flatten().collect())
}

/// Reads a diagnostic as the editor sends it.
pub(super) fn read_diagnostic(
    document: &Document,
    raw: &Value,
    context: &Listing,
) -> Option<snapshot::Diagnostic> {
    let read = serde_json::from_value::<Diagnostic>(raw.clone()).ok()?;
    let shown = |uri: &str| convert::shown_path(uri, &context.folders);
    Some(convert::diagnostic(document, &read, context.encoding, shown))
}

fn action(file: &FileView<'_>, raw: &Value, context: &Listing) -> Option<(CodeAction, Option<FixKind>)> {
    let (client, document) = (&context.client, file.document());
    let diagnostic = read_diagnostic(document, raw, context)?;
    if let Some(fix) = certain_fix(file, &diagnostic) {
        let title = title(&printable(&fix.title));
        // An editor without literal code actions gets a command, which finds the same fix again.
        let edit = convert::document_edits(document, fix.edits, client)
            .inspect_err(|error| tracing::debug!(%error, "a fix is not offered"))
            .ok()?;
        let action = if client.code_actions {
            CodeAction {
                kind: Some(FIX_KIND.to_owned()),
                diagnostics: vec![raw.clone()],
                is_preferred: Some(true),
                edit: Some(edit),
                ..CodeAction::new(title)
            }
        } else {
            unresolved(document, raw, title, client)
        };
        return Some((action, Some(fix.kind)));
    }
    if let Some(fix) = ready(document, &diagnostic, &context.of_model) {
        let model = fix.source.model.as_deref().unwrap_or("a model");
        let title =
            title(&format!("fix “{}” ({})", shortened_message(&diagnostic.message), printable(model)));
        let mut action = unresolved(document, raw, title, client);
        // A fix with a remark is shown with that when it is picked.
        if client.code_actions && fix.flags.is_empty() {
            let edit = convert::document_edits(document, fix.edits.clone(), client)
                .inspect_err(|error| tracing::debug!(%error, "a fix is not offered"))
                .ok()?;
            (action.edit, action.data, action.command) = (Some(edit), None, None);
        }
        // `CodeActionTag.LLMGenerated`.
        action.tags = if client.marks_generated { vec![1] } else { Vec::new() };
        return Some((action, None));
    }
    context.has_model.then(|| {
        let title = title(&format!("fix “{}”", shortened_message(&diagnostic.message)));
        let mut action = unresolved(document, raw, title, client);
        // `CodeActionTag.LLMGenerated`.
        action.tags = if client.marks_generated { vec![1] } else { Vec::new() };
        (action, None)
    })
}

/// The actions for what no tool reports on the lines of a request. None is preferred, as no tool confirms it.
pub(super) fn own_actions(document: &Document, fixes: Vec<CertainFix>, client: &Client) -> Vec<CodeAction> {
    let action = |fix: CertainFix| {
        let edit = convert::document_edits(document, fix.edits, client)
            .inspect_err(|error| tracing::debug!(%error, "a fix is not offered"))
            .ok()?;
        let title = title(&printable(&fix.title));
        Some(CodeAction { kind: Some(FIX_KIND.to_owned()), edit: Some(edit), ..CodeAction::new(title) })
    };
    fixes.into_iter().filter_map(action).collect()
}

/// The action that takes back an accepted suggestion after which there were more errors.
pub(super) fn revert_action(document: &Document, setback: Setback, client: &Client) -> Option<CodeAction> {
    let edit = convert::document_edits(document, vec![setback.revert], client)
        .inspect_err(|error| tracing::debug!(%error, "no way back is offered"))
        .ok()?;
    let s = if setback.more == 1 { "" } else { "s" };
    let title = title(&format!("revert what was accepted last: {} more error{s} since", setback.more));
    Some(CodeAction { kind: Some(FIX_KIND.to_owned()), edit: Some(edit), ..CodeAction::new(title) })
}

/// The fix that a model has made for a diagnostic, if what was typed elsewhere since goes with it.
pub(super) fn ready<'a>(
    document: &Document,
    diagnostic: &snapshot::Diagnostic,
    of_model: &'a [ModelFix],
) -> Option<&'a ModelFix> {
    of_model
        .iter()
        .find(|fix| fix.is_for(diagnostic))
        .filter(|fix| guard::syntax(document, &fix.edits).is_ok())
}

/// The action whose edit is made once it is picked.
fn unresolved(document: &Document, raw: &Value, title: String, client: &Client) -> CodeAction {
    let uri = document.id().as_str().to_owned();
    let mut action = CodeAction {
        kind: Some(FIX_KIND.to_owned()),
        diagnostics: vec![raw.clone()],
        ..CodeAction::new(title.clone())
    };
    if client.resolves_edits {
        action.data = Some(json!(FixData { uri, version: document.version(), fix: raw.clone() }));
    } else {
        let text_document = DocumentRef { uri, version: Some(document.version()) };
        let arguments = FixArguments { text_document, diagnostic: raw.clone() };
        action.command = Some(Command { title, command: FIX.to_owned(), arguments: vec![json!(arguments)] });
    }
    action
}
