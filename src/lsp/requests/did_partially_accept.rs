//! `tandem/didPartiallyAccept` and its alias: a word or a line of a suggestion was accepted.

use serde::Deserialize;
use tokio::time::Instant;

use super::did_show::ReportedItem;
use crate::lsp::serving::accepted;
use crate::lsp::state::ServerState;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct DidPartiallyAccept {
    pub(in crate::lsp) item: ReportedItem,
    /// How many UTF-16 units of the item's text were accepted so far.
    ///
    /// The remainder is computed from the text; if the user undoes these units, they are not offered again.
    pub(in crate::lsp) accepted_length: u32,
}

/// Counts the beginning of a suggestion as accepted. An unknown number is ignored.
pub(in crate::lsp) fn did_partially_accept(state: &ServerState, report: &DidPartiallyAccept) {
    let accepted_length = report.accepted_length;
    if accepted_length == 0 {
        return;
    }
    let units = usize::try_from(accepted_length).unwrap_or(usize::MAX);
    let now = Instant::now().into_std();
    let number = report.item.number();
    let known = state.serving.react(&state.session, |feedback| {
        (feedback.accept_part(number, units, now), accepted(feedback.accepted_items(number)))
    });
    tracing::debug!(known, accepted_length, "a part of a suggestion was accepted");
}
