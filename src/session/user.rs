//! The user's typing rate, reactions to suggestions and snoozing, over all files.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::ghost::trigger::UserActivity;
use super::ghost::{Acceptance, LastEdit, OutcomeCounts, Source, TypingRate};
use crate::config::Eagerness;
use crate::session::limits::{LATENCY_SHARE, rejection_pause};

/// The user's behavior over all files.
#[derive(Debug, Default)]
pub struct User {
    pub(super) typing: TypingRate,
    pub(super) acceptance: Acceptance,
    /// Automatic suggestions are suppressed until this time.
    snoozed: Option<Instant>,
    /// How long the gear takes to produce something worth showing.
    latency: Option<Duration>,
}

impl User {
    /// Suppresses automatic suggestions until `until`; `None` ends that.
    pub fn snooze(&mut self, until: Option<Instant>) {
        self.snoozed = until;
    }

    /// The time until which automatic suggestions are suppressed, if it is in the future.
    pub fn snoozed(&self, now: Instant) -> Option<Instant> {
        self.snoozed.filter(|until| *until > now)
    }

    /// Records how long a model took to produce something worth showing.
    pub fn record_latency(&mut self, latency: Duration) {
        self.latency = Some(match self.latency {
            Some(mean) => mean.mul_f64(1.0 - LATENCY_SHARE) + latency.mul_f64(LATENCY_SHARE),
            None => latency,
        });
    }

    /// Records that a model was called for an automatic suggestion.
    pub fn record_call(&mut self, now: Instant) {
        self.acceptance.record_call(now);
    }

    /// How often suggestions were shown, accepted and rejected in this session, by source.
    pub fn counts(&self) -> &BTreeMap<Source, OutcomeCounts> {
        &self.acceptance.counts
    }

    /// Whether automatic suggestions pause, since the user has just rejected one.
    pub fn rejected_recently(&self, eagerness: Eagerness, now: Instant) -> bool {
        self.acceptance.since_rejection(now).is_some_and(|since| since < rejection_pause(eagerness))
    }

    pub(super) fn activity(&self, last_edit: LastEdit, is_undo: bool, now: Instant) -> UserActivity {
        UserActivity {
            last_edit: last_edit.kind,
            is_undo,
            since_edit: last_edit.at.map(|at| now.saturating_duration_since(at)),
            key_gap: self.typing.median_gap(),
            latency: self.latency,
            delay_factor: self.acceptance.delay_factor(now),
            unused_calls: self.acceptance.unused_calls(now),
            since_rejection: self.acceptance.since_rejection(now),
            is_snoozed: self.snoozed(now).is_some(),
        }
    }
}
