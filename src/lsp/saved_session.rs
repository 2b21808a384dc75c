//! What a session has that its editor does not send again, if its shared server is lost.
//!
//! A shared server tells each window, which hands it to the next server with the handshake ([`super::window`]).

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clock;
use super::requests::snooze::snooze_for;
use super::serving::Pick;
use super::state::ServerState;
use crate::model::usage::Tally;
use crate::route::Gear;

/// More numbers than a server gives to suggestions between two reports.
const NUMBERS: u64 = 1 << 20;

/// The state of one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SavedSession {
    /// When the snooze ends, in milliseconds since 1970.
    snoozed_until: Option<u64>,
    /// The picked candidates: gear, provider and model.
    picks: Vec<[String; 3]>,
    spent: Tally,
    /// The random name of the session.
    name: String,
    /// The number of the next suggestion: the editor may still report on earlier ones.
    suggestion: u64,
}

impl SavedSession {
    /// Reads what a window hands over; `null` at the start of a session.
    pub(super) fn read(state: Value) -> Self {
        let read = serde_json::from_value::<Option<Self>>(state).unwrap_or_else(|error| {
            tracing::warn!(%error, "the state of the session is not carried over: another version wrote it");
            None
        });
        read.unwrap_or_default()
    }

    pub(super) fn of(state: &ServerState) -> Self {
        let now = tokio::time::Instant::now().into_std();
        let snoozed = state.session.lock().user().snoozed(now);
        let (picks, name) = {
            let configuration = state.configuration();
            (configuration.picks.clone(), configuration.keys.session().to_owned())
        };
        Self {
            name,
            snoozed_until: snoozed.map(|until| clock::end_of(until.saturating_duration_since(now))),
            picks: picks.into_iter().map(|it| [it.gear.name().to_owned(), it.provider, it.model]).collect(),
            spent: state.serving.get().gears.meter.totals().session,
            suggestion: state.ids.upcoming(),
        }
    }

    /// The random name of the session, if it goes on.
    pub(super) fn name(&self) -> Option<String> {
        Some(self.name.clone()).filter(|it| !it.is_empty())
    }

    /// The candidates that the settings are to prefer.
    pub(super) fn picks(&self) -> Vec<Pick> {
        let pick = |[gear, provider, model]: &[String; 3]| {
            let (provider, model) = (provider.clone(), model.clone());
            Some(Pick { gear: Gear::by_name(gear)?, provider, model })
        };
        self.picks.iter().filter_map(pick).collect()
    }

    /// Continues with this state, once the settings are loaded.
    pub(super) fn restore(&self, state: &Arc<ServerState>) {
        let left = self.snoozed_until.map(|until| until.saturating_sub(clock::now()));
        if let Some(left) = left.filter(|left| *left > 0) {
            snooze_for(state, Duration::from_millis(left));
        }
        state.serving.get().gears.meter.resume(&self.spent);
        if self.suggestion > 0 {
            state.ids.begin_at(self.suggestion.saturating_add(NUMBERS));
        }
    }
}
