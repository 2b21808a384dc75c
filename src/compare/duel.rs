//! A live duel between a model and a canary: what is known after each pair of answers, and when it ends.
//!
//! At a drawn share of the pauses both are asked, and a coin decides whose answer is shown. What is shown bends what is
//! typed, so a shown answer is compared with shown ones alone, and a hidden one with hidden ones. Let `s` be 1 where the
//! canary is shown and −1 where it is hidden, `x` and `y` the kept shares of the shown and of the hidden answer, and `m`
//! and `n` the means of both so far. The difference of a pair is
//!
//! ```text
//! d = s·((x − m) − (y − n))
//! ```
//!
//! and 0 if both answered the same, whose coin decides nothing. As the coin is fair and knows nothing of `m` and `n`,
//! `d` is on average the mean of two differences: of the canary and the other model where they are shown, and where they
//! are hidden (weights by the inverse of a chance; D. G. Horvitz and D. J. Thompson, "A generalization of sampling
//! without replacement from a finite universe", 1952). `m` and `n` only take away what both have in common. However the
//! pauses hang together, the coins do not: each pair is a cluster of its own for the [interval](super::statistics),
//! which may be looked at after each.
//!
//! In simulated streams whose answers differ at 35 of 100 pauses, with a kept share whose deviation is 0.4, a loss of 10
//! points is undone after 96 pairs in the middle, and within 150 in 76 of 100 streams; where they differ at 50 of 100
//! pauses, after 118, and in 64.

use serde::{Deserialize, Serialize};

use super::statistics::{Cluster, Interval};
use crate::text::words::counted;

/// Requests before it is judged how many fail.
const FEWEST_ASKED: usize = 10;
/// Answers before it is judged how long they take.
const FEWEST_TIMED: usize = 20;
/// The chance, over all looks, that a canary goes back which is no worse: one side of an interval of twice that.
const WRONGLY_BACK: f64 = 0.05;
/// Pairs at which that side is narrowest: a loss is to be undone soon.
const SOON: f64 = 75.0;
/// Pairs after which it ends: a difference that is not seen by then is smaller than one that matters.
const MOST_PAIRS: usize = 2_000;
/// Entries of any kind after which it ends, so that its file is small.
const MOST_ENTRIES: usize = 20_000;

/// What an answer came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Characters that it suggests, without blanks.
    pub suggested: usize,
    /// Those of them that stood there when the text had settled.
    pub kept: usize,
    /// Milliseconds until something could be shown, or until it was known that nothing is; `None` if that was not waited for.
    pub milliseconds: Option<u64>,
}

impl Score {
    fn share(&self) -> f64 {
        self.kept as f64 / self.suggested.max(1) as f64
    }
}

/// Something that happened in a duel. It holds numbers, and of texts only why a server refused a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Entry {
    /// Both answered.
    Pair {
        /// Whether the canary's answer was shown.
        is_canary_shown: bool,
        /// Whether both answered the same.
        is_same: bool,
        /// The scores of the model and of the canary.
        scores: [Score; 2],
        /// US dollars that the canary took since its last entry, here and in the others.
        dollars: f64,
    },
    /// The canary did not answer.
    #[expect(missing_docs, reason = "as above")]
    Refused { why: String, dollars: f64 },
    /// Nothing can be said: the place is gone, the file was closed, the other model did not answer.
    #[expect(missing_docs, reason = "as above")]
    Void { dollars: f64 },
    /// The canary is asked no more.
    Ended {
        /// How it ended.
        end: End,
        /// The same in words.
        why: String,
    },
}

/// How a duel ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum End {
    /// The canary keeps less of its text.
    Worse,
    /// It keeps more.
    Better,
    /// It fails too often.
    Refused,
    /// It takes too long.
    Slow,
    /// It has cost what it may.
    Spent,
    /// There is no difference that matters.
    Even,
}

/// When a duel ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The share of the canary's requests that may fail.
    pub max_refused: f64,
    /// What 19 of 20 of its answers have to take less than, in milliseconds.
    pub max_p95_ms: Option<u64>,
    /// US dollars that it may take.
    pub dollars: f64,
}

/// What is known of a duel.
#[derive(Debug, Clone, Default)]
pub struct Duel {
    entries: usize,
    differences: Vec<Cluster>,
    /// The sum and the number of the kept shares of shown answers, and of hidden ones.
    shares: [(f64, f64); 2],
    /// What the canary's answers took, in milliseconds.
    times: Vec<u64>,
    refused: usize,
    last_refusal: String,
    dollars: f64,
    ended: Option<(End, String)>,
}

