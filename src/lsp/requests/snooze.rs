//! `tandem.snooze`: suppresses automatic suggestions for a while.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use tower_lsp::jsonrpc::{Error, Result};

use crate::lsp::clock;
use crate::lsp::limits::{LONGEST_SNOOZE, SNOOZE_MINUTES};
use crate::lsp::protocol::Snooze;
use crate::lsp::state::ServerState;

/// Suppresses automatic suggestions for some minutes; 0 ends the suppression.
pub(in crate::lsp) fn snooze(state: &ServerState, arguments: &Snooze) -> Result<Value> {
    let minutes = arguments.minutes.unwrap_or(SNOOZE_MINUTES);
    let length = Duration::try_from_secs_f64(minutes * 60.0).ok().filter(|it| *it <= LONGEST_SNOOZE);
    let Some(length) = length else {
        let most = LONGEST_SNOOZE.as_secs() / 60;
        return Err(Error::invalid_params(format!("`minutes` is {minutes}; give a number from 0 to {most}")));
    };
    Ok(json!({ "snoozedUntil": snooze_for(state, length).map(|()| clock::end_of(length)) }))
}

/// Suppresses automatic suggestions from now on; `None` if the time is zero, which ends the suppression.
pub(in crate::lsp) fn snooze_for(state: &ServerState, length: Duration) -> Option<()> {
    let until = (!length.is_zero()).then(|| Instant::now() + length);
    state.session.lock().user_mut().snooze(until.map(Instant::into_std));
    state.status_changed.notify_one();
    let until = until?;
    let status_changed = Arc::downgrade(&state.status_changed);
    tokio::spawn(async move {
        tokio::time::sleep_until(until).await;
        if let Some(status_changed) = status_changed.upgrade() {
            status_changed.notify_one();
        }
    });
    Some(())
}
