//! Decides whether to drain an abandoned response or to drop its socket
//! ([cancelling](super#cancelling)).
//!
//! Draining costs unused tokens; dropping costs a new connection, which providers limit. Both are
//! bounded: abandoned tokens to one in ten, new connections to a few per second.

use super::limits::{
    ABANDONED_FREE_TOKENS, ABANDONED_SHARE, DRAIN_TOKENS, DROPPED_SOCKETS, DROPPED_SOCKETS_PER_SECOND,
    TYPICAL_LENGTH_WEIGHT,
};

use std::time::Duration;

use tokio::time::Instant;

/// The tokens and sockets spent on abandoned answers.
#[derive(Debug, Default)]
pub(super) struct DrainPolicy {
    wanted: f64,
    abandoned_tokens: f64,
    /// Tokens of a typical answer; `None` before the first answer.
    typical: Option<f64>,
    /// Sockets given up, minus the allowance that has accrued over time.
    given_up: f64,
    counted_at: Option<Instant>,
}

impl DrainPolicy {
    /// Records an answer that ended after this many tokens, wanted or abandoned.
    pub(super) fn ended(&mut self, tokens: u64, wanted: bool, whole: bool) {
        let tokens = tokens as f64;
        if whole {
            let typical = self.typical.get_or_insert(tokens);
            *typical += (tokens - *typical) * TYPICAL_LENGTH_WEIGHT;
        }
        *(if wanted { &mut self.wanted } else { &mut self.abandoned_tokens }) += tokens;
        // Old figures fade out.
        if self.wanted + self.abandoned_tokens > 20_000.0 {
            self.wanted /= 2.0;
            self.abandoned_tokens /= 2.0;
        }
    }

    /// Whether to drain an abandoned answer of at most `most` tokens, of which `seen` have arrived.
    /// If not, counts a socket as given up.
    pub(super) fn reads_on(&mut self, seen: u64, most: u32, now: Instant) -> bool {
        let typical = self.typical.unwrap_or(f64::INFINITY).min(f64::from(most));
        // An answer beyond its typical length is about as likely to end soon as to reach the limit.
        let left = (typical - seen as f64).max((f64::from(most) - seen as f64).min(8.0)).max(0.0);
        let abandoned_tokens = self.abandoned_tokens + left;
        let is_spared =
            abandoned_tokens <= ABANDONED_FREE_TOKENS.max(ABANDONED_SHARE * (self.wanted + abandoned_tokens));
        if left <= DRAIN_TOKENS && is_spared {
            return true;
        }
        let passed = self.counted_at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        self.counted_at = Some(now);
        self.given_up = (self.given_up - passed.as_secs_f64() * DROPPED_SOCKETS_PER_SECOND).max(0.0);
        if self.given_up + 1.0 > DROPPED_SOCKETS && left <= DRAIN_TOKENS {
            return true;
        }
        self.given_up += 1.0;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_answers_are_drained_while_few_are_abandoned() {
        let mut drain_policy = DrainPolicy::default();
        let now = Instant::now();
        drain_policy.ended(20, true, true);
        assert!(drain_policy.reads_on(5, 128, now), "about 15 tokens are left");
        assert!(
            !drain_policy.reads_on(0, 4_096, now + Duration::from_secs(60))
                || drain_policy.typical == Some(20.0)
        );
        let mut unknown = DrainPolicy::default();
        assert!(!unknown.reads_on(0, 4_096, now), "it may be long");
        for _ in 0..20 {
            drain_policy.ended(20, false, true);
        }
        assert!(!drain_policy.reads_on(5, 128, now), "too many were abandoned");
        for _ in 0..400 {
            drain_policy.ended(20, true, true);
        }
        assert!(drain_policy.reads_on(5, 128, now), "one in ten at most again");
    }

    #[test]
    fn sockets_are_not_given_up_without_bound() {
        let mut drain_policy = DrainPolicy::default();
        let now = Instant::now();
        for _ in 0..50 {
            drain_policy.ended(100, false, true);
        }
        let given_up = (0..100).filter(|_| !drain_policy.reads_on(0, 128, now)).count();
        assert_eq!(given_up, 8);
        let later = now + Duration::from_secs(1);
        let given_up = (0..100).filter(|_| !drain_policy.reads_on(0, 128, later)).count();
        assert_eq!(given_up, 4);
    }

    #[test]
    fn a_long_answer_is_never_read_on() {
        let mut drain_policy = DrainPolicy::default();
        drain_policy.ended(10_000, true, true);
        let now = Instant::now();
        assert!((0..20).all(|_| !drain_policy.reads_on(100, 16_384, now)));
    }
}
