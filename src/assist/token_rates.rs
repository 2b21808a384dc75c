//! The number of bytes per token, estimated from the usage that servers report.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::route::Gear;

/// Thousandths of a byte per token, before a server has reported its usage.
///
/// Code has about four bytes per token.
const USUAL: u32 = 4_000;
/// The range of plausible reports: lower rates are not text, and higher rates are not from these requests.
const BELIEVED: std::ops::RangeInclusive<u32> = 2_000..=6_000;
/// The last report is weighted by `1 / LAST`.
const LAST: u32 = 8;

/// The bytes per token for the models of each gear.
#[derive(Debug, Clone, Default)]
pub(super) struct TokenRates(Arc<[AtomicU32; Gear::ALL.len()]>);

impl TokenRates {
    /// Learns from the token count that a server reports for a request; 0 if it reports none.
    pub(super) fn learn(&self, gear: Gear, bytes: usize, tokens: u64) {
        let Some(rate) = u64::try_from(bytes).ok().and_then(|it| (it * 1_000).checked_div(tokens)) else {
            return;
        };
        let Some(rate) = u32::try_from(rate).ok().filter(|rate| BELIEVED.contains(rate)) else { return };
        let known = self.rate(gear);
        self.0[gear as usize].store((known * (LAST - 1) + rate) / LAST, Ordering::Relaxed);
    }

    /// The number of bytes in this many tokens.
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
