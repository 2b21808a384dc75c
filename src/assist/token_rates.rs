//! How many bytes a token has, by what servers report of the requests that they got.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::route::Gear;

/// Thousandths of a byte in a token, before a server has reported any.
///
/// Code has about four bytes a token.
const USUAL: u32 = 4_000;
/// What a report is believed: fewer bytes are not text, and more are no request of ours.
const BELIEVED: std::ops::RangeInclusive<u32> = 2_000..=6_000;
/// How much the last report counts of the whole.
const LAST: u32 = 8;

/// The bytes of a token for the models of each gear.
#[derive(Debug, Clone, Default)]
pub(super) struct TokenRates(Arc<[AtomicU32; Gear::ALL.len()]>);

impl TokenRates {
    /// A request of so many bytes had so many tokens, as its server says; 0 if it says nothing.
    pub(super) fn learn(&self, gear: Gear, bytes: usize, tokens: u64) {
        let Some(rate) = u64::try_from(bytes).ok().and_then(|it| (it * 1_000).checked_div(tokens)) else {
            return;
        };
        let Some(rate) = u32::try_from(rate).ok().filter(|rate| BELIEVED.contains(rate)) else { return };
        let known = self.rate(gear);
        self.0[gear as usize].store((known * (LAST - 1) + rate) / LAST, Ordering::Relaxed);
    }

    /// The bytes of so many tokens.
    pub(super) fn bytes(&self, gear: Gear, tokens: usize) -> usize {
        usize::try_from(self.rate(gear)).map_or(0, |rate| tokens.saturating_mul(rate) / 1_000)
    }

    fn rate(&self, gear: Gear) -> u32 {
        match self.0[gear as usize].load(Ordering::Relaxed) {
            0 => USUAL,
            rate => rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_follows_what_servers_report() {
        let rates = TokenRates::default();
        assert_eq!(rates.bytes(Gear::Fast, 2_000), 8_000);
        for _ in 0..100 {
            rates.learn(Gear::Fast, 9_000, 3_000);
        }
        assert!((6_000..6_100).contains(&rates.bytes(Gear::Fast, 2_000)));
        assert_eq!(rates.bytes(Gear::Deep, 2_000), 8_000, "each gear has its own");
    }

    #[test]
    fn a_report_that_cannot_be_is_passed_over() {
        let rates = TokenRates::default();
        for tokens in [0, 1, u64::MAX] {
            rates.learn(Gear::Fast, 9_000, tokens);
        }
        assert_eq!(rates.bytes(Gear::Fast, 2_000), 8_000);
    }
}
