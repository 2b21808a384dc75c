//! The time to a first text as a line: a start, and so much for each token that is read.

/// What the clock is off by, in seconds and as a part of what it measures.
const NOISE: f64 = 0.05;
const NOISE_SHARE: f64 = 0.1;
/// How much less certain a start gets with each answer, in seconds.
const DRIFT_START: f64 = 0.02;
/// The same for the time of a token, as a part of it.
const DRIFT: f64 = 0.1;
/// Seconds for a token that are believed at least.
const FASTEST_TOKEN: f64 = 1e-6;

/// A Kalman filter over the start and the time of a token.
///
/// What an answer adds goes to the one that is less certain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    start: f64,
    token: f64,
    /// The covariances: of the start, of the two, of the token.
    doubt: [f64; 3],
}

impl Line {
    /// A start and the time of a token in seconds, and how far off each may be.
    pub(super) fn new(start: (f64, f64), token: (f64, f64)) -> Self {
        Self { start: start.0, token: token.0, doubt: [start.1.powi(2), 0.0, token.1.powi(2)] }
    }

    /// Seconds before anything is read.
    pub(super) fn start(&self) -> f64 {
        self.start
    }

    /// Seconds for a token.
    pub(super) fn token(&self) -> f64 {
        self.token
    }

    /// Seconds to the first text of an answer to so many tokens.
    pub(super) fn at(&self, tokens: f64) -> f64 {
        self.start + tokens * self.token
    }

    /// The first text of an answer to so many tokens came after so many seconds.
    pub(super) fn learn(&mut self, tokens: f64, seconds: f64) {
        let [start, both, token] = self.doubt;
        // Machines get busy and idle again: nothing stays certain.
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

    /// The same where the time of a token is known from elsewhere.
    ///
    /// What is left is the start, which counts by `share`.
    pub(super) fn learn_start(&mut self, tokens: f64, seconds: f64, share: f64) {
        let start = (seconds - tokens * self.token).max(0.0);
        self.start += (start - self.start) * share;
    }

    /// A token takes so many seconds, which counts by `share`.
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
