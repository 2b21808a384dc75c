//! What a model can read and write while the user waits, given its current speeds.
//!
//! A small model on a laptop reads a hundred tokens a second where a service reads tens of
//! thousands. Requests to such a model are cut to what it can do in time; a model that is quick
//! enough gets full requests.

use std::time::Duration;

use super::Urgency;
use crate::text::words::counted;

/// How long an explicit request for ghost text waits for a model.
const EXPLICIT_WAIT: Duration = Duration::from_secs(5);
/// The share of that for which an automatic request waits.
const TYPING_SHARE: f64 = 0.2;
/// Reading speed, in tokens per second, from which on the time to read any prompt is negligible.
pub(super) const QUICK_READING: f64 = 3_000.0;
/// A short request, in input and output tokens …
const SHORT_REQUEST: (f64, f64) = (200.0, LINE_TOKENS);
/// … and the time for it from which on a model is slow and takes one request at a time.
const SLOW: Duration = Duration::from_secs(1);
/// The share of a wait that is planned with: speeds vary with the machine's load.
const PLANNED: f64 = 0.85;
/// The maximum share of a wait for reading: the rest is for the answer.
const READING_SHARE: f64 = 0.6;
/// The share of a wait for reading even if a model starts late.
///
/// Less context would not make it quick.
const LEAST_READING_SHARE: f64 = 0.3;
/// Tokens of a first line, which is worth showing on its own.
const LINE_TOKENS: f64 = 16.0;
/// Tokens of a line of code.
const TOKENS_OF_A_LINE: u32 = 8;
/// Tokens of the longest suggestion.
const MOST_TOKENS: u32 = 128;
/// Tokens of the shortest prompt for ghost text: instructions and about ten lines.
const SMALL_PROMPT_TOKENS: f64 = 400.0;
/// Input and output tokens of a rewrite of 20 lines, without context.
const REWRITE_TOKENS: (f64, f64) = (400.0, 200.0);
/// The minimum number of output tokens.
///
/// One line while the user types, and a few lines for an explicit request.
const LEAST_ANSWER_TOKENS: f64 = 24.0;
const LEAST_EXPLICIT_TOKENS: f64 = 64.0;

/// The current speeds of one candidate, and how long to wait for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Time from a request to its first text, without the time for reading.
    pub start: Duration,
    /// Tokens read per second.
    pub reading: f64,
    /// Tokens written per second.
    pub writing: f64,
    /// Bytes per token.
    pub token_bytes: f64,
    /// How long an explicit request for ghost text waits; an automatic one waits a fifth of it.
    pub wait: Duration,
}

impl Pace {
    /// The pace of an unknown model, which gets full requests.
    pub const QUICK: Self = Self {
        start: Duration::from_millis(300),
        reading: 10_000.0,
        writing: 200.0,
        token_bytes: 4.0,
        wait: EXPLICIT_WAIT,
    };

    /// The assumed pace of a model on a machine like the user's, before any measurement.
    ///
    /// A small model without a graphics card.
    pub const LOCAL: Self = Self {
        start: Duration::from_millis(50),
        reading: 300.0,
        writing: 30.0,
        token_bytes: 3.0,
        ..Self::QUICK
    };

    /// Whether the model reads any prompt in negligible time, so that nothing has to be cut.
    pub fn is_quick(&self) -> bool {
        self.reading >= QUICK_READING
    }

    /// Whether even a short request takes so long that a second one at the same time would delay it.
    ///
    /// A service that merely starts late takes several at a time.
    pub fn is_slow(&self) -> bool {
        !self.is_quick() && self.time_of_tokens(SHORT_REQUEST.0, SHORT_REQUEST.1) >= SLOW
    }

    /// How long to wait for ghost text.
    pub fn wait(&self, urgency: Urgency) -> Duration {
        match urgency {
            Urgency::Typing => self.wait.mul_f64(TYPING_SHARE),
            Urgency::Invoked | Urgency::Asked | Urgency::Deep => self.wait,
        }
    }

    /// Bytes that the model can read and still write a line in time.
    pub fn readable(&self, urgency: Urgency) -> usize {
        let wait = self.wait(urgency).as_secs_f64() * PLANNED;
        let left = wait - self.start.as_secs_f64() - LINE_TOKENS / self.writing;
        let reading = left.clamp(wait * LEAST_READING_SHARE, wait * READING_SHARE);
        (reading * self.reading * self.token_bytes) as usize
    }

