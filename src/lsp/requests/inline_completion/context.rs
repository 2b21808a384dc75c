//! The parts of the server that ghost text uses.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::lsp::background_parse::BackgroundParser;
use crate::lsp::call_signals::CallSignals;
use crate::lsp::capabilities::NegotiatedClient;
use crate::lsp::editor::Editor;
use crate::lsp::limits::SUGGESTIONS;
use crate::lsp::progress::ProgressBars;
use crate::lsp::related::RelatedFiles;
use crate::lsp::serving::CurrentServing;
use crate::lsp::session_lock::SessionLock;
use crate::lsp::state::ServerState;
use crate::lsp::suggestion_ids::SuggestionIds;

/// The parts of the server that ghost text uses.
#[derive(Clone)]
pub(in crate::lsp) struct CompletionContext {
    pub(super) session: SessionLock,
    pub(super) serving: CurrentServing,
    pub(super) client: NegotiatedClient,
    pub(super) editor: Editor,
    pub(super) parser: BackgroundParser,
    pub(super) related: RelatedFiles,
    pub(super) ids: SuggestionIds,
    pub(super) signals: CallSignals,
    pub(super) status_changed: Arc<Notify>,
    pub(super) bars: ProgressBars,
}

impl CompletionContext {
    pub(in crate::lsp) fn new(state: &ServerState) -> Self {
        Self {
            session: state.session.clone(),
            serving: state.serving.clone(),
            client: state.client.clone(),
            editor: state.editor.clone(),
            parser: state.parser.clone(),
            related: state.related.clone(),
            ids: state.ids.clone(),
            signals: state.call_signals.clone(),
            status_changed: Arc::clone(&state.status_changed),
            bars: state.progress_bars(),
        }
    }

    /// The maximum number of suggestions for a request.
    pub(super) fn max_items(&self, is_explicit: bool) -> usize {
        if !is_explicit {
            return 1;
        }
        let shown = self.client.get().candidates.and_then(|it| usize::try_from(it).ok());
        shown.map_or(SUGGESTIONS, |shown| shown.clamp(1, SUGGESTIONS))
    }
}
