//! What requests for next edits need of the server, and what they take.

use crate::disk::Readers;
use crate::lsp::capabilities::NegotiatedClient;
use crate::lsp::protocol::NextEditRequest;
use crate::lsp::serving::CurrentServing;
use crate::lsp::session_lock::SessionLock;
use crate::lsp::state::ServerState;
use crate::lsp::suggestion_ids::SuggestionIds;

/// Which files a client takes next edits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lsp) enum Reach {
    /// The file of the request.
    SameFile,
    /// Any open file.
    AllFiles,
}

/// What next edits need of the server.
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

    /// What a request of this client takes.
    pub(super) fn wanted(&self, request: &NextEditRequest) -> EditLimits {
        EditLimits { limit: request.limit(), takes_renames: self.takes_renames() }
    }

    /// Whether the client can use what was renamed.
    pub(super) fn takes_renames(&self) -> bool {
        self.client.get().takes_renames
    }

    /// Whether an answer to this request says what is left in other files.
    pub(super) fn wants_left(&self, request: &NextEditRequest, reach: Reach) -> bool {
        reach == Reach::AllFiles && request.limit() == 1 && self.client.get().takes_left
    }
}

/// What a request takes of the queued edits.
#[derive(Clone, Copy)]
pub(super) struct EditLimits {
    /// The most edits.
    pub(super) limit: usize,
    /// Whether the client can use what was renamed.
    pub(super) takes_renames: bool,
}
