//! The parts of the server that requests for next edits use, and the options of a request.

use crate::disk::Readers;
use crate::lsp::capabilities::NegotiatedClient;
use crate::lsp::protocol::NextEditRequest;
use crate::lsp::serving::CurrentServing;
use crate::lsp::session_lock::SessionLock;
use crate::lsp::state::ServerState;
use crate::lsp::suggestion_ids::SuggestionIds;

/// The files that a client accepts next edits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lsp) enum Reach {
    /// The file of the request.
    SameFile,
    /// Any open file.
    AllFiles,
}

/// The parts of the server that next edits use.
#[derive(Clone)]
pub(in crate::lsp) struct SearchContext {
    pub(super) session: SessionLock,
    pub(super) serving: CurrentServing,
    pub(super) ids: SuggestionIds,
    pub(super) readers: Readers,
    client: NegotiatedClient,
}

impl SearchContext {
    pub(in crate::lsp) fn new(state: &ServerState) -> Self {
        Self {
            session: state.session.clone(),
            serving: state.serving.clone(),
            ids: state.ids.clone(),
            readers: state.readers.clone(),
            client: state.client.clone(),
        }
    }

    /// The options of a request of this client.
    pub(super) fn wanted(&self, request: &NextEditRequest) -> EditLimits {
        EditLimits { limit: request.limit(), takes_renames: self.takes_renames() }
    }

    /// Whether the client can perform renames.
    pub(super) fn takes_renames(&self) -> bool {
        self.client.get().takes_renames
    }

    /// Whether an answer to this request reports the remaining work in other files.
    pub(super) fn wants_left(&self, request: &NextEditRequest, reach: Reach) -> bool {
        reach == Reach::AllFiles && request.limit() == 1 && self.client.get().takes_left
    }
}

/// The options for taking queued edits.
#[derive(Clone, Copy)]
pub(super) struct EditLimits {
    /// The maximum number of edits.
    pub(super) limit: usize,
    /// Whether the client can perform renames.
    pub(super) takes_renames: bool,
}
