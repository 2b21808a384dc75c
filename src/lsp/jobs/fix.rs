//! Quick fixes: one for each diagnostic that the editor names, whichever server it is from. Listing asks no model.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::Instant;
use tower_lsp::jsonrpc::{Error, Result};

use super::super::backend::Shared;
use super::super::capabilities::{FIX, FIX_KIND};
use super::super::wire::{self, CodeAction, Command, FixArguments, FixData};
use super::super::{convert, progress, task};
use super::rewrite::carry;
use super::{MODEL_CAUSE, TITLE, failure, log_origin, parsing, remember};
use crate::assist::{Origin, Rewrite, certain_fix};
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::job::{Job, Outcome, Reason};
use crate::route::Gear;
use crate::snapshot::Problem;
use crate::text::printable;

/// Diagnostics of one request that get an action.
const MOST: usize = 8;
/// Characters of a diagnostic's message that a title shows.
const TITLE_LIMIT: usize = 60;
/// Other open files in which imports are looked for, at most, and the bytes of one.
const OTHERS: usize = 16;
const OTHER_BYTES: usize = 256 * 1024;

/// What listing needs beside the document.
pub(super) struct Context {
    pub(super) encoding: Encoding,
    /// The other open files.
    pub(super) others: Vec<Arc<Document>>,
    pub(super) folders: Vec<std::path::PathBuf>,
}

/// The actions for the diagnostics of a request: first what is certain without a model, then a question to one.
pub(super) fn offers(
    shared: &Shared,
    document: &Document,
    diagnostics: &[Value],
    context: &Context,
) -> Vec<CodeAction> {
    let has_model = [Gear::Fast, Gear::Deep].iter().any(|gear| shared.assist().model_name(*gear).is_some());
    let mut actions = Vec::new();
    for raw in diagnostics.iter().take(MOST) {
        let Ok(read) = serde_json::from_value::<wire::Diagnostic>(raw.clone()) else { continue };
        let shown = |uri: &str| convert::shown_path(uri, &context.folders);
        let problem = convert::problem(document, &read, context.encoding, shown);
        let others = others(document, &problem, &context.others);
        if let Some(fix) = certain_fix(document, &problem, &others) {
            let title = format!("{TITLE}{}", printable(&fix.title));
            // An editor that takes no code actions as such gets a command, which finds the same again.
            actions.push(if shared.client().code_actions {
                CodeAction {
                    kind: Some(FIX_KIND.to_owned()),
                    diagnostics: vec![raw.clone()],
                    is_preferred: Some(true),
                    edit: Some(convert::workspace_edit(document, &fix.edits, shared.client())),
                    ..CodeAction::new(title)
                }
            } else {
                question(shared, document, raw, title)
            });
        } else if has_model {
            let mut action =
                question(shared, document, raw, format!("{TITLE}fix “{}”", shortened(&problem.message)));
            // `CodeActionTag.LLMGenerated`.
            action.tags = if shared.client().marks_generated { vec![1] } else { Vec::new() };
            actions.push(action);
        }
    }
    actions
}

/// A message as it fits into a title.
fn shortened(message: &str) -> String {
    let words = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(TITLE_LIMIT).collect();
    let cut = if short.len() < words.len() { "…" } else { "" };
    printable(&short).into_owned() + cut
}

/// The other files that have the name which a problem marks.
fn others(document: &Document, problem: &Problem, open: &[Arc<Document>]) -> Vec<Document> {
    let end = problem.span.end.min(document.text().len_bytes());
    let name = document.slice(problem.span.start.min(end)..end);
    if name.is_empty() || name.len() > 100 {
        return Vec::new();
    }
    let has_name = |other: &&Arc<Document>| {
        other.text().len_bytes() <= OTHER_BYTES
            && other.grammar().map(|it| it.id()) == document.grammar().map(|it| it.id())
            && other.text().to_string().contains(&name)
    };
    // Their trees are made for the occasion: how many are kept is the session's business.
    open.iter().filter(has_name).take(OTHERS).map(|other| other.without_tree()).collect()
}

/// The action that is worked out once it is picked.
fn question(shared: &Shared, document: &Document, raw: &Value, title: String) -> CodeAction {
    let client = shared.client();
    let uri = document.id().as_str().to_owned();
    let mut action = CodeAction {
        kind: Some(FIX_KIND.to_owned()),
        diagnostics: vec![raw.clone()],
        ..CodeAction::new(title.clone())
    };
    if client.resolves_edits {
        action.data = Some(json!(FixData { uri, version: document.version(), fix: raw.clone() }));
    } else {
        let text_document = wire::DocumentRef { uri, version: Some(document.version()) };
        let arguments = FixArguments { text_document, diagnostic: raw.clone() };
        action.command = Some(Command { title, command: FIX.to_owned(), arguments: vec![json!(arguments)] });
    }
    action
}

