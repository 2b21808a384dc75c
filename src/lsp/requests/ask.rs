//! `tandem.ask`: where something is defined, from the index. No model is asked.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};

use super::title::shortened;
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::lsp::capabilities::{ASK, ASK_KIND, NegotiatedClient};
use crate::lsp::convert;
use crate::lsp::editor::Editor;
use crate::lsp::protocol::{AskArguments, CodeAction, Command, DocumentRef, Position, Range};
use crate::lsp::session_lock::SessionLock;
use crate::lsp::state::ServerState;
use crate::lsp::task;
use crate::workspace::{Place, Workspace};

/// Answers to one question.
const MOST_ANSWERS: usize = 20;

/// What the command needs of the server.
pub(in crate::lsp) struct AskContext {
    session: SessionLock,
    client: NegotiatedClient,
    editor: Editor,
}

impl AskContext {
    pub(in crate::lsp) fn new(state: &ServerState) -> Self {
        Self { session: state.session.clone(), client: state.client.clone(), editor: state.editor.clone() }
    }
}

/// Answers a question in words, or one about the name at a position, and has the editor show the first answer.
pub(in crate::lsp) async fn ask(context: AskContext, arguments: AskArguments) -> Result<Value> {
    let (workspace, encoding) = {
        let session = context.session.lock();
        (Arc::clone(session.workspace()), session.encoding())
    };
    let answers: Vec<(Place, String)> =
        match (arguments.question, arguments.text_document, arguments.position) {
            (Some(question), ..) => {
                task::run_blocking(move || {
                    let found = workspace.search(&question, MOST_ANSWERS);
                    found.into_iter().map(|it| (it.place, format!("by {}", it.words.join(", ")))).collect()
                })
                .await?
            }
            (None, Some(at), Some(position)) => {
                let id = DocumentId::new(&at.uri);
                let document = context.session.lock().snapshot(&id).ok().map(|it| it.document);
                let Some(document) = document else {
                    return Err(Error::invalid_params(format!("{} is not open", at.uri)));
                };
                let byte = convert::byte(&document, position, encoding);
                meant(&workspace, &document, byte)
            }
            _ => {
                return Err(Error::invalid_params(
                    "a question is needed, or a document and a position".to_owned(),
                ));
            }
        };
    let listed: Vec<Value> = answers.iter().filter_map(|(place, why)| answer(place, why)).collect();
    let is_shown = context.client.get().shows_documents && !arguments.quiet;
    if let Some(first) = listed.first().filter(|_| is_shown) {
        context.editor.show_document(json!({
            "uri": first["uri"], "selection": first["range"], "takeFocus": true,
        }));
    }
    Ok(json!({ "answers": listed }))
}

/// The definitions that the name at a byte may mean, each with the reason.
fn meant(workspace: &Workspace, document: &Document, byte: usize) -> Vec<(Place, String)> {
    let Some(path) = convert::file_path(document.id().as_str()) else { return Vec::new() };
    let resolved = workspace.resolve_at(&path, document, byte);
    resolved.into_iter().take(MOST_ANSWERS).map(|it| (it.place, it.why.to_string())).collect()
}

/// The line of a definition: what it stands at is known in bytes, which are no columns without the text.
fn answer(place: &Place, why: &str) -> Option<Value> {
    let definition = place.definition();
    let at = Position { line: u32::try_from(definition.line).ok()?, character: 0 };
    let uri = convert::file_uri(place.path())?;
    Some(json!({
        "uri": uri, "range": Range { start: at, end: at }, "name": definition.name,
        "kind": definition.kind.word(), "signature": definition.signature, "doc": definition.doc, "why": why,
    }))
}

/// The action that shows where the name at a byte is defined; `None` if that is here, or not known.
pub(super) fn action(
    workspace: &Workspace,
    document: &Document,
    byte: usize,
    encoding: Encoding,
) -> Option<CodeAction> {
    let (place, _) = meant(workspace, document, byte).into_iter().next()?;
    let definition = place.definition();
    let is_here = convert::file_path(document.id().as_str()).is_some_and(|path| path == **place.path())
        && definition.range().contains(&byte);
    if is_here {
        return None;
    }
    let file = place.path().file_name()?.to_string_lossy().into_owned();
    let title = format!("Tandem: show {} in {file}:{}", shortened(definition.name), definition.line + 1);
    let position = convert::to_range(document, &(byte..byte), encoding).start;
    let uri = document.id().as_str().to_owned();
    let arguments = json!({ "textDocument": DocumentRef { uri, version: None }, "position": position });
    let command = Command { title: title.clone(), command: ASK.to_owned(), arguments: vec![arguments] };
    Some(CodeAction { kind: Some(ASK_KIND.to_owned()), command: Some(command), ..CodeAction::new(title) })
}
