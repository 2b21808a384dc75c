//! The time to the first text as a line: a start time, and a constant time per read token.

/// Measurement error, in seconds and as a share of the measured time.
const NOISE: f64 = 0.05;
const NOISE_SHARE: f64 = 0.1;
/// Growth of the start time's uncertainty with each answer, in seconds.
const DRIFT_START: f64 = 0.02;
/// The same for the time per token, as a share of it.
const DRIFT: f64 = 0.1;
/// The least plausible time per token, in seconds.
const FASTEST_TOKEN: f64 = 1e-6;

/// A Kalman filter over the start time and the time per token.
///
/// An answer mostly changes the less certain of the two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    start: f64,
    token: f64,
    /// The covariance matrix: the start, both, and the token.
    doubt: [f64; 3],
}

impl Line {
    /// Creates a line from a start time and a time per token, in seconds, each with its uncertainty.
    pub(super) fn new(start: (f64, f64), token: (f64, f64)) -> Self {
        Self { start: start.0, token: token.0, doubt: [start.1.powi(2), 0.0, token.1.powi(2)] }
    }

    /// Seconds before any token is read.
    pub(super) fn start(&self) -> f64 {
        self.start
    }

    /// Seconds per token.
    pub(super) fn token(&self) -> f64 {
        self.token
    }

    /// Expected seconds to the first text after reading this many tokens.
    pub(super) fn at(&self, tokens: f64) -> f64 {
        self.start + tokens * self.token
    }

    /// Learns from the seconds to the first text after reading this many tokens.
    pub(super) fn learn(&mut self, tokens: f64, seconds: f64) {
        let [start, both, token] = self.doubt;
        // The load of machines changes, so uncertainty grows with time.
        let (start, token) = (start + DRIFT_START.powi(2), token + (self.token * DRIFT).powi(2));
        let noise = (NOISE + seconds * NOISE_SHARE).powi(2);
        let (by_start, by_token) = (start + both * tokens, both + token * tokens);
        let whole = by_start + by_token * tokens + noise;
        let (start_gain, token_gain) = (by_start / whole, by_token / whole);
        let error = seconds - self.at(tokens);
        self.start = (self.start + start_gain * error).max(0.0);
        self.token = (self.token + token_gain * error).max(FASTEST_TOKEN);
        self.doubt =
            [start - start_gain * by_start, both - start_gain * by_token, token - token_gain * by_token];
    }

    /// The same if the time per token is known from elsewhere.
    ///
    /// The rest is the start time, which is weighted by `share`.
    pub(super) fn learn_start(&mut self, tokens: f64, seconds: f64, share: f64) {
        let start = (seconds - tokens * self.token).max(0.0);
        self.start += (start - self.start) * share;
    }

    /// Learns the time per token, weighted by `share`.
    pub(super) fn learn_token(&mut self, seconds: f64, share: f64) {
        self.token = (self.token + (seconds - self.token) * share).max(FASTEST_TOKEN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_goes_to_what_is_less_certain() {
        let check = |doubts: (f64, f64), expected: (f64, f64)| {
            let mut line = Line::new((0.1, doubts.0), (0.001, doubts.1));
            line.learn(1_000.0, 2.1);
            let rounded = |value: f64| (value * 1e4).round() / 1e4;
            assert_eq!((rounded(line.start()), rounded(line.token())), expected, "{doubts:?}");
        };
        check((10.0, 1e-6), (1.0992, 0.001));
        check((1e-6, 1.0), (0.1, 0.002));
    }
}
