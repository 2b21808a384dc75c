//! A live duel between a model and a canary: the estimate after each pair of answers, and the stopping rule.
//!
//! At a random sample of the pauses both are asked, and a coin decides whose answer is shown. The shown answer
//! influences what is typed, so shown answers are compared only with shown ones, and hidden ones with hidden ones.
//! Let `s` be 1 if the canary is shown and −1 if it is hidden, `x` and `y` the kept shares of the shown and the
//! hidden answer, and `m` and `n` the means of both so far. The difference of a pair is
//!
//! ```text
//! d = s·((x − m) − (y − n))
//! ```
//!
//! and 0 if both answers are the same, since the coin has no effect then. The coin is fair and independent of `m` and
//! `n`, so the expected value of `d` is the mean of two differences between the canary and the other model: shown and
//! hidden (inverse probability weights; D. G. Horvitz and D. J. Thompson, "A generalization of sampling without
//! replacement from a finite universe", 1952). `m` and `n` only remove the common part. Pauses may be correlated, but
//! the coins are independent: each pair is its own cluster for the [interval](super::statistics), which may be
//! inspected after each.
//!
//! A loss is [tested](super::statistics::MeanTest::evidence) where the answers differ, against two losses that would matter
//! ([`LOSSES`]). In simulated streams whose answers differ at 35 % of the pauses, with a kept share of standard deviation
//! 0.4, a loss of 10 points is undone after a median of 77 pairs, and within 150 pairs in 84 % of the streams. If they
//! differ at 50 % of the pauses, the figures are 98 pairs and 74 %. No test does that always: by the lemma of Neyman
//! and Pearson, none is better than a single look after 150 pairs at which 5 % of equal canaries are withdrawn, and that
//! detects 95 % and 87 %.

use serde::{Deserialize, Serialize};

use super::statistics::{Cluster, Interval, MeanTest};
use crate::text::words::counted;

/// The minimum number of requests before the share of failures is judged.
const FEWEST_ASKED: usize = 10;
/// The minimum number of answers before latency is judged.
const FEWEST_TIMED: usize = 20;
/// The probability, over all looks, that a canary that is no worse is withdrawn.
const WRONGLY_BACK: f64 = 0.05;
/// The losses that are tested, and their weights: 10 points are found soon, 4 points eventually.
const LOSSES: [(f64, f64); 2] = [(0.1, 0.8), (0.04, 0.2)];
/// The number of pairs that ends a duel: a difference that is not detected by then does not matter.
const MOST_PAIRS: usize = 2_000;
/// The number of entries of any kind that ends a duel, to bound the size of its file.
const MOST_ENTRIES: usize = 20_000;

/// The outcome of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The number of suggested characters, without white space.
    pub suggested: usize,
    /// The number of suggested characters that were in the text when it had settled.
    pub kept: usize,
    /// Milliseconds until something could be shown, or was known to be empty; `None` if that was not awaited.
    pub milliseconds: Option<u64>,
}

impl Score {
    fn share(&self) -> f64 {
        self.kept as f64 / self.suggested.max(1) as f64
    }
}

/// An event in a duel. It holds numbers, and no text except a server's reason for a refusal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Entry {
    /// Both answered.
    Pair {
        /// Whether the canary's answer was shown.
        is_canary_shown: bool,
        /// Whether both answers are the same.
        is_same: bool,
        /// The scores of the model and of the canary.
        scores: [Score; 2],
        /// US dollars that the canary cost since its last entry, as in the other variants.
        dollars: f64,
    },
    /// The canary did not answer.
    #[expect(missing_docs, reason = "as above")]
    Refused { why: String, dollars: f64 },
    /// The pair cannot be scored: the position is gone, the file was closed, or the other model did not answer.
    #[expect(missing_docs, reason = "as above")]
    Void { dollars: f64 },
    /// The canary is no longer asked.
    Ended {
        /// The outcome.
        end: End,
        /// The outcome in words.
        why: String,
    },
}

