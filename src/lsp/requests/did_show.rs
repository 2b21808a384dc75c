//! `tandem/didShow` and its aliases: a suggestion was drawn.

use serde::Deserialize;

use crate::lsp::state::ServerState;
use crate::model::News;

#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct DidShow {
    pub(in crate::lsp) item: ReportedItem,
}

/// Counts a suggestion as drawn. An unknown number is ignored.
pub(in crate::lsp) fn did_show(state: &ServerState, report: &DidShow) {
    let number = report.item.number();
    let known = state.serving.react(&state.session, |feedback| {
        (feedback.mark_drawn(number), feedback.shown_items(number).into_iter().map(News::Shown))
    });
    tracing::debug!(known, "a suggestion was drawn");
}

/// A suggestion, by its number or by its command, which contains the number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(in crate::lsp) enum ReportedItem {
    Number(u64),
    Command { command: AcceptCommand },
    Bare(AcceptCommand),
}

#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct AcceptCommand {
    arguments: [u64; 1],
}

impl ReportedItem {
    pub(in crate::lsp) fn number(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Command { command: AcceptCommand { arguments: [number] } }
            | Self::Bare(AcceptCommand { arguments: [number] }) => *number,
        }
    }
}
