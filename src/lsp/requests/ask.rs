//! `tandem.ask`: finds where something is defined, from the index.
//!
//! A model answers in words, if requested.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower_lsp::jsonrpc::{Error, Result};

use super::title::{shortened, title};
use crate::assist::AskRequest;
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::job::{Job, Reason};
use crate::lsp::capabilities::{ASK, ASK_KIND};
use crate::lsp::convert;
use crate::lsp::errors::{failure, gear};
use crate::lsp::protocol::{AskArguments, CodeAction, Command, DocumentRef, Position, Range};
use crate::lsp::state::ServerState;
use crate::lsp::task;
use crate::route::Gear;
use crate::text::ident;
use crate::workspace::{Answer, FileDefinition, Workspace};

/// The maximum number of answers to one question.
const MOST_ANSWERS: usize = 20;
/// The lane for searches, which concern all folders, and the time that they have.
const LANE: &str = "*search*";
const DISK_TIMEOUT: Duration = Duration::from_secs(1);

/// Answers a question in words, or a question about the name at a position.
///
/// The editor shows the first answer, unless a model answers in words or `quiet` is set.
pub(in crate::lsp) async fn ask(
    state: Arc<ServerState>,
    arguments: AskArguments,
    work_done_token: Option<Value>,
) -> Result<Value> {
    let (workspace, encoding) = {
        let session = state.session.lock();
        (Arc::clone(session.workspace()), session.encoding())
    };
    let (question, answers) = match (&arguments.question, &arguments.text_document, arguments.position) {
        (Some(question), ..) => (question.clone(), search(&state, workspace, question).await?),
        (None, Some(at), Some(position)) => {
            let id = DocumentId::new(&at.uri);
            let document = state.session.lock().snapshot(&id).ok().map(|it| it.document);
            let Some(document) = document else {
                return Err(Error::invalid_params(format!("{} is not open", at.uri)));
            };
            let byte = convert::byte(&document, position, encoding);
            let start = document.line_start(byte);
            let line = document.slice(start..document.next_line_start(byte));
            let name = &line[ident::around(&line, byte - start)];
            (format!("What is `{name}`, and how is it used?"), meant(&workspace, &document, byte))
        }
        _ => {
            return Err(Error::invalid_params(
                "a question is needed, or a document and a position".to_owned(),
            ));
        }
    };
    let listed: Vec<Value> = answers.iter().filter_map(|(place, why)| answer(place, why)).collect();
    if arguments.reply {
        let reply = reply(state, question, &arguments, work_done_token).await?;
        return Ok(json!({ "answers": listed, "reply": reply }));
    }
    let is_shown = state.client.get().shows_documents && !arguments.quiet;
    if let Some(first) = listed.first().filter(|_| is_shown) {
        state.editor.show_document(json!({
            "uri": first["uri"], "selection": first["range"], "takeFocus": true,
        }));
    }
    Ok(json!({ "answers": listed }))
}

/// Definitions that match a question, each with the reason.
///
/// If the disk does not answer in time, bodies of functions are left out.
async fn search(
    state: &ServerState,
    workspace: Arc<Workspace>,
    question: &str,
) -> Result<Vec<(FileDefinition, String)>> {
    let (searched, words) = (Arc::clone(&workspace), question.to_owned());
    let search = move || searched.search(&words, MOST_ANSWERS);
    let found = match state.readers.run_within(Path::new(LANE), DISK_TIMEOUT, search).await {
        Ok(found) => found,
        Err(_) => {
            let words = question.to_owned();
            task::run_blocking(move || workspace.search_index(&words, MOST_ANSWERS)).await?
        }
    };
    let by_words = |it: Answer| (it.place, format!("by {}", it.words.join(", ")));
    Ok(found.into_iter().map(by_words).collect())
}

/// A model's answer to a question; `null` if there is no model.
async fn reply(
    state: Arc<ServerState>,
    question: String,
    arguments: &AskArguments,
    work_done_token: Option<Value>,
) -> Result<Value> {
    let gear = gear(arguments.gear.as_deref())?;
    let request = request(&state, question.clone(), gear);
    let assist = state.serving.assist();
    let (said, mut heard) = mpsc::unbounded_channel::<String>();
    let (editor, token) = (state.editor.clone(), arguments.partial_result_token.clone());
    let outcome = task::run(async move {
        let answer = async move {
            let mut said = |text: &str| {
                // The receiver lives until this sender is dropped.
                said.send(text.to_owned()).ok();
            };
            assist.ask(&request, &mut said).await
        };
        let pass_on = async move {
            while let Some(text) = heard.recv().await {
                if let Some(token) = &token {
                    editor.progress(token, json!({ "text": text })).await;
                }
            }
        };
        let both = async { futures_util::join!(answer, pass_on).0 };
        state
            .bars
            .watch(title(&shortened(&question)), work_done_token, both)
            .await
            .unwrap_or(Err(Reason::Cancelled))
    })
    .await?;
    match outcome {
        Ok((answer, origin)) => {
            let places = answer.places.iter().filter_map(|it| {
                let line = u32::try_from(it.line.checked_sub(1)?).ok()?;
                let at = Position { line, character: 0 };
                let (uri, range) = (convert::file_uri(&it.file)?, Range { start: at, end: at });
                Some(json!({ "uri": uri, "range": range, "path": it.path, "text": it.text }))
            });
            Ok(json!({
                "text": answer.text, "places": places.collect::<Vec<Value>>(), "missing": answer.missing,
                "unplaced": answer.uncited_paragraphs, "gear": origin.gear.name(), "model": origin.model,
            }))
        }
        Err(reason) if reason.is_lack_of_model() => Ok(Value::Null),
        Err(reason) => Err(failure(Job::Ask, &reason)),
    }
}

/// A question about the current workspace folders.
fn request(state: &Arc<ServerState>, question: String, gear: Option<Gear>) -> AskRequest {
    let session = state.session.lock();
    let (roots, settings) = (session.folders().to_vec(), session.scoped().clone());
    let folders: Vec<PathBuf> = roots.clone();
    AskRequest {
        question,
        gear,
        roots,
        workspace: Arc::clone(session.workspace()),
        access: settings.access(folders.clone()),
        settings,
        open: session.paths_by_use(),
        shown: Arc::new(move |path| convert::shown_file(path, &folders).into()),
        readers: state.readers.clone(),
    }
}

/// The definitions that the name at a byte may refer to, each with the reason.
fn meant(workspace: &Workspace, document: &Document, byte: usize) -> Vec<(FileDefinition, String)> {
    let Some(path) = convert::file_path(document.id().as_str()) else { return Vec::new() };
    let resolved = workspace.resolve_at(&path, document, byte);
    resolved.into_iter().take(MOST_ANSWERS).map(|it| (it.place, it.why.to_string())).collect()
}

/// The line of a definition.
///
/// The index stores bytes, which cannot be converted to columns without the text.
fn answer(place: &FileDefinition, why: &str) -> Option<Value> {
    let definition = place.definition();
    let at = Position { line: u32::try_from(definition.line).ok()?, character: 0 };
    let uri = convert::file_uri(place.path())?;
    Some(json!({
        "uri": uri, "range": Range { start: at, end: at }, "name": definition.name,
        "kind": definition.kind.name(), "signature": definition.signature, "doc": definition.doc, "why": why,
    }))
}

/// The action that shows where the name at a byte is defined.
///
/// Returns `None` if that is at the cursor, or unknown.
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
    let command = Command::new(title.clone(), ASK, &arguments);
    Some(CodeAction { command: Some(command), ..CodeAction::new(ASK_KIND, title) })
}