/// The outcome of a duel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum End {
    /// The canary keeps less of its text.
    Worse,
    /// The canary keeps more of its text.
    Better,
    /// The canary fails too often.
    Refused,
    /// The canary takes too long.
    Slow,
    /// The canary has reached its budget.
    Spent,
    /// There is no difference that matters.
    Even,
}

/// The limits of a duel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The maximum share of the canary's requests that may fail.
    pub max_refused: f64,
    /// The maximum 95th percentile of the canary's latency, in milliseconds.
    pub max_p95_ms: Option<u64>,
    /// The canary's budget in US dollars.
    pub dollars: f64,
}

/// The state of a duel.
#[derive(Debug, Clone, Default)]
pub struct Duel {
    entries: usize,
    differences: Vec<Cluster>,
    /// The differences where the answers differ.
    differing: MeanTest,
    /// The sum and the count of the kept shares, of shown answers and of hidden ones.
    shares: [(f64, f64); 2],
    /// The latencies of the canary's answers, in milliseconds.
    times: Vec<u64>,
    refused: usize,
    last_refusal: String,
    dollars: f64,
    ended: Option<(End, String)>,
}

impl Duel {
    /// Adds the next entry.
    pub fn record(&mut self, entry: &Entry) {
        self.entries += 1;
        match entry {
            Entry::Pair { is_canary_shown, is_same, scores, dollars } => {
                self.dollars += dollars;
                self.times.extend(scores[1].milliseconds);
                let mut sum = 0.0;
                if !is_same {
                    sum = self.difference(*is_canary_shown, scores);
                    self.differing.add(sum);
                }
                self.differences.push(Cluster { pairs: 1, sum });
            }
            Entry::Refused { why, dollars } => {
                self.dollars += dollars;
                self.refused += 1;
                self.last_refusal.clone_from(why);
            }
            Entry::Void { dollars } => self.dollars += dollars,
            // The first `Ended` entry counts, whichever server wrote it.
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

    /// The outcome, if the duel has ended.
    pub fn ended(&self) -> Option<End> {
        self.ended.as_ref().map(|(end, _)| *end)
    }

    /// US dollars that the canary cost.
    pub fn dollars(&self) -> f64 {
        self.dollars
    }

    /// The entry that ends the duel if a limit is reached. The names are those of the model and the canary.
    pub fn check_end(&self, limits: &Limits, [model, canary]: [&str; 2]) -> Option<Entry> {
        let asked = self.refused + self.differences.len();
        let interval = self.interval();
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
        } else if self.is_worse() {
            let less = (interval.mean * 100.0).round().abs();
            let pairs = counted(interval.pairs, "pair");
            let why = "wrong in at most 1 of 20 trials";
            (End::Worse, format!("it keeps {less} points less of its text ({pairs}, {why})"))
        } else if interval.is_sure() && interval.mean > 0.0 {
            (End::Better, format!("it keeps {}", points(&interval)))
        } else if self.dollars >= limits.dollars {
            (End::Spent, format!("it has cost ${:.2} of ${}", self.dollars, limits.dollars))
        } else if self.differences.len() >= MOST_PAIRS || self.entries >= MOST_ENTRIES {
            (End::Even, format!("no difference was found: it keeps {}", points(&interval)))
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

    /// The state of the duel in one line.
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

    fn is_worse(&self) -> bool {
        let differ = self.differing.count / self.differences.len().max(1) as f64;
        let losses = LOSSES.map(|(loss, weight)| (-loss / differ, weight));
        self.differing.evidence(&losses) >= WRONGLY_BACK.recip()
    }

    fn p95(&self) -> Option<u64> {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() * 95 / 100).copied()
    }
}

fn points(interval: &Interval) -> String {
    let more = if interval.mean < 0.0 { "less" } else { "more" };
    let [points, off] = super::result::points(interval);
    format!("{points} ± {off} points {more} of its text ({})", counted(interval.pairs, "pair"))
}

#[cfg(test)]
mod tests;
