//! What became of suggestions: how patient to be with the next one, and counts for the user's own eyes.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use super::offer::Maker;

/// How many acts are remembered.
const ACTS: usize = 16;
/// After this time an act counts half.
const HALF_LIFE: Duration = Duration::from_secs(10 * 60);
/// By how much one rejection lengthens the wait, and one acceptance shortens it.
const REJECTED: f64 = 1.5;
const ACCEPTED: f64 = 0.8;

/// What became of one maker's suggestions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Drawn in the editor, or sent to one that does not say what it draws.
    pub shown: u64,
    /// Accepted, as a whole or in part.
    pub accepted: u64,
    /// Dismissed by hand.
    pub rejected: u64,
}

/// The user's acts in this session.
#[derive(Debug, Default)]
pub(in crate::session) struct Mood {
    acts: VecDeque<(Instant, f64)>,
    counts: BTreeMap<Maker, Counts>,
    rejected: Option<Instant>,
    /// Whether the editor says what it draws.
    tells: bool,
    /// The numbers that were counted as shown or accepted lately.
    counted: VecDeque<(u64, What)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Shown,
    Accepted,
}

impl Mood {
    /// A suggestion was sent.
    pub(in crate::session) fn sent(&mut self, id: u64, maker: &Maker) {
        if !self.tells {
            self.count_shown(id, maker);
        }
    }

    /// A suggestion was drawn.
    pub(in crate::session) fn drawn(&mut self, id: u64, maker: &Maker) {
        self.tells = true;
        self.count_shown(id, maker);
    }

    /// A suggestion was accepted, or a part of it.
    pub(in crate::session) fn accepted(&mut self, id: u64, maker: &Maker, now: Instant) {
        if self.is_news(id, What::Accepted) {
            self.act(now, ACCEPTED);
            self.counts.entry(maker.clone()).or_default().accepted += 1;
        }
    }

    /// A suggestion was dismissed.
    pub(in crate::session) fn rejected(&mut self, maker: &Maker, now: Instant) {
        self.act(now, REJECTED);
        self.rejected = Some(now);
        self.counts.entry(maker.clone()).or_default().rejected += 1;
    }

    /// By how much to lengthen the wait for the next suggestion.
    pub(in crate::session) fn patience(&self, now: Instant) -> f64 {
        let weigh = |(at, factor): &(Instant, f64)| {
            let age = now.saturating_duration_since(*at).as_secs_f64() / HALF_LIFE.as_secs_f64();
            factor.powf(0.5_f64.powf(age))
        };
        self.acts.iter().map(weigh).product::<f64>().clamp(0.5, 4.0)
    }

    /// How long ago something was dismissed.
    pub(in crate::session) fn since_rejection(&self, now: Instant) -> Option<Duration> {
        self.rejected.map(|at| now.saturating_duration_since(at))
    }

    pub(in crate::session) fn counts(&self) -> &BTreeMap<Maker, Counts> {
        &self.counts
    }

    fn count_shown(&mut self, id: u64, maker: &Maker) {
        if self.is_news(id, What::Shown) {
            self.counts.entry(maker.clone()).or_default().shown += 1;
        }
    }

    fn is_news(&mut self, id: u64, what: What) -> bool {
        let news = !self.counted.contains(&(id, what));
        if news {
            self.counted.push_front((id, what));
            self.counted.truncate(4 * ACTS);
        }
        news
    }

    fn act(&mut self, now: Instant, factor: f64) {
        self.acts.push_front((now, factor));
        self.acts.truncate(ACTS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_follows_what_was_done_and_fades() {
        let start = Instant::now();
        let maker = Maker::default();
        let mut mood = Mood::default();
        assert_eq!(mood.patience(start), 1.0);
        mood.rejected(&maker, start);
        assert_eq!(mood.patience(start), 1.5);
        assert!(mood.patience(start + HALF_LIFE) < 1.25);
        for id in 0..20 {
            mood.accepted(id, &maker, start);
        }
        assert_eq!(mood.patience(start), 0.5, "it has limits");
    }

    #[test]
    fn everything_is_counted_once() {
        let maker = Maker { gear: "fast".into(), model: None };
        let now = Instant::now();
        let mut mood = Mood::default();
        mood.sent(1, &maker);
        mood.sent(1, &maker);
        mood.drawn(2, &maker);
        mood.sent(3, &maker);
        mood.accepted(1, &maker, now);
        mood.accepted(1, &maker, now);
        assert_eq!(mood.counts()[&maker], Counts { shown: 2, accepted: 1, rejected: 0 });
    }
}
