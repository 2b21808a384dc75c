//! The speed at which a candidate reads and writes.
//!
//! It is measured with the server's reported times and with the clock.
//!
//! A server that reports its times (llama.cpp's `timings`) is trusted. Otherwise the times to the
//! first text are fitted by a line: a start time, and a constant time for each token that had to be
//! read. Extra time is attributed to the start for services, and to the reading for servers on the
//! user's machine.

mod line;

use std::time::Duration;

use super::pace::Pace;
use line::Line;

/// Plausible lengths of a token, in bytes.
const TOKEN_BYTES: std::ops::RangeInclusive<f64> = 1.5..=6.0;
/// Fewer tokens are not enough to measure the reading speed.
///
/// Each request has a fixed cost.
const READ_TOKENS: u64 = 32;
/// The same for the writing speed.
const WRITTEN_TOKENS: u64 = 8;
/// Weight of the latest report.
const LAST_SHARE: f64 = 0.3;
/// The same for the writing speed.
const WRITING_SHARE: f64 = 0.5;
/// The longest plausible start time, in seconds.
const LATEST_START: f64 = 60.0;
/// Plausible speeds, in tokens per second.
const BELIEVED: std::ops::RangeInclusive<f64> = 1.0..=1_000_000.0;

/// The times of an answer, as reported by a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerTimes {
    /// Tokens that were read, without cached ones.
    pub read_tokens: u64,
    /// Time to read them.
    pub reading: Duration,
    /// Tokens that were written.
    pub written_tokens: u64,
    /// Time to write them.
    pub writing: Duration,
}

/// The times of an answer, as measured by the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ObservedTimes {
    /// Bytes of the prompt that had to be read.
    pub(super) unread: usize,
    /// Time from the request to the first text, or the time waited if there was no text.
    pub(super) first: Duration,
    /// Whether there was any text.
    pub(super) has_begun: bool,
    /// Pieces of text. Servers send about one token in each.
    pub(super) pieces: u64,
    /// Time from the first piece to the last.
    pub(super) writing: Duration,
}

/// The assumed speed of a candidate before any measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Assumption {
    pace: Pace,
    /// Uncertainty of the start time, in seconds.
    start_doubt: f64,
    /// Uncertainty of the time per token, in seconds.
    token_doubt: f64,
}

impl Assumption {
    /// A service, which may start late but reads fast.
    pub(super) const SERVICE: Self = Self { pace: Pace::QUICK, start_doubt: 1.0, token_doubt: 1e-4 };
    /// A server on this machine, which may have any speed.
    pub(super) const THIS_MACHINE: Self = Self {
        pace: Pace { start: Duration::from_millis(50), ..Pace::QUICK },
        start_doubt: 0.1,
        token_doubt: 5e-3,
    };
    /// A kind of server that also runs models without a graphics card.
    pub(super) const SMALL_SERVER: Self = Self { pace: Pace::LOCAL, ..Self::THIS_MACHINE };
}

/// The known speeds of one candidate. Plain data.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Speed {
    wait: Duration,
    line: Line,
    /// Seconds per written token.
    per_written: f64,
    token_bytes: f64,
    /// Whether the server reports its times.
    is_reported: bool,
    /// Whether anything has been measured.
    is_measured: bool,
}

impl Speed {
    /// The assumed speeds, with this wait for answers.
    pub(super) fn new(assumed: &Assumption, wait: Option<Duration>) -> Self {
        let start = (assumed.pace.start.as_secs_f64(), assumed.start_doubt);
        let token = (1.0 / assumed.pace.reading, assumed.token_doubt);
        Self {
            wait: wait.unwrap_or(assumed.pace.wait),
            line: Line::new(start, token),
            per_written: 1.0 / assumed.pace.writing,
            token_bytes: assumed.pace.token_bytes,
            is_reported: false,
            is_measured: false,
        }
    }

    /// Replaces the assumption, unless something has already been measured.
    pub(super) fn assume(&mut self, assumed: &Assumption) {
        if !self.is_measured {
            *self = Self::new(assumed, Some(self.wait));
        }
    }

    /// The current speeds.
    pub(super) fn pace(&self) -> Pace {
        let believed = |per_token: f64| (1.0 / per_token).clamp(*BELIEVED.start(), *BELIEVED.end());
        Pace {
            start: Duration::from_secs_f64(self.line.start().min(LATEST_START)),
            reading: believed(self.line.token()),
            writing: believed(self.per_written),
            token_bytes: self.token_bytes,
            wait: self.wait,
        }
    }

    /// The current speeds, if anything has been measured.
    pub(super) fn measured(&self) -> Option<Pace> {
        self.is_measured.then(|| self.pace())
    }

    /// Takes the speeds of another candidate, but keeps the wait.
    pub(super) fn inherit(&mut self, other: &Self) {
        *self = Self { wait: self.wait, ..other.clone() };
    }

    /// Learns the length of a token from a prompt of so many bytes and tokens.
    pub(super) fn observe_token_length(&mut self, bytes: usize, tokens: u64) {
        let token_bytes = bytes as f64 / tokens.max(1) as f64;
        if tokens >= READ_TOKENS && TOKEN_BYTES.contains(&token_bytes) {
            self.token_bytes += (token_bytes - self.token_bytes) * LAST_SHARE;
        }
    }

