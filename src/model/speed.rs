//! How fast a candidate reads and writes.
//!
//! It is measured from what its server reports and by the clock.
//!
//! A server that reports its times (llama.cpp's `timings`) is believed. Otherwise the time to the first text
//! is explained by a line through what was seen: a start, and so much for each token that had to be read.
//! What a service takes longer is put down to its start, and what a server on the user's machine takes longer
//! to its reading.

mod line;

use std::time::Duration;

use super::pace::Pace;
use line::Line;

/// What is believed of a token's length, in bytes.
const TOKEN_BYTES: std::ops::RangeInclusive<f64> = 1.5..=6.0;
/// Fewer tokens than these say nothing of how fast a model reads.
///
/// Each request has its fixed cost.
const READ_TOKENS: u64 = 32;
/// The same for writing.
const WRITTEN_TOKENS: u64 = 8;
/// How much a report counts of the whole.
const LAST_SHARE: f64 = 0.3;
/// The same for the speed of writing.
const WRITING_SHARE: f64 = 0.5;
/// Seconds of a start that are believed at most.
const LATEST_START: f64 = 60.0;
/// Speeds that are believed, in tokens a second.
const BELIEVED: std::ops::RangeInclusive<f64> = 1.0..=1_000_000.0;

/// What a server says that an answer took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerTimes {
    /// Tokens that it read, without those that it still had.
    pub read_tokens: u64,
    /// What that took.
    pub reading: Duration,
    /// Tokens that it wrote.
    pub written_tokens: u64,
    /// What that took.
    pub writing: Duration,
}

/// What was seen of one answer by the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ObservedTimes {
    /// Bytes of the prompt that had to be read.
    pub(super) unread: usize,
    /// From the request to the first text; without one, how long there was none.
    pub(super) first: Duration,
    /// Whether there was a first text.
    pub(super) has_begun: bool,
    /// Pieces of text. Servers send about a token in each.
    pub(super) pieces: u64,
    /// From the first to the last of them.
    pub(super) writing: Duration,
}

/// What is assumed of a candidate before anything was seen of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Assumption {
    pace: Pace,
    /// How far off the start may be, in seconds.
    start_doubt: f64,
    /// How far off the time for a token may be, in seconds.
    token_doubt: f64,
}

impl Assumption {
    /// A service: it may start late, but its machines read fast.
    pub(super) const SERVICE: Self = Self { pace: Pace::QUICK, start_doubt: 1.0, token_doubt: 1e-4 };
    /// A server on this machine, which may be anything.
    pub(super) const THIS_MACHINE: Self = Self {
        pace: Pace { start: Duration::from_millis(50), ..Pace::QUICK },
        start_doubt: 0.1,
        token_doubt: 5e-3,
    };
    /// A server of the kind that runs models without a graphics card, too.
    pub(super) const SMALL_SERVER: Self = Self { pace: Pace::LOCAL, ..Self::THIS_MACHINE };
}

/// The speeds of one candidate, as far as they are known. Plain data.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Speed {
    wait: Duration,
    line: Line,
    /// Seconds for each token that is written.
    per_written: f64,
    token_bytes: f64,
    /// Whether the server reports its times.
    is_reported: bool,
    /// Whether anything was measured.
    is_measured: bool,
}

impl Speed {
    /// What is assumed of a candidate that is waited for so long.
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

    /// Assumes something else, unless something was measured already.
    pub(super) fn assume(&mut self, assumed: &Assumption) {
        if !self.is_measured {
            *self = Self::new(assumed, Some(self.wait));
        }
    }

    /// The speeds now.
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

    /// The speeds, if anything was measured.
    pub(super) fn measured(&self) -> Option<Pace> {
        self.is_measured.then(|| self.pace())
    }

    /// The speeds of another one, which was waited for as long as it liked.
    pub(super) fn inherit(&mut self, other: &Self) {
        *self = Self { wait: self.wait, ..other.clone() };
    }

    /// A prompt of so many bytes had so many tokens.
    pub(super) fn had(&mut self, bytes: usize, tokens: u64) {
        let token_bytes = bytes as f64 / tokens.max(1) as f64;
        if tokens >= READ_TOKENS && TOKEN_BYTES.contains(&token_bytes) {
            self.token_bytes += (token_bytes - self.token_bytes) * LAST_SHARE;
        }
    }

    /// A server's own times.
    pub(super) fn reported(&mut self, times: &ServerTimes) {
        let per_token = |took: Duration, tokens: u64| took.as_secs_f64() / tokens as f64;
        if times.read_tokens >= READ_TOKENS && !times.reading.is_zero() {
            let seen = per_token(times.reading, times.read_tokens);
            // The first report replaces what was assumed.
            let share = if self.is_reported { LAST_SHARE } else { 1.0 };
            self.line.learn_token(seen, share);
            (self.is_reported, self.is_measured) = (true, true);
        }
        if times.written_tokens >= WRITTEN_TOKENS && !times.writing.is_zero() {
            self.wrote(per_token(times.writing, times.written_tokens));
        }
    }

    /// What the clock says of an answer, or of a request that got none in time.
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
            // A request that is given up early says nothing. This one took longer than was expected; how much
            // longer it would have taken is not known, so it counts as half way.
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

    /// A machine that reads and writes so many tokens a second behind a start.
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
        speed.had(usize::MAX, 1);
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