    /// Tokens that the model can write in time after a prompt with `unread` bytes.
    ///
    /// At most `most`.
    pub fn writable(&self, urgency: Urgency, unread: usize, most: u32) -> u32 {
        let left = self.wait(urgency).as_secs_f64() * PLANNED - self.time(unread, 0.0).as_secs_f64();
        let least = if urgency == Urgency::Typing { LEAST_ANSWER_TOKENS } else { LEAST_EXPLICIT_TOKENS };
        let tokens = (left * self.writing).max(least);
        most.min(tokens as u32)
    }

    /// Time to read this many bytes and to write this many tokens.
    pub fn time(&self, unread: usize, tokens: f64) -> Duration {
        self.time_of_tokens(unread as f64 / self.token_bytes, tokens)
    }

    /// The speeds as text for the user: `reads 180 and writes 49 tokens/s`.
    pub fn speeds(&self) -> String {
        format!("reads {:.0} and writes {:.0} tokens/s", self.reading, self.writing)
    }

    /// The expected performance as text for the user:
    /// `reads 180 and writes 49 tokens/s: suggestions of about 10 lines in 5 s, a rewrite of 20 lines in about 7 s`.
    pub fn expectation(&self) -> String {
        let wait = &self.wait;
        let expected = match self.time_of_tokens(SMALL_PROMPT_TOKENS, LEAST_ANSWER_TOKENS) {
            time if time > *wait => {
                format!("a suggestion takes about {} s (a smaller model is quicker)", time.as_secs().max(1))
            }
            _ => {
                let readable = self.readable(Urgency::Invoked);
                let tokens = self.writable(Urgency::Invoked, readable, MOST_TOKENS);
                let lines = counted(tokens / TOKENS_OF_A_LINE, "line");
                format!("suggestions of about {lines} in {} s", wait.as_secs_f64())
            }
        };
        let rewrite = self.time_of_tokens(REWRITE_TOKENS.0, REWRITE_TOKENS.1).as_secs_f64().ceil();
        format!("{}: {expected}, a rewrite of 20 lines in about {rewrite:.0} s", self.speeds())
    }

    fn time_of_tokens(&self, read: f64, written: f64) -> Duration {
        let seconds = read / self.reading + written / self.writing;
        self.start + Duration::from_secs_f64(seconds.min(86_400.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_model_is_asked_for_what_it_can_do_in_time() {
        let pace = Pace { reading: 180.0, writing: 49.0, ..Pace::LOCAL };
        let readable = pace.readable(Urgency::Invoked);
        assert!((1_000..1_500).contains(&readable), "{readable}");
        assert!((150..300).contains(&pace.readable(Urgency::Typing)));
        assert!((60..110).contains(&pace.writable(Urgency::Invoked, readable, 128)));
        assert_eq!(pace.writable(Urgency::Typing, readable, 128), 24, "a first line at least");
        let planned = pace.time(readable, f64::from(pace.writable(Urgency::Invoked, readable, 128)));
        assert!(planned < pace.wait, "{planned:?}");
        assert!(pace.is_slow() && !Pace::QUICK.is_slow());
    }

    #[test]
    fn expectation_follows_the_speeds() {
        let check = |reading, writing, expected: &str| {
            let pace = Pace { reading, writing, ..Pace::LOCAL };
            assert_eq!(pace.expectation(), expected);
        };
        let laptop = "suggestions of about 10 lines in 5 s, a rewrite of 20 lines in about 7 s";
        check(180.0, 49.0, &format!("reads 180 and writes 49 tokens/s: {laptop}"));
        let middle = "suggestions of about 16 lines in 5 s, a rewrite of 20 lines in about 3 s";
        check(2_000.0, 90.4, &format!("reads 2000 and writes 90 tokens/s: {middle}"));
        let slow =
            "a suggestion takes about 24 s (a smaller model is quicker), a rewrite of 20 lines in about 61 s";
        check(20.0, 5.0, &format!("reads 20 and writes 5 tokens/s: {slow}"));
    }

    #[test]
    fn service_that_begins_late_is_not_slow() {
        let late = Pace { start: Duration::from_secs(2), ..Pace::QUICK };
        assert!(!late.is_slow());
        assert!(Pace { start: Duration::from_secs(2), ..Pace::LOCAL }.is_slow());
    }
}
