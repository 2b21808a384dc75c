//! How long to wait for the next key before a model is asked: a pure function of what was typed.
//!
//! A call that the next key makes useless costs money; a wait costs the user's time.
//!
//! * **The next key is overdue** half as late again as usual. Where the model answers sooner than that, a
//!   useless call costs little, and the margin shrinks with the model's latency.
//! * **No wait is longer than the answer takes.** Beyond that, waiting costs more than a useless call would
//!   have: the break-even rule of the ski rental problem, which never pays more than twice the best choice.
//! * **Where a pause is likely there is no wait**: on a line that was just begun, behind an opener or a comma,
//!   behind a whole word of which it is not clear what follows. The exceptions: a burst of keys, an earlier
//!   call whose answer may still fit, a user who dismisses suggestions or wants few.
//!
//! The usual gap is the median within runs of keys ([`TypingRate`](super::TypingRate)), so a user who stops
//! for an answer does not lengthen the next wait.

use std::time::Duration;

/// The assumed gap before any was measured.
const DEFAULT_GAP: Duration = Duration::from_millis(120);
/// Keys closer together than this are a burst: no place within it is a likely pause.
const BURST_GAP: Duration = Duration::from_millis(60);
/// The longest wait, unless the user wants few suggestions or dismisses them.
const MAX_WAIT: Duration = Duration::from_millis(300);
/// The longest wait before a model that answers at once.
const MIN_LIMIT: Duration = Duration::from_millis(100);
/// The factor from which on suggestions are unwelcome: no call is made early.
const UNWELCOME: f64 = 1.5;

/// What the wait depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// The median gap between two keys of a run, once it is known.
    pub key_gap: Option<Duration>,
    /// How long the model usually takes to something worth showing, once that is known.
    pub latency: Option<Duration>,
    /// Whether a pause is likely at the cursor: [`is_likely`].
    pub is_pause_likely: bool,
    /// Whether an earlier call is running whose answer may fit.
    pub is_call_running: bool,
    /// The factor on the wait by the setting `eagerness` and by the user's reactions.
    pub factor: f64,
}

impl Pace {
    /// How long after a key to ask a model.
    pub fn wait(&self) -> Duration {
        let gap = self.key_gap.unwrap_or(DEFAULT_GAP);
        let is_early_call_fine = gap >= BURST_GAP && !self.is_call_running && self.factor < UNWELCOME;
        if self.is_pause_likely && is_early_call_fine {
            return Duration::ZERO;
        }
        let latency = self.latency.unwrap_or(MAX_WAIT);
        let overdue = gap + gap.min(latency) / 2;
        let limit = latency.clamp(MIN_LIMIT, MAX_WAIT);
        overdue.min(limit).mul_f64(self.factor.max(0.0)).min(MAX_WAIT * 2)
    }
}

/// Whether a pause is likely behind `before`, the part of the line left of the cursor.
///
/// `ends_unclear_word` says that it ends in a word that is known as a whole, and that the local engine does
/// not know what follows.
pub fn is_likely(before: &str, ends_unclear_word: bool) -> bool {
    match before.trim_end().chars().next_back() {
        None | Some('(' | '[' | '{' | ',') => true,
        Some(_) => ends_unclear_word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn wait_follows_rhythm_and_latency_up_to_limits() {
        let check = |key_gap: Option<u64>, latency: Option<u64>, expected: u64| {
            let (key_gap, latency) = (key_gap.map(ms), latency.map(ms));
            let pace = Pace { key_gap, latency, is_pause_likely: false, is_call_running: false, factor: 1.0 };
            assert_eq!(pace.wait(), ms(expected), "{pace:?}");
        };
        // Nothing is known of the model: half as late again as usual.
        check(None, None, 180);
        check(Some(60), None, 90);
        check(Some(120), None, 180);
        check(Some(200), None, 300);
        check(Some(400), None, 300);
        // A fast model is asked sooner, and never later than its answer would take.
        check(Some(60), Some(40), 80);
        check(Some(120), Some(150), 150);
        check(Some(200), Some(150), 150);
        check(Some(300), Some(40), 100);
        // A slow one is not asked later than one of which nothing is known.
        check(Some(120), Some(2_000), 180);
        check(Some(400), Some(2_000), 300);
    }

    #[test]
    fn likely_pause_needs_no_wait_unless_early_calls_are_unwelcome() {
        let check = |key_gap: u64, is_call_running: bool, factor: f64, expected: u64| {
            let key_gap = Some(ms(key_gap));
            let pace = Pace { key_gap, latency: None, is_pause_likely: true, is_call_running, factor };
            assert_eq!(pace.wait(), ms(expected), "{pace:?}");
        };
        check(120, false, 1.0, 0);
        check(60, false, 0.5, 0);
        check(50, false, 1.0, 75);
        check(120, true, 1.0, 180);
        check(120, false, 2.0, 360);
        check(400, false, 4.0, 600);
    }

    #[test]
    fn place_tells_where_a_pause_is_likely() {
        let check = |before: &str, unclear: bool, expected: bool| {
            assert_eq!(is_likely(before, unclear), expected, "{before:?}");
        };
        check("", false, true);
        check("        ", false, true);
        check("    foo(", false, true);
        check("fn f() { ", false, true);
        check("foo(a, ", false, true);
        check("let x = ", false, false);
        check("    self.height", false, false);
        check("    self.height", true, true);
    }
}
