//! File changes for the editor to apply.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{DocumentRef, Range};

/// LSP 3.18, `WorkspaceEdit`: changes in order.
///
/// For editors without support for these, edits by URI.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct WorkspaceEdit {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) document_changes: Option<Vec<DocumentChange>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) changes: Option<BTreeMap<String, Vec<TextEdit>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) change_annotations: Option<BTreeMap<String, ChangeAnnotation>>,
}

/// An annotation shown for a change before it is applied, LSP 3.16.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct ChangeAnnotation {
    pub(in crate::lsp) label: String,
    /// Whether the user has to confirm the change individually.
    pub(in crate::lsp) needs_confirmation: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) description: Option<String>,
}

/// One change of a workspace edit; changes are applied in order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(in crate::lsp) enum DocumentChange {
    File(AnnotatedOperation),
    Edit(DocumentEdit),
}

/// A file operation with its annotation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct AnnotatedOperation {
    #[serde(flatten)]
    pub(in crate::lsp) operation: FileOperation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) annotation_id: Option<String>,
}

/// LSP 3.18, "File Resource changes".
///
/// Without options an existing file is never overwritten.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(in crate::lsp) enum FileOperation {
    Create { uri: String },
    Rename { old_uri: String, new_uri: String },
    Delete { uri: String },
}

/// Edits of one document, in the version that they were made for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct DocumentEdit {
    pub(in crate::lsp) text_document: DocumentRef,
    pub(in crate::lsp) edits: Vec<TextEdit>,
}

/// An edit with its annotation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct TextEdit {
    pub(in crate::lsp) range: Range,
    pub(in crate::lsp) new_text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) annotation_id: Option<String>,
}

/// `workspace/applyEdit`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::lsp) struct ApplyEdit {
    pub(in crate::lsp) label: String,
    pub(in crate::lsp) edit: WorkspaceEdit,
}

/// The answer to `workspace/applyEdit`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct ApplyEditAnswer {
    pub(in crate::lsp) applied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) failure_reason: Option<String>,
}