/// Fills in an action's edit: asks the model now.
pub(super) async fn resolve(
    shared: &Arc<Shared>,
    mut action: CodeAction,
    data: FixData,
) -> Result<CodeAction> {
    let id = DocumentId::new(&data.uri);
    let (edit, rewrite) = fix(shared, &id, Some(data.version), &data.fix, None).await?;
    action.edit = Some(edit);
    // Only now it is known, and not every client takes it now.
    if shared.client().resolves_preferred {
        action.is_preferred = Some(rewrite.flags.is_empty());
    }
    Ok(action)
}

/// `tandem.fix`: fixes a problem and has the editor apply the result.
pub(in crate::lsp) async fn fix_command(
    shared: &Arc<Shared>,
    arguments: FixArguments,
    work_done_token: Option<Value>,
) -> Result<Value> {
    if !shared.client().applies_edits {
        return Err(Error::invalid_params("this editor does not apply edits; use the quick fix"));
    }
    let id = DocumentId::new(&arguments.text_document.uri);
    let (edit, rewrite) =
        fix(shared, &id, arguments.text_document.version, &arguments.diagnostic, work_done_token).await?;
    shared.editor.apply(format!("{TITLE}fix"), edit);
    let Rewrite { flags, origin: Origin { gear, model, .. }, .. } = rewrite;
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    Ok(json!({ "gear": gear.name(), "model": model, "flags": flags }))
}

/// The edit that a diagnostic of this version of a document asks for, wherever its text is now, carried over what is
/// typed meanwhile.
async fn fix(
    shared: &Arc<Shared>,
    id: &DocumentId,
    version: Option<i32>,
    raw: &Value,
    work_done_token: Option<Value>,
) -> Result<(wire::WorkspaceEdit, Rewrite)> {
    let mut read: wire::Diagnostic = serde_json::from_value(raw.clone())
        .map_err(|error| Error::invalid_params(format!("the diagnostic cannot be read: {error}")))?;
    let (snapshot, problem, open) = {
        let session = shared.session();
        let snapshot = session.snapshot(id).map_err(|reason| failure(Job::Fix, &reason))?;
        let shown = |uri: &str| convert::shown_path(uri, session.folders());
        // The diagnostic's place is that of its version.
        let now = session.tracked(id).map(|file| convert::range_now(file, version, read.range));
        read.range = now.and_then(|now| now.ok_or(Reason::Stale)).map_err(|it| failure(Job::Fix, &it))?;
        let problem = convert::problem(&snapshot.document, &read, session.encoding(), shown);
        (snapshot, problem, session.others(id))
    };
    let shared = Arc::clone(shared);
    task::run(async move {
        let started = Instant::now();
        let certain = {
            let (document, problem) = (Arc::clone(&snapshot.document), problem.clone());
            parsing(&shared, document, move |document| {
                let others = others(document, &problem, &open);
                certain_fix(document, &problem, &others)
            })
            .await?
        };
        let made = match certain {
            Some(fix) => Ok(Rewrite { edits: fix.edits, flags: Vec::new(), origin: by_rule() }),
            None => {
                let title = format!("{TITLE}{}", shortened(&problem.message));
                let assist = shared.assist();
                let work = assist.fix(&snapshot, &problem);
                match progress::watched(&shared, title, work_done_token, work).await {
                    Ok(Outcome::Done(rewrite)) => Ok(rewrite),
                    Ok(Outcome::Nothing(reason)) => Err(reason),
                    Err(progress::Stopped) => Err(Reason::Cancelled),
                }
            }
        };
        shared.session().note_parsed(snapshot.document.id());
        let made = made.and_then(|rewrite| {
            shared.editor.recovered(MODEL_CAUSE);
            log_origin(Job::Fix, &rewrite.origin);
            let (current, edits) = carry(&shared, &snapshot.document, rewrite.edits.clone())?;
            Ok((convert::workspace_edit(&current, &edits, shared.client()), rewrite))
        });
        let origin = made.as_ref().map(|(_, rewrite)| &rewrite.origin);
        remember(&shared, Job::Fix, &snapshot.document, problem.span.start, started, origin);
        made.map_err(|reason| failure(Job::Fix, &reason))
    })
    .await?
}

fn by_rule() -> Origin {
    Origin { gear: Gear::Local, reason: "certain by rule".into(), model: None, usage: Default::default() }
}
