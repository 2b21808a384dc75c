//! Requests for next edits: `tandem/nextEdit`.

use serde::{Deserialize, Serialize};

use super::{Command, DocumentRef, Position, Range};

/// `tandem/nextEdit`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct NextEditRequest {
    pub(in crate::lsp) text_document: DocumentRef,
    pub(in crate::lsp) position: Position,
    pub(in crate::lsp) context: Option<NextEditContext>,
}

/// How next edits are requested.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct NextEditContext {
    /// As `InlineCompletionTriggerKind`: 1 is invoked, 2 is automatic.
    pub(in crate::lsp) trigger_kind: Option<u32>,
    /// Whether all edits are wanted, not only the first.
    #[serde(default)]
    pub(in crate::lsp) all: bool,
    /// Whether the last dismissed edit is wanted again.
    #[serde(default)]
    pub(in crate::lsp) dismissed: bool,
}

impl NextEditRequest {
    /// Whether the user requested it explicitly.
    pub(in crate::lsp) fn is_invoked(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.trigger_kind == Some(1))
    }

    /// The maximum number of edits in the answer.
    pub(in crate::lsp) fn limit(&self) -> usize {
        if self.context.as_ref().is_some_and(|context| context.all) { usize::MAX } else { 1 }
    }

    /// Whether the last dismissed edit is wanted again.
    pub(in crate::lsp) fn wants_dismissed(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.dismissed)
    }
}

/// The answer: at most one edit, unless all are wanted.
#[derive(Debug, Serialize)]
pub(in crate::lsp) struct NextEdits {
    pub(in crate::lsp) edits: Vec<NextEdit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) left: Option<Left>,
}

/// The remaining work in other files after the change that the edits follow from.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct Left {
    pub(in crate::lsp) places: Vec<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) rename: Option<Rename>,
    /// The instruction for `tandem.plan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) instruction: Option<String>,
}

/// LSP 3.18, `Location`.
#[derive(Debug, PartialEq, Serialize)]
pub(in crate::lsp) struct Place {
    pub(in crate::lsp) uri: String,
    pub(in crate::lsp) range: Range,
}

/// An edit, and the command that accepts it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct NextEdit {
    pub(in crate::lsp) id: u64,
    pub(in crate::lsp) text: String,
    pub(in crate::lsp) range: Range,
    pub(in crate::lsp) text_document: DocumentRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) rename: Option<Rename>,
    pub(in crate::lsp) command: Command,
}

/// A name that was changed at its declaration.
///
/// The remaining uses have to follow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct Rename {
    pub(in crate::lsp) from: String,
    pub(in crate::lsp) to: String,
    /// The range of the declared name.
    pub(in crate::lsp) range: Range,
    pub(in crate::lsp) text_document: DocumentRef,
}
