//! `tandem.raiseBudget`: allows as much again today, in this session.

use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;

use crate::lsp::errors::refusal;
use crate::lsp::state::ServerState;

/// Raises the day's budget, if it is spent and no policy limits it.
pub(in crate::lsp) fn raise_budget(state: &ServerState) -> Result<Value> {
    let budget = state.serving.get().gears.meter.raise().map_err(refusal)?;
    state.editor.forget("budget");
    state.status_changed.notify_one();
    let dollars = budget.day_dollars.map(|limit| format!("${limit}"));
    let limits = dollars.into_iter().chain(budget.day_tokens.map(|limit| format!("{limit} tokens")));
    let limits = limits.collect::<Vec<_>>().join(" and ");
    state.editor.tell(format!(
        "Tandem: the budget is {limits} until the day (UTC) ends, for this session only; the settings stay as they are"
    ));
    Ok(json!({ "dayDollars": budget.day_dollars, "dayTokens": budget.day_tokens }))
}
