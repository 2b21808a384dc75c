//! The quick fixes that a code action request lists, one for each diagnostic.
//!
//! Listing them calls no model.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::title::{shortened_message, title};
use crate::assist::{FixKind, certain_fix};
use crate::document::Document;
use crate::document::position::Encoding;
use crate::lsp::capabilities::{Client, FIX, FIX_KIND};
use crate::lsp::convert;
use crate::lsp::limits::{FIXED_DIAGNOSTICS, IMPORTED_NAME_BYTES, IMPORTING_FILE_BYTES, IMPORTING_FILES};
use crate::lsp::protocol::{CodeAction, Command, Diagnostic, DocumentRef, FixArguments, FixData};
use crate::snapshot;
use crate::text::printable;

/// What listing needs beside the document.
pub(super) struct Listing {
    pub(super) client: Client,
    pub(super) encoding: Encoding,
    /// Whether there is a model for diagnostics without a certain fix.
    pub(super) has_model: bool,
    /// The other open files.
    pub(super) others: Vec<Arc<Document>>,
    pub(super) folders: Vec<PathBuf>,
}

/// The actions for diagnostics: the certain fix where there is one, else a call to a model.
///
/// With them come the kinds of the certain ones.
pub(super) fn actions(
    document: &Document,
    diagnostics: &[Value],
    context: &Listing,
) -> (Vec<CodeAction>, Vec<FixKind>) {
    let listed = diagnostics.iter().take(FIXED_DIAGNOSTICS).filter_map(|raw| action(document, raw, context));
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

fn action(document: &Document, raw: &Value, context: &Listing) -> Option<(CodeAction, Option<FixKind>)> {
    let client = &context.client;
    let diagnostic = read_diagnostic(document, raw, context)?;
    let others = files_with_marked(document, &diagnostic, &context.others);
    if let Some(fix) = certain_fix(document, &diagnostic, &others) {
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
    context.has_model.then(|| {
        let title = title(&format!("fix “{}”", shortened_message(&diagnostic.message)));
        let mut action = unresolved(document, raw, title, client);
        // `CodeActionTag.LLMGenerated`.
        action.tags = if client.marks_generated { vec![1] } else { Vec::new() };
        (action, None)
    })
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

/// The other open files of the same language that contain the name marked by a diagnostic.
pub(super) fn files_with_marked(
    document: &Document,
    diagnostic: &snapshot::Diagnostic,
    open: &[Arc<Document>],
) -> Vec<Document> {
    let end = diagnostic.span.end.min(document.text().len_bytes());
    let name = document.slice(diagnostic.span.start.min(end)..end);
    files_with_name(document, &name, open)
}

/// The other open files of the same language that contain a name.
pub(super) fn files_with_name(document: &Document, name: &str, open: &[Arc<Document>]) -> Vec<Document> {
    if name.is_empty() || name.len() > IMPORTED_NAME_BYTES {
        return Vec::new();
    }
    let has_name = |other: &&Arc<Document>| {
        other.text().len_bytes() <= IMPORTING_FILE_BYTES
            && other.grammar() == document.grammar()
            && other.text().to_string().contains(name)
    };
    // Trees made for this search are not kept.
    open.iter().filter(has_name).take(IMPORTING_FILES).map(|other| other.without_tree()).collect()
}
