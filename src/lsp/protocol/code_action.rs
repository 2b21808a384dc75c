//! Code actions and their data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::workspace_edit::WorkspaceEdit;
use super::{Command, DocumentRef, Range};

/// `textDocument/codeAction`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct CodeActionRequest {
    pub(in crate::lsp) text_document: DocumentRef,
    pub(in crate::lsp) range: Range,
    #[serde(default)]
    pub(in crate::lsp) context: CodeActionContext,
}

/// LSP 3.18, `CodeActionContext`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct CodeActionContext {
    /// Kept verbatim: editors match them with the ones they sent.
    #[serde(default)]
    pub(in crate::lsp) diagnostics: Vec<Value>,
    pub(in crate::lsp) only: Option<Vec<String>>,
    /// 1 if the user requested actions, 2 if the editor requests them automatically.
    pub(in crate::lsp) trigger_kind: Option<u32>,
}

/// A code action as it is sent, and as it is returned to be resolved.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct CodeAction {
    pub(in crate::lsp) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) kind: Option<String>,
    /// The diagnostics that it fixes, as the editor sent them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::lsp) diagnostics: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) is_preferred: Option<bool>,
    /// LSP 3.18 `CodeActionTag`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::lsp) tags: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) edit: Option<WorkspaceEdit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) command: Option<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) data: Option<Value>,
}

impl CodeAction {
    /// An action with nothing but a kind and a title.
    pub(in crate::lsp) fn new(kind: &str, title: String) -> Self {
        Self {
            title,
            kind: Some(kind.to_owned()),
            diagnostics: Vec::new(),
            is_preferred: None,
            tags: Vec::new(),
            edit: None,
            command: None,
            data: None,
        }
    }
}

/// The data of a code action: sent with it, and returned with `codeAction/resolve`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(in crate::lsp) enum ActionData {
    Fix(FixData),
    FixAll(FixAllData),
    Instruct(OfferData),
}

/// The data of a quick fix.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::lsp) struct FixData {
    pub(in crate::lsp) uri: String,
    pub(in crate::lsp) version: i32,
    /// The diagnostic as the editor sent it.
    pub(in crate::lsp) fix: Value,
}

/// The data of an action that applies all fixes of one kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct FixAllData {
    pub(in crate::lsp) uri: String,
    pub(in crate::lsp) version: i32,
    /// The name of the kind.
    pub(in crate::lsp) all_of: String,
}

/// The data of an action for an instruction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::lsp) struct OfferData {
    pub(in crate::lsp) uri: String,
    pub(in crate::lsp) version: i32,
    pub(in crate::lsp) instruction: String,
    /// The first line of the offer, in that version.
    pub(in crate::lsp) line: u32,
}
