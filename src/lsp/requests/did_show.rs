//! `tandem/didShow` and its aliases: a suggestion was drawn.

use serde::Deserialize;

use crate::lsp::serving::CurrentServing;
use crate::lsp::session_lock::SessionLock;
use crate::model::News;

#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct DidShow {
    pub(in crate::lsp) item: ReportedItem,
}

/// Counts a suggestion as drawn. An unknown number is ignored.
pub(in crate::lsp) fn did_show(session: &SessionLock, serving: &CurrentServing, report: &DidShow) {
    let number = report.item.number();
    let (known, items, reactions) = {
        let mut session = session.lock();
        let mut feedback = session.feedback();
        (feedback.mark_drawn(number), feedback.shown_items(number), feedback.take_reactions())
    };
    serving.count(reactions);
    serving.tell(items.into_iter().map(News::Shown));
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