    /// Learns from the times that a server reported.
    pub(super) fn reported(&mut self, times: &ServerTimes) {
        let per_token = |took: Duration, tokens: u64| took.as_secs_f64() / tokens as f64;
        if times.read_tokens >= READ_TOKENS && !times.reading.is_zero() {
            let seen = per_token(times.reading, times.read_tokens);
            // The first report replaces the assumption.
            let share = if self.is_reported { LAST_SHARE } else { 1.0 };
            self.line.learn_token(seen, share);
            (self.is_reported, self.is_measured) = (true, true);
        }
        if times.written_tokens >= WRITTEN_TOKENS && !times.writing.is_zero() {
            self.wrote(per_token(times.writing, times.written_tokens));
        }
    }

    /// Learns from the measured times of an answer, or of a request without an answer in time.
    pub(super) fn observed(&mut self, seen: &ObservedTimes) {
        let tokens = seen.unread as f64 / self.token_bytes;
        let seconds = seen.first.as_secs_f64();
        if seen.has_begun {
            if self.is_reported {
                self.line.learn_start(tokens, seconds, LAST_SHARE);
            } else {
                self.line.learn(tokens, seconds);
                self.is_measured = true;
            }
        } else if seconds > self.line.at(tokens) {
            // A request that was given up early shows nothing. This one took longer than expected,
            // and how much longer it would have taken is unknown: it counts as half done.
            self.line.learn(tokens, seconds * 2.0);
            self.is_measured = true;
        }
        if seen.pieces >= WRITTEN_TOKENS && !seen.writing.is_zero() {
            self.wrote(seen.writing.as_secs_f64() / (seen.pieces - 1) as f64);
        }
    }

    fn wrote(&mut self, per_token: f64) {
        self.per_written += (per_token - self.per_written) * WRITING_SHARE;
        self.is_measured = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::pace::QUICK_READING;

    /// A simulated machine with a start time, and speeds in tokens per second.
    struct Machine {
        start: f64,
        reading: f64,
        writing: f64,
        is_reporting: bool,
    }

    impl Machine {
        fn answer(&self, speed: &mut Speed, tokens: u64) {
            let reading = tokens as f64 / self.reading;
            let writing = Duration::from_secs_f64(40.0 / self.writing);
            speed.observed(&ObservedTimes {
                unread: (tokens as f64 * speed.token_bytes) as usize,
                first: Duration::from_secs_f64(self.start + reading),
                has_begun: true,
                pieces: 41,
                writing,
            });
            if self.is_reporting {
                let reading = Duration::from_secs_f64(reading);
                speed.reported(&ServerTimes { read_tokens: tokens, reading, written_tokens: 40, writing });
            }
        }
    }

    fn check(machine: &Machine, assumed: &Assumption, asked: &[u64], reading: std::ops::Range<f64>) {
        let mut speed = Speed::new(assumed, None);
        for tokens in asked {
            machine.answer(&mut speed, *tokens);
        }
        let pace = speed.pace();
        assert!(reading.contains(&pace.reading), "{pace:?}");
        let writing = machine.writing * 0.5..machine.writing * 2.0;
        assert!(writing.contains(&pace.writing), "{pace:?}");
    }

    const LAPTOP: Machine = Machine { start: 0.05, reading: 180.0, writing: 49.0, is_reporting: false };
    const SERVICE: Machine = Machine { start: 0.6, reading: 20_000.0, writing: 120.0, is_reporting: false };

    #[test]
    fn one_slow_answer_is_enough_to_know_a_slow_reader() {
        check(&LAPTOP, &Assumption::THIS_MACHINE, &[800, 800, 800], 150.0..220.0);
        check(&LAPTOP, &Assumption::SMALL_SERVER, &[300, 100, 60], 150.0..220.0);
        let reporting = Machine { is_reporting: true, ..LAPTOP };
        check(&reporting, &Assumption::THIS_MACHINE, &[60, 60, 60], 170.0..190.0);
    }

    #[test]
    fn service_that_starts_late_is_not_taken_for_a_slow_reader() {
        for asked in [&[500; 9][..], &[500, 2_700, 40, 1_000], &[20; 30]] {
            check(&SERVICE, &Assumption::SERVICE, asked, QUICK_READING..f64::MAX);
        }
        let late = Machine { start: 1.5, ..SERVICE };
        check(&late, &Assumption::SERVICE, &[500; 9], QUICK_READING..f64::MAX);
    }

    #[test]
    fn request_without_an_answer_counts_once_it_took_too_long() {
        let mut speed = Speed::new(&Assumption::THIS_MACHINE, None);
        let mut wait = |milliseconds| {
            let first = Duration::from_millis(milliseconds);
            speed.observed(&ObservedTimes { unread: 8_000, first, ..ObservedTimes::default() });
            speed.measured().map(|pace| pace.is_quick())
        };
        assert_eq!(wait(20), None, "given up by the user");
        assert_eq!(wait(2_000), Some(false));
    }

    #[test]
    fn absurd_figures_leave_believable_speeds() {
        let mut speed = Speed::new(&Assumption::THIS_MACHINE, None);
        let most = Duration::MAX;
        speed.observe_token_length(usize::MAX, 1);
        for tokens in [0, 1, u64::MAX] {
            speed.reported(&ServerTimes {
                read_tokens: tokens,
                reading: most,
                written_tokens: tokens,
                writing: most,
            });
            speed.observed(&ObservedTimes {
                unread: usize::MAX,
                first: most,
                has_begun: true,
                pieces: tokens,
                writing: most,
            });
            speed.observed(&ObservedTimes {
                unread: 0,
                first: Duration::ZERO,
                has_begun: true,
                ..ObservedTimes::default()
            });
            let pace = speed.pace();
            assert!(
                pace.reading >= 1.0 && pace.writing >= 1.0 && pace.start <= Duration::from_secs(60),
                "{pace:?}"
            );
            assert!(pace.time(usize::MAX, 1e300) <= Duration::from_secs(90_000));
        }
    }
}
