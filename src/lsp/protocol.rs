//! The messages that are read or written for every key press, and those that name files.
//!
//! Custom types replace the generated ones for two reasons. A URI is echoed exactly as the editor spells it,
//! since it is the editor's key for the file; a URL type would normalize it. And a change is deserialized
//! without trying one variant after the other.

mod code_action;
mod execute_command;
mod inline_completion;
mod next_edit;
mod notebook;
mod workspace_edit;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::document::Document;

pub(super) use code_action::{
    ActionData, CodeAction, CodeActionContext, CodeActionRequest, FixAllData, FixData, OfferData,
};
pub(super) use execute_command::{
    AboutDocument, AskArguments, CheckPlanArguments, ExecuteCommand, FixArguments, JobArguments,
    PlanArguments, RewriteArguments, Snooze, UseModel,
};
pub(super) use inline_completion::{InlineCompletion, InlineItem};
pub(super) use next_edit::{Left, NextEdit, NextEditRequest, NextEdits, Place, Rename};
pub(super) use notebook::{
    Cell, CellArray, CellChanges, CellText, DidChangeNotebook, DidCloseNotebook, DidOpenNotebook,
    OpenedNotebook, Structure,
};
pub(super) use workspace_edit::{
    AnnotatedOperation, ApplyEdit, ApplyEditAnswer, ChangeAnnotation, DocumentChange, DocumentEdit,
    FileOperation, TextEdit, WorkspaceEdit,
};

/// The message that hands a window of a shared server what it keeps for the next one ([`super::saved_session`]).
pub(super) const SESSION_STATE: &str = "tandem/sessionState";

/// A position, with its character in the negotiated units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) character: u32,
}

/// The range between two positions; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Range {
    pub(super) start: Position,
    pub(super) end: Position,
}

/// `textDocument/didOpen`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidOpen {
    pub(super) text_document: OpenedDocument,
}

/// LSP 3.18, `TextDocumentItem`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenedDocument {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) language_id: String,
    pub(super) version: Option<i32>,
    pub(super) text: String,
}

/// `textDocument/didChange`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidChange {
    pub(super) text_document: DocumentRef,
    pub(super) content_changes: Vec<ContentChange>,
}

/// A document, and its version if the editor provides one.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(super) struct DocumentRef {
    pub(super) uri: String,
    pub(super) version: Option<i32>,
}

impl DocumentRef {
    /// A version of a document.
    pub(super) fn of(document: &Document) -> Self {
        Self { uri: document.id().as_str().to_owned(), version: Some(document.version()) }
    }
}

/// A changed range; without a range, the whole text.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct ContentChange {
    pub(super) range: Option<Range>,
    pub(super) text: String,
}

/// A notification about one document: `textDocument/didClose`, `didSave`, `willSave`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OnDocument {
    pub(super) text_document: DocumentRef,
}

/// `workspace/didChangeWatchedFiles`; the kind of change is determined from the disk.
#[derive(Deserialize)]
pub(super) struct DidChangeWatchedFiles {
    #[serde(default)]
    pub(super) changes: Vec<DocumentRef>,
}

/// `workspace/didChangeConfiguration`.
#[derive(Deserialize)]
pub(super) struct DidChangeConfiguration {
    #[serde(default)]
    pub(super) settings: Value,
}

/// `workspace/didChangeWorkspaceFolders`.
#[derive(Debug, Deserialize)]
pub(super) struct DidChangeFolders {
    pub(super) event: FoldersEvent,
}

/// LSP 3.18, `WorkspaceFoldersChangeEvent`.
#[derive(Debug, Deserialize)]
pub(super) struct FoldersEvent {
    #[serde(default)]
    pub(super) added: Vec<Folder>,
    #[serde(default)]
    pub(super) removed: Vec<Folder>,
}

/// A workspace folder; its name is not read.
#[derive(Debug, Deserialize)]
pub(super) struct Folder {
    pub(super) uri: String,
}

/// `tandem/didFocus`: the document that the user has focused, if any.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidFocus {
    pub(super) text_document: Option<DocumentRef>,
}

/// `tandem/diagnostics`: all diagnostics of other servers for a document.
#[derive(Debug, Deserialize)]
pub(super) struct Diagnostics {
    pub(super) uri: String,
    pub(super) version: Option<i32>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The fields of a diagnostic that are read; editors may add others.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Diagnostic {
    pub(super) range: Range,
    pub(super) severity: Option<u32>,
    /// A string or a number.
    pub(super) code: Option<Value>,
    pub(super) source: Option<String>,
    /// A string, or markup since LSP 3.18.
    pub(super) message: Value,
    pub(super) related_information: Option<Vec<Related>>,
}

/// LSP 3.18, `DiagnosticRelatedInformation`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Related {
    pub(super) location: Location,
    pub(super) message: String,
}

/// A range in a file.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Location {
    pub(super) uri: String,
    pub(super) range: Range,
}

/// A command that the editor or the server executes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Command {
    pub(super) title: String,
    pub(super) command: String,
    #[serde(default)]
    pub(super) arguments: Vec<Value>,
}

impl Command {
    pub(super) fn new(title: impl Into<String>, command: &str, argument: &impl Serialize) -> Self {
        Self { title: title.into(), command: command.to_owned(), arguments: vec![json!(argument)] }
    }
}

/// `window/workDoneProgress/cancel`.
#[derive(Debug, Deserialize)]
pub(super) struct CancelProgress {
    pub(super) token: Value,
}
