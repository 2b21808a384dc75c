//! The options of a request for next edits.

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

/// The options for taking queued edits.
#[derive(Clone, Copy)]
pub(super) struct EditLimits {
    /// The maximum number of edits.
    pub(super) limit: usize,
    /// Whether the client can perform renames.
    pub(super) takes_renames: bool,
}

impl EditLimits {
    /// The options of a request of this client.
    pub(super) fn of(state: &ServerState, request: &NextEditRequest) -> Self {
        Self { limit: request.limit(), takes_renames: state.client.get().takes_renames }
    }
}

/// Whether an answer to this request reports the remaining work in other files.
pub(super) fn wants_left(state: &ServerState, request: &NextEditRequest, reach: Reach) -> bool {
    reach == Reach::AllFiles && request.limit() == 1 && state.client.get().takes_left
}
