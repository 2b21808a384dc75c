//! What requests take, counted: tokens, bytes, money; by request, gear, session and day;
//! and the caps on them.

mod day;
mod meter;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::identity::is_same;
use crate::config::{Budget, Price};

pub use day::{DayFiles, default_folder};
pub use meter::{Meter, Totals};

/// What an answer took, as its wire tells it.
pub use super::Usage;

/// A sum of what requests took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tally {
    /// Requests made, answered or not.
    pub requests: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Those of them that came from a provider's cache.
    pub cached_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Those of them that came after their answer was abandoned.
    pub abandoned_tokens: u64,
    /// Bytes of request that went up.
    pub bytes_up: u64,
    /// US dollars, of the answers whose model has a price.
    pub dollars: f64,
    /// Answers whose model has none: they are in no sum of dollars.
    pub unpriced: u64,
}

impl Tally {
    /// One answer of a model with this price.
    fn of(usage: &Usage, price: Option<Price>) -> Self {
        Self {
            requests: 0,
            input_tokens: usage.input_tokens,
            cached_tokens: usage.cached_tokens,
            output_tokens: usage.output_tokens,
            abandoned_tokens: 0,
            bytes_up: usage.bytes_up,
            dollars: price.map_or(0.0, |price| cost(usage, price)),
            unpriced: u64::from(price.is_none()),
        }
    }

    fn add(&mut self, other: &Self) {
        // A server's figures are its own: one that makes them up must not bring a cap back to nothing.
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.requests, other.requests);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.cached_tokens, other.cached_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.abandoned_tokens, other.abandoned_tokens);
        add(&mut self.bytes_up, other.bytes_up);
        add(&mut self.unpriced, other.unpriced);
        self.dollars += other.dollars;
    }

    /// Tokens read and written.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// US dollars for one answer.
pub fn cost(usage: &Usage, price: Price) -> f64 {
    let cached = usage.cached_tokens.min(usage.input_tokens);
    let fresh = usage.input_tokens - cached;
    let millionths =
        fresh as f64 * price.input + cached as f64 * price.cached + usage.output_tokens as f64 * price.output;
    millionths / 1e6
}

/// The price of a model: under its own name, else under one that means the same.
pub fn price_of(prices: &BTreeMap<String, Price>, model: &str) -> Option<Price> {
    prices
        .get(model)
        .or_else(|| prices.iter().find(|(name, _)| is_same(name, model)).map(|(_, it)| it))
        .copied()
}

/// The first cap that is reached, as one sentence for the user.
pub fn reached(budget: &Budget, session: &Tally, day: &Tally) -> Option<String> {
    let dollars = [
        ("session_dollars", budget.session_dollars, session.dollars, "in this session"),
        ("day_dollars", budget.day_dollars, day.dollars, "today (UTC)"),
    ];
    for (name, cap, spent, when) in dollars {
        if let Some(cap) = cap.filter(|cap| spent >= *cap) {
            return Some(format!(
                "`budget.{name}` is reached: ${spent:.4} of ${cap} {when}; no model is asked"
            ));
        }
    }
    let tokens = [
        ("session_tokens", budget.session_tokens, session.tokens(), "in this session"),
        ("day_tokens", budget.day_tokens, day.tokens(), "today (UTC)"),
    ];
    for (name, cap, spent, when) in tokens {
        if let Some(cap) = cap.filter(|cap| spent >= *cap) {
            return Some(format!(
                "`budget.{name}` is reached: {spent} of {cap} tokens {when}; no model is asked"
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::prices;

    #[test]
    fn money_is_counted_by_the_table() {
        let price = Price { input: 2.0, cached: 0.5, output: 10.0 };
        let usage = Usage {
            input_tokens: 1_000_000,
            cached_tokens: 400_000,
            output_tokens: 100_000,
            ..Usage::default()
        };
        assert_eq!(cost(&usage, price), 1.2 + 0.2 + 1.0);
        // A server that counts cached tokens beside the others is not paid back for it.
        let odd = Usage { input_tokens: 10, cached_tokens: 1_000_000, ..Usage::default() };
        assert_eq!(cost(&odd, price), 5e-6);
    }

    #[test]
    fn a_model_without_a_price_is_not_free() {
        let spark = price_of(&prices(), "openai/gpt-5.3-codex-spark-2026-02-12");
        assert_eq!(spark.map(|it| it.output), Some(14.0));
        let unknown = price_of(&prices(), "gpt-5.3-codex");
        assert_eq!(unknown, None);
        let tally = Tally::of(&Usage { output_tokens: 5, ..Usage::default() }, unknown);
        assert_eq!((tally.dollars, tally.unpriced, tally.output_tokens), (0.0, 1, 5));
    }

    #[test]
    fn absurd_figures_stay_above_a_cap() {
        let absurd = Usage { input_tokens: u64::MAX, output_tokens: u64::MAX, ..Usage::default() };
        let mut sum = Tally::default();
        for _ in 0..2 {
            sum.add(&Tally::of(&absurd, None));
        }
        let budget = Budget { session_tokens: Some(u64::MAX), ..Budget::default() };
        assert!(reached(&budget, &sum, &sum).is_some(), "{sum:?}");
    }

    #[test]
    fn the_first_cap_that_is_reached_is_named() {
        let spent = Tally { dollars: 0.5, input_tokens: 90, output_tokens: 10, ..Tally::default() };
        let check = |budget, expected: Option<&str>| {
            assert_eq!(reached(&budget, &spent, &spent).as_deref(), expected);
        };
        let none = Budget::default();
        check(none, None);
        check(Budget { session_dollars: Some(0.51), session_tokens: Some(101), ..none }, None);
        check(
            Budget { session_dollars: Some(0.5), ..none },
            Some("`budget.session_dollars` is reached: $0.5000 of $0.5 in this session; no model is asked"),
        );
        check(
            Budget { day_tokens: Some(100), ..none },
            Some("`budget.day_tokens` is reached: 100 of 100 tokens today (UTC); no model is asked"),
        );
    }
}
