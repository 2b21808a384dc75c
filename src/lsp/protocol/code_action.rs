//! Code actions, and what is sent with them.

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
    /// Kept as they are: editors find them again by what they sent.
    #[serde(default)]
    pub(in crate::lsp) diagnostics: Vec<Value>,
    #[serde(default)]
    pub(in crate::lsp) only: Option<Vec<String>>,
    /// 1 if the user asked for actions, 2 if the editor asks by itself.
    #[serde(default)]
    pub(in crate::lsp) trigger_kind: Option<u32>,
}

/// A code action as it is sent, and as it comes back to be resolved.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct CodeAction {
    pub(in crate::lsp) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) kind: Option<String>,
    /// The diagnostics that it solves, as the editor sent them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::lsp) diagnostics: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    /// An action with nothing but a title.
    pub(in crate::lsp) fn new(title: String) -> Self {
        Self {
            title,
            kind: None,
            diagnostics: Vec::new(),
            is_preferred: None,
            tags: Vec::new(),
            edit: None,
            command: None,
            data: None,
        }
    }
}

/// What a code action is about: sent with it, and back with `codeAction/resolve`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(in crate::lsp) enum ActionData {
    Fix(FixData),
    FixAll(FixAllData),
    Instruct(OfferData),
}

/// What a quick fix is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::lsp) struct FixData {
    pub(in crate::lsp) uri: String,
    pub(in crate::lsp) version: i32,
    /// The diagnostic as the editor sent it.
    pub(in crate::lsp) fix: Value,
}

/// What an action for all fixes of one kind is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct FixAllData {
    pub(in crate::lsp) uri: String,
    pub(in crate::lsp) version: i32,
    /// The kind, in words.
    pub(in crate::lsp) all_of: String,
}

/// What an instruction's action is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::lsp) struct OfferData {
    pub(in crate::lsp) uri: String,
    pub(in crate::lsp) version: i32,
    pub(in crate::lsp) instruction: String,
    /// The line on which the offer's lines begin, in that version.
    pub(in crate::lsp) line: u32,
}