impl Duel {
    /// Adds what happened next.
    pub fn take(&mut self, entry: &Entry) {
        self.entries += 1;
        match entry {
            Entry::Pair { is_canary_shown, is_same, scores, dollars } => {
                self.dollars += dollars;
                self.times.extend(scores[1].milliseconds);
                let sum = if *is_same { 0.0 } else { self.difference(*is_canary_shown, scores) };
                self.differences.push(Cluster { pairs: 1, sum });
            }
            Entry::Refused { why, dollars } => {
                self.dollars += dollars;
                self.refused += 1;
                self.last_refusal.clone_from(why);
            }
            Entry::Void { dollars } => self.dollars += dollars,
            // The first one stands, whichever server found it.
            Entry::Ended { end, why } => _ = self.ended.get_or_insert_with(|| (*end, why.clone())),
        }
    }

    fn difference(&mut self, is_canary_shown: bool, [model, canary]: &[Score; 2]) -> f64 {
        let (sign, answers) = if is_canary_shown { (1.0, [canary, model]) } else { (-1.0, [model, canary]) };
        let off = [0, 1].map(|role| {
            let (sum, count) = &mut self.shares[role];
            let (mean, share) = (*sum / count.max(1.0), answers[role].share());
            *sum += share;
            *count += 1.0;
            share - mean
        });
        sign * (off[0] - off[1])
    }

    /// How it ended, if it did.
    pub fn ended(&self) -> Option<End> {
        self.ended.as_ref().map(|(end, _)| *end)
    }

    /// US dollars that the canary took.
    pub fn dollars(&self) -> f64 {
        self.dollars
    }

    /// The entry that ends it between a model and a canary of these names, if it is to end now.
    pub fn end(&self, limits: &Limits, [model, canary]: [&str; 2]) -> Option<Entry> {
        let asked = self.refused + self.differences.len();
        let (interval, soon) = (self.interval(), self.soon());
        let p95 = limits.max_p95_ms.filter(|_| self.times.len() >= FEWEST_TIMED).and_then(|_| self.p95());
        let (end, why) = if self.ended.is_some() {
            return None;
        } else if asked >= FEWEST_ASKED && self.refused as f64 > limits.max_refused * asked as f64 {
            let count = format!("{} of {asked} requests", self.refused);
            (End::Refused, format!("{count} came to nothing, the last one since {}", self.last_refusal))
        } else if let (Some(took), Some(most)) = (p95, limits.max_p95_ms)
            && took > most
        {
            (End::Slow, format!("one in 20 of its answers takes {took} ms or more, and {most} are allowed"))
        } else if soon.is_sure() && soon.mean < 0.0 {
            (End::Worse, format!("it keeps {}", points(&soon)))
        } else if interval.is_sure() && interval.mean > 0.0 {
            (End::Better, format!("it keeps {}", points(&interval)))
        } else if self.dollars >= limits.dollars {
            (End::Spent, format!("it has cost ${:.2} of ${}", self.dollars, limits.dollars))
        } else if self.differences.len() >= MOST_PAIRS || self.entries >= MOST_ENTRIES {
            (End::Even, format!("no difference is shown: it keeps {}", points(&interval)))
        } else {
            return None;
        };
        let then = match end {
            End::Better => {
                format!("name it first in `fast.candidates` to keep it; until then {model} goes on")
            }
            _ => format!("{model} goes on"),
        };
        Some(Entry::Ended { end, why: format!("the canary {canary} is asked no more: {why}; {then}") })
    }

    /// What is known, in one line.
    pub fn line(&self, limits: &Limits, [model, canary]: [&str; 2]) -> String {
        if let Some((_, why)) = &self.ended {
            return why.clone();
        }
        let interval = self.interval();
        let known = match interval.radius {
            Some(_) => format!("it keeps {} than {model}", points(&interval)),
            None => format!("too few to compare it with {model}"),
        };
        let failed = if self.refused > 0 { format!(", {} failed", self.refused) } else { String::new() };
        let pairs = counted(interval.pairs, "pair");
        format!("canary {canary}: {pairs}{failed}, {known}; ${:.2} of ${}", self.dollars, limits.dollars)
    }

    fn interval(&self) -> Interval {
        Interval::of(&self.differences)
    }

    /// The interval that a loss is seen by.
    fn soon(&self) -> Interval {
        Interval::with(&self.differences, 2.0 * WRONGLY_BACK, SOON)
    }

    fn p95(&self) -> Option<u64> {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() * 95 / 100).copied()
    }
}

fn points(interval: &Interval) -> String {
    let more = if interval.mean < 0.0 { "less" } else { "more" };
    let off = super::result::points_of(interval.radius);
    let mean = (interval.mean * 100.0).round().abs();
    format!("{mean} ± {off} points {more} of its text ({})", counted(interval.pairs, "pair"))
}

#[cfg(test)]
mod tests;
