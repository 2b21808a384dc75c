//! How long to wait for the next key before a model is called.
//!
//! A pure function of the typing.
//!
//! A call that the next key makes useless costs money; waiting costs the user's time.
//!
//! * **The next key is overdue** after the usual gap plus a margin. A model works on a useless call until the
//!   call is stopped or answered, so the margin grows with the model's latency: a fast model is called sooner.
//!   In a burst the next key is nearly certain, and the margin is long.
//! * **No wait is longer than 300 ms**, however slowly the user types: calls are then rare in any case.
//! * **There is no wait where a pause is likely**: on a line that was just begun, behind an opener or a comma,
//!   or behind a whole word whose continuation is not clear. The exceptions: a burst of keys, an earlier call
//!   whose answer may still fit, a user who dismisses suggestions or wants few.
//! * **A model whose suggestions are not used is called less often.** After [`UNUSED_CALLS`] calls in a row
//!   without an accepted suggestion no call is made early, and after [`MANY_UNUSED_CALLS`] each wait is
//!   doubled. One accepted suggestion ends that, and so do ten minutes without a call.
//!
//! The usual gap is the median within runs of keys ([`TypingRate`](super::TypingRate)), so a user who stops
//! for an answer does not lengthen the next wait.

use std::time::Duration;

/// The assumed gap before any is measured.
const DEFAULT_GAP: Duration = Duration::from_millis(120);
/// Keys closer together than this form a burst: no position within it is a likely pause.
const BURST_GAP: Duration = Duration::from_millis(60);
/// The longest wait, unless the user wants few suggestions or dismisses them.
const MAX_WAIT: Duration = Duration::from_millis(300);
/// The assumed latency of a model before any is measured.
const DEFAULT_LATENCY: Duration = Duration::from_millis(400);
/// The latency at which the margin would equal the gap.
const GAP_LATENCY: Duration = Duration::from_millis(2_400);
/// The longest margin, as a fraction of the gap.
const MAX_MARGIN: f64 = 0.5;
/// The margin within a burst, where the next key is nearly certain.
const BURST_MARGIN: f64 = 1.05;
/// The factor from which suggestions count as unwelcome: no call is made early.
const UNWELCOME: f64 = 1.5;

/// The number of calls in a row without an accepted suggestion after which no call is made early.
///
/// Each call then waits until the next key is overdue. Users accept one in four useful suggestions: 8 unused
/// calls in a row then happen one time in ten.
pub const UNUSED_CALLS: u32 = 8;
/// The number of calls after which each wait is doubled: one time in a thousand.
pub const MANY_UNUSED_CALLS: u32 = 24;

/// The input to the wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// The median gap between two keys of a run, if known.
    pub key_gap: Option<Duration>,
    /// How long the model usually takes to produce something worth showing, if known.
    pub latency: Option<Duration>,
    /// Whether a pause is likely at the cursor.
    ///
    /// That is by [`is_likely`], or because the local engine does not know how to continue a whole word.
    pub is_pause_likely: bool,
    /// Whether an earlier call is running that may still fit.
    pub is_call_running: bool,
    /// How many calls in a row led to no accepted suggestion.
    pub unused_calls: u32,
    /// The factor on the wait from the setting `eagerness` and the user's reactions.
    pub factor: f64,
}

impl Pace {
    /// How long after a key to call a model.
    pub fn wait(&self) -> Duration {
        let gap = self.key_gap.unwrap_or(DEFAULT_GAP);
        let is_early_call_fine = gap >= BURST_GAP
            && !self.is_call_running
            && self.factor < UNWELCOME
            && self.unused_calls < UNUSED_CALLS;
        if self.is_pause_likely && is_early_call_fine {
            return Duration::ZERO;
        }
        let latency = self.latency.unwrap_or(DEFAULT_LATENCY);
        let margin = match gap < BURST_GAP {
            true => BURST_MARGIN,
            false => latency.div_duration_f64(GAP_LATENCY).min(MAX_MARGIN),
        };
        let overdue = gap.mul_f64(1.0 + margin).min(MAX_WAIT);
        let factor = if self.unused_calls < MANY_UNUSED_CALLS { self.factor } else { self.factor * 2.0 };
        overdue.mul_f64(factor.max(0.0)).min(MAX_WAIT * 2)
    }
}

/// Whether a pause is likely behind `before`, the part of the line left of the cursor.
///
/// Decided by its last character.
pub fn is_likely(before: &str) -> bool {
    matches!(before.trim_end().chars().next_back(), None | Some('(' | '[' | '{' | ','))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_REST: Pace = Pace {
        key_gap: None,
        latency: None,
        is_pause_likely: false,
        is_call_running: false,
        unused_calls: 0,
        factor: 1.0,
    };

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn check_wait(pace: Pace, expected: u64) {
        assert_eq!(pace.wait().as_millis(), u128::from(expected), "{pace:?}");
    }

    #[test]
    fn wait_follows_rhythm_and_latency_up_to_limits() {
        let check = |key_gap: Option<u64>, latency: Option<u64>, expected| {
            check_wait(Pace { key_gap: key_gap.map(ms), latency: latency.map(ms), ..AT_REST }, expected);
        };
        // Neither the model's latency nor the user's rhythm is known.
        check(None, None, 140);
        check(Some(60), None, 70);
        check(Some(120), None, 140);
        check(Some(200), None, 233);
        check(Some(400), None, 300);
        // A fast model is asked sooner, a slow one later.
        check(Some(160), Some(100), 166);
        check(Some(160), Some(400), 186);
        check(Some(160), Some(800), 213);
        check(Some(160), Some(5_000), 240);
        check(Some(280), Some(100), 291);
        check(Some(280), Some(400), 300);
    }

    #[test]
    fn likely_pause_needs_no_wait_unless_early_calls_are_unwelcome() {
        let check = |key_gap, is_call_running, factor, expected| {
            let (key_gap, is_pause_likely) = (Some(ms(key_gap)), true);
            check_wait(Pace { key_gap, is_pause_likely, is_call_running, factor, ..AT_REST }, expected);
        };
        check(120, false, 1.0, 0);
        check(60, false, 0.5, 0);
        check(40, false, 1.0, 82);
        check(120, true, 1.0, 140);
        check(120, false, 2.0, 280);
        check(400, false, 4.0, 600);
    }

    #[test]
    fn calls_that_lead_to_nothing_become_rarer() {
        let check = |unused_calls, is_pause_likely, expected| {
            let key_gap = Some(ms(120));
            check_wait(Pace { key_gap, unused_calls, is_pause_likely, ..AT_REST }, expected);
        };
        check(UNUSED_CALLS - 1, true, 0);
        check(UNUSED_CALLS - 1, false, 140);
        check(UNUSED_CALLS, true, 140);
        check(MANY_UNUSED_CALLS - 1, false, 140);
        check(MANY_UNUSED_CALLS, false, 280);
        check(MANY_UNUSED_CALLS, true, 280);
    }

    #[test]
    fn place_tells_where_a_pause_is_likely() {
        let check = |before: &str, expected: bool| assert_eq!(is_likely(before), expected, "{before:?}");
        check("", true);
        check("        ", true);
        check("    foo(", true);
        check("fn f() { ", true);
        check("foo(a, ", true);
        check("let x = ", false);
        check("    self.height", false);
    }
}
