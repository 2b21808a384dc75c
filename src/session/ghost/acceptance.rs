//! Acceptance statistics, and the trigger delay factor derived from them.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use super::ghost_text::Source;

/// How many outcomes influence the delay.
const MAX_OUTCOMES: usize = 16;
/// How many counted suggestions are remembered.
const MAX_COUNTED: usize = 64;
/// The time after which an outcome's weight has halved.
const HALF_LIFE: Duration = Duration::from_secs(10 * 60);
/// The factor by which one rejection lengthens the delay.
const REJECTED_FACTOR: f64 = 1.5;
/// The factor by which one acceptance shortens the delay.
const ACCEPTED_FACTOR: f64 = 0.8;

/// How often suggestions of one source were shown, accepted and rejected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// Drawn in the editor, or sent to one that does not report what it draws.
    pub shown: u64,
    /// Accepted, as a whole or in part.
    pub accepted: u64,
    /// Dismissed explicitly.
    pub rejected: u64,
}

/// The user's reactions to suggestions in this session.
#[derive(Debug, Default)]
pub(in crate::session) struct Acceptance {
    /// The last acceptances and rejections, each with its factor, newest first.
    outcomes: VecDeque<(Instant, f64)>,
    pub(in crate::session) counts: BTreeMap<Source, OutcomeCounts>,
    last_rejection: Option<Instant>,
    /// The time of the last model call.
    ///
    /// Also the number of calls in a row without an accepted suggestion from a model.
    calls: Option<(Instant, u32)>,
    /// Whether the editor reports what it draws.
    pub(in crate::session) reports_drawn: bool,
    /// The numbers that were counted recently.
    counted: VecDeque<(u64, Event)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Shown,
    Accepted,
}

impl Acceptance {
    /// Records that a suggestion was sent to the editor. Returns true if it is now counted as shown.
    pub(in crate::session) fn mark_sent(&mut self, id: u64, source: &Source) -> bool {
        !self.reports_drawn && self.count_shown(id, source)
    }

    /// Records that a suggestion was drawn. Returns true if it is now counted as shown.
    pub(in crate::session) fn mark_drawn(&mut self, id: u64, source: &Source) -> bool {
        self.reports_drawn = true;
        self.count_shown(id, source)
    }

    /// Records that a suggestion, or a part of it, was accepted. Returns true if it is now counted.
    pub(in crate::session) fn accept(&mut self, id: u64, source: &Source, now: Instant) -> bool {
        let is_new = self.is_new(id, Event::Accepted);
        if is_new {
            self.push(now, ACCEPTED_FACTOR);
            // A suggestion of the local engine is not evidence about the model.
            if source.model.is_some() {
                self.calls = None;
            }
            self.counts.entry(source.clone()).or_default().accepted += 1;
        }
        is_new
    }

    /// Records that a suggestion was rejected.
    pub(in crate::session) fn reject(&mut self, source: &Source, now: Instant) {
        self.push(now, REJECTED_FACTOR);
        self.last_rejection = Some(now);
        self.counts.entry(source.clone()).or_default().rejected += 1;
    }

    /// Records that a model is called for a suggestion that the user did not request.
    pub(in crate::session) fn record_call(&mut self, now: Instant) {
        self.calls = Some((now, self.unused_calls(now).saturating_add(1)));
    }

    /// How many calls in a row led to no accepted suggestion.
    ///
    /// A long pause resets the count.
    pub(in crate::session) fn unused_calls(&self, now: Instant) -> u32 {
        let row = self.calls.filter(|(last, _)| now.saturating_duration_since(*last) < HALF_LIFE);
        row.map_or(0, |(_, count)| count)
    }

    /// The factor by which to multiply the delay before the next suggestion.
    pub(in crate::session) fn delay_factor(&self, now: Instant) -> f64 {
        let weigh = |(at, factor): &(Instant, f64)| {
            let age = now.saturating_duration_since(*at).as_secs_f64() / HALF_LIFE.as_secs_f64();
            factor.powf(0.5_f64.powf(age))
        };
        self.outcomes.iter().map(weigh).product::<f64>().clamp(0.5, 4.0)
    }

    /// How long ago a suggestion was rejected.
    pub(in crate::session) fn since_rejection(&self, now: Instant) -> Option<Duration> {
        self.last_rejection.map(|at| now.saturating_duration_since(at))
    }

    fn count_shown(&mut self, id: u64, source: &Source) -> bool {
        let is_new = self.is_new(id, Event::Shown);
        if is_new {
            self.counts.entry(source.clone()).or_default().shown += 1;
        }
        is_new
    }

    fn is_new(&mut self, id: u64, event: Event) -> bool {
        let is_new = !self.counted.contains(&(id, event));
        if is_new {
            self.counted.push_front((id, event));
            self.counted.truncate(MAX_COUNTED);
        }
        is_new
    }

    fn push(&mut self, now: Instant, factor: f64) {
        self.outcomes.push_front((now, factor));
        self.outcomes.truncate(MAX_OUTCOMES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_after_outcomes_changes_and_fades() {
        let start = Instant::now();
        let source = Source::default();
        let mut acceptance = Acceptance::default();
        assert_eq!(acceptance.delay_factor(start), 1.0);
        acceptance.reject(&source, start);
        assert_eq!(acceptance.delay_factor(start), 1.5);
        assert!(acceptance.delay_factor(start + HALF_LIFE) < 1.25);
        for id in 0..20 {
            acceptance.accept(id, &source, start);
        }
        assert_eq!(acceptance.delay_factor(start), 0.5, "it has limits");
    }

    #[test]
    fn row_of_unused_calls_ends_with_an_accepted_suggestion_or_a_pause() {
        let start = Instant::now();
        let model = Source { gear: "fast".into(), model: Some("m".into()) };
        let mut acceptance = Acceptance::default();
        assert_eq!(acceptance.unused_calls(start), 0);
        for _ in 0..3 {
            acceptance.record_call(start);
        }
        assert_eq!(acceptance.unused_calls(start + HALF_LIFE / 2), 3);
        assert_eq!(acceptance.unused_calls(start + HALF_LIFE), 0);
        acceptance.accept(1, &Source { gear: "local".into(), model: None }, start);
        assert_eq!(acceptance.unused_calls(start), 3);
        acceptance.accept(2, &model, start);
        assert_eq!(acceptance.unused_calls(start), 0);
    }

    #[test]
    fn repeated_report_is_counted_once() {
        let source = Source { gear: "fast".into(), model: None };
        let now = Instant::now();
        let mut acceptance = Acceptance::default();
        acceptance.mark_sent(1, &source);
        acceptance.mark_sent(1, &source);
        acceptance.mark_drawn(2, &source);
        acceptance.mark_sent(3, &source);
        acceptance.accept(1, &source, now);
        acceptance.accept(1, &source, now);
        assert_eq!(acceptance.counts[&source], OutcomeCounts { shown: 2, accepted: 1, rejected: 0 });
    }
}
