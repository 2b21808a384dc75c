//! Requests for ghost text, LSP 3.18.

use serde::{Deserialize, Serialize};

use super::{Command, DocumentRef, Position, Range};

/// `textDocument/inlineCompletion`, with the version that some editors add.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct InlineCompletion {
    pub(in crate::lsp) text_document: DocumentRef,
    pub(in crate::lsp) position: Position,
    #[serde(default)]
    pub(in crate::lsp) context: InlineContext,
}

impl InlineCompletion {
    /// LSP 3.18, `InlineCompletionTriggerKind.Invoked`.
    pub(in crate::lsp) fn is_invoked(&self) -> bool {
        self.context.trigger_kind == 1
    }
}

/// LSP 3.18, `InlineCompletionContext`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct InlineContext {
    #[serde(default)]
    pub(in crate::lsp) trigger_kind: u32,
    pub(in crate::lsp) selected_completion_info: Option<SelectedCompletion>,
}

/// The selected entry of the editor's completion menu.
#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct SelectedCompletion {
    pub(in crate::lsp) range: Range,
    pub(in crate::lsp) text: String,
}

/// LSP 3.18, `InlineCompletionItem`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct InlineItem {
    pub(in crate::lsp) insert_text: String,
    pub(in crate::lsp) range: Range,
    pub(in crate::lsp) command: Command,
    /// Whether it is a prediction while a model is being called.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::lsp) is_provisional: bool,
}
