//! Decides when a model's suggestion takes over from the prediction on screen: a pure function.
//!
//! The local engine predicts at once; a model answers some hundred milliseconds later. The prediction is shown
//! meanwhile, and text that was read must not change. So the model's suggestion takes over only
//!
//! * if it extends the shown text: everything that was read stays; or
//! * if the user has not looked at it yet.
//!
//! Otherwise the prediction stays. The model's suggestion is kept: it is shown once the typed text agrees with
//! it and not with the prediction, and as another item of an explicit request.

use std::time::Duration;

/// How long after its appearance a text counts as not yet looked at.
///
/// The eyes take at least 150 to 175 ms to start moving to it (the latency of saccades; K. Rayner, "Eye
/// movements in reading and information processing", Psychological Bulletin 124, 1998).
pub(super) const LOOK_TIME: Duration = Duration::from_millis(150);

/// Whether `other` replaces the text `shown`, which has been on screen for `shown_for`.
pub(super) fn takes_over(shown: &str, shown_for: Duration, other: &str) -> bool {
    let (shown, other) = (shown.trim_end(), other.trim_end());
    other != shown && (other.starts_with(shown) || shown_for < LOOK_TIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_takes_over_if_it_goes_on_or_nothing_was_read() {
        let check = |shown: &str, milliseconds: u64, other: &str, expected: bool| {
            let taken = takes_over(shown, Duration::from_millis(milliseconds), other);
            assert_eq!(taken, expected, "{shown:?} for {milliseconds} ms, {other:?}");
        };
        check("height", 2_000, "height;", true);
        check("height;", 2_000, "height;\n    self.depth = depth;", true);
        check("größe", 2_000, "größer", true);
        // The same text: there is nothing to draw.
        check("height;", 0, "height;", false);
        check("height;", 2_000, "height;\n", false);
        // A different text, or a shorter one.
        check("height;", 149, "width;", true);
        check("height;", 150, "width;", false);
        check("height;", 0, "height", true);
        check("height;", 2_000, "height", false);
        check("height;", 2_000, "", false);
    }
}
