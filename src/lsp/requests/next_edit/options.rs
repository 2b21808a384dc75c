//! A request for next edits, and its options.

use std::sync::Arc;

use crate::document::DocumentId;
use crate::lsp::protocol::NextEditRequest;
use crate::lsp::state::ServerState;

/// The files that a client accepts next edits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lsp) enum Reach {
    /// The file of the request.
    SameFile,
    /// Any open file.
    AllFiles,
}

/// A request for next edits.
pub(super) struct Asked<'a> {
    pub(super) state: &'a Arc<ServerState>,
    /// The file that it is about.
    pub(super) id: DocumentId,
    pub(super) request: NextEditRequest,
    pub(super) reach: Reach,
}

impl Asked<'_> {
    /// Whether the client can perform renames.
    pub(super) fn takes_renames(&self) -> bool {
        self.state.client.get().takes_renames
    }

    /// Whether the answer reports the remaining work in other files.
    pub(super) fn wants_left(&self) -> bool {
        self.reach == Reach::AllFiles && self.request.limit() == 1 && self.state.client.get().takes_left
    }
}
