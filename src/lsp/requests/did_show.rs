//! `tandem/didShow` and its aliases: a suggestion was drawn.

use serde::Deserialize;

use super::reported_item::ReportedItem;
use crate::lsp::session_lock::SessionLock;

#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct DidShow {
    item: ReportedItem,
}

/// Counts a suggestion as drawn. An unknown number changes nothing.
pub(in crate::lsp) fn did_show(session: &SessionLock, report: &DidShow) {
    let known = session.lock().feedback().mark_drawn(report.item.number());
    tracing::debug!(known, "a suggestion was drawn");
}
