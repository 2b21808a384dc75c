//! The usage of requests: tokens, bytes and money, by request, gear, session and day, and the caps
//! on it.

mod day;
mod day_count;
mod meter;

use serde::{Deserialize, Serialize};

use crate::config::{Budget, Endpoint, Price, TierFactor};
use crate::text::Day;

pub use crate::config::prices::{known_price, price_at};
pub use day::{DayFiles, DayUsage, KEPT_DAYS, default_folder, today};
pub use day_count::finish;
pub use meter::{Meter, Reservation, SharedBudget, Totals};

/// The usage of one answer, as reported by its wire.
pub use super::Usage;

/// A sum of usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tally {
    /// Requests made, answered or not.
    pub requests: u64,
    /// Input tokens.
    pub input_tokens: u64,
    /// Input tokens that came from a provider's cache.
    pub cached_tokens: u64,
    /// Input tokens that were written to a provider's cache.
    pub cache_write_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Output tokens that arrived after their answer was abandoned.
    pub abandoned_tokens: u64,
    /// Bytes of requests sent.
    pub bytes_up: u64,
    /// US dollars, for answers of models with a known price.
    pub dollars: f64,
    /// Answers of models without a known price, which are not part of any sum of dollars.
    pub unpriced: u64,
    /// Suggestions that were shown, and those that were accepted, as a whole or in part.
    pub shown: u64,
    /// See `shown`.
    pub accepted: u64,
}

impl Tally {
    /// The tally of one answer, at this price.
    fn of(usage: &Usage, price: Option<&Price>, terms: Terms<'_>) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            cached_tokens: usage.cached_tokens,
            cache_write_tokens: usage.cache_write_tokens,
            output_tokens: usage.output_tokens,
            bytes_up: usage.bytes_up,
            dollars: price.map_or(0.0, |price| cost(usage, price, terms)),
            unpriced: u64::from(price.is_none()),
            ..Self::default()
        }
    }

    fn add(&mut self, other: &Self) {
        // A server's figures are not trusted: made-up ones must not overflow and reset a cap.
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.requests, other.requests);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.cached_tokens, other.cached_tokens);
        add(&mut self.cache_write_tokens, other.cache_write_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.abandoned_tokens, other.abandoned_tokens);
        add(&mut self.bytes_up, other.bytes_up);
        add(&mut self.unpriced, other.unpriced);
        add(&mut self.shown, other.shown);
        add(&mut self.accepted, other.accepted);
        self.dollars += other.dollars;
    }

    /// Input and output tokens.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Conditions besides the tokens that a price depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Terms<'a> {
    /// The requested service tier. A tier named by the server takes precedence.
    pub tier: Option<&'a str>,
    /// Whether the provider was asked for long cache retention.
    pub is_retained: bool,
    /// The day of the answer, since factors change.
    pub day: u64,
}

impl<'a> Terms<'a> {
    /// The terms of an endpoint on a day.
    pub fn of(endpoint: &'a Endpoint, day: u64) -> Self {
        /// The default cache retention of OpenAI and Anthropic.
        const USUAL: [&str; 2] = ["30m", "5m"];
        let is_retained = endpoint.cache_ttl.as_deref().is_some_and(|ttl| !USUAL.contains(&ttl));
        Self { tier: endpoint.service_tier.as_deref(), is_retained, day }
    }
}

/// The cost of one answer in US dollars.
pub fn cost(usage: &Usage, price: &Price, terms: Terms<'_>) -> f64 {
    let cached = usage.cached_tokens.min(usage.input_tokens);
    let written = usage.cache_write_tokens.min(usage.input_tokens - cached);
    let fresh = usage.input_tokens - cached - written;
    let write_price = if terms.is_retained { price.retained } else { price.cache_write };
    let mut input = fresh as f64 * price.input + cached as f64 * price.cached + written as f64 * write_price;
    let mut output = usage.output_tokens as f64 * price.output;
    if let Some(long) = price.long.filter(|long| usage.input_tokens > long.above) {
        input *= long.input;
        output *= long.output;
    }
    let tier = usage.tier.as_deref().or(terms.tier);
    let factors = tier.and_then(|tier| price.tiers.get(tier)).map_or(&[][..], Vec::as_slice);
    let holds = |it: &&TierFactor| it.until.is_none_or(|until| Day(terms.day) <= until);
    let factor = factors.iter().find(holds).map_or(1.0, |it| it.factor);
    (input + output) * factor / 1e6
}

/// The first cap that is reached, as one sentence for the user.
pub fn reached(budget: &Budget, session: &Tally, day: &Tally) -> Option<String> {
    let dollars = |cap: Option<f64>, spent: f64| {
        cap.filter(|cap| spent >= *cap).map(|cap| format!("${spent:.4} of ${cap}"))
    };
    let tokens = |cap: Option<u64>, spent: u64| {
        cap.filter(|cap| spent >= *cap).map(|cap| format!("{spent} of {cap} tokens"))
    };
    let of_session = ("in this session", "; raise it under `[budget]`, it applies to each run separately");
    let of_day = match budget.is_of_policy {
        true => ("today, UTC", ", which a company's policy limits; wait until midnight UTC"),
        false => ("today, UTC", "; raise it under `[budget]`, or wait until midnight UTC"),
    };
    let caps = [
        ("session_dollars", dollars(budget.session_dollars, session.dollars), of_session),
        ("day_dollars", dollars(budget.day_dollars, day.dollars), of_day),
        ("session_tokens", tokens(budget.session_tokens, session.tokens()), of_session),
        ("day_tokens", tokens(budget.day_tokens, day.tokens()), of_day),
    ];
    let (name, spent, (when, step)) =
        caps.into_iter().find_map(|(name, spent, it)| Some((name, spent?, it)))?;
    Some(format!("`budget.{name}` is reached ({spent} {when}){step}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::models;

    #[test]
    fn money_is_counted_by_the_table() {
        let price = models::price("unknown", 2.0, 0.5, 10.0);
        let usage = Usage {
            input_tokens: 1_000_000,
            cached_tokens: 400_000,
            output_tokens: 100_000,
            ..Usage::default()
        };
        assert_eq!(cost(&usage, &price, Terms::default()), 1.2 + 0.2 + 1.0);
        // A server that counts cached tokens apart from the others must not lower the cost.
        let odd = Usage { input_tokens: 10, cached_tokens: 1_000_000, ..Usage::default() };
        assert_eq!(cost(&odd, &price, Terms::default()), 5e-6);
    }

    #[test]
    fn each_dimension_of_a_price_counts() {
        let price = models::price("gpt-6.2-sol", 2.0, 0.5, 10.0);
        let day = |text| Day::parse(text).unwrap().0;
        let usage = |input_tokens, cached_tokens, cache_write_tokens, tier: &str| Usage {
            input_tokens,
            cached_tokens,
            cache_write_tokens,
            output_tokens: 1_000,
            tier: Some(tier.to_owned()).filter(|it| !it.is_empty()),
            ..Usage::default()
        };
        let check = |usage: Usage, terms: Terms<'_>, dollars: f64| {
            let counted = cost(&usage, &price, terms);
            assert!((counted - dollars).abs() < 1e-9, "{counted} for {dollars}: {usage:?}");
        };
        let none = Terms { day: day("2026-11-22"), ..Terms::default() };
        check(usage(10_000, 0, 0, ""), none, 0.03);
        check(usage(10_000, 4_000, 4_000, ""), none, 0.004 + 0.002 + 0.010 + 0.010);
        check(usage(300_000, 0, 0, ""), none, 1.2 + 0.015);
        check(usage(10_000, 0, 0, "priority"), none, 0.06);
        let ultrafast = Terms { tier: Some("ultrafast"), ..none };
        check(usage(10_000, 0, 0, ""), ultrafast, 0.09);
        check(usage(10_000, 0, 0, ""), Terms { day: day("2027-02-28"), ..ultrafast }, 0.09);
        check(usage(10_000, 0, 0, ""), Terms { day: day("2027-03-01"), ..ultrafast }, 0.18);
        check(usage(10_000, 0, 0, "default"), ultrafast, 0.03);
        let kept = Price { retained: 5.0, ..price.clone() };
        let retained = Terms { is_retained: true, ..none };
        assert!((cost(&usage(10_000, 0, 10_000, ""), &kept, retained) - 0.06).abs() < 1e-9);
    }

    #[test]
    fn a_model_without_a_price_is_not_free() {
        let spark = known_price("https://a", "openai/gpt-5.3-codex-spark-2026-02-12");
        assert_eq!(spark.map(|it| it.output), Some(14.0));
        let unknown = known_price("https://a", "gpt-5.3-codex");
        assert_eq!(unknown, None);
        let tally =
            Tally::of(&Usage { output_tokens: 5, ..Usage::default() }, unknown.as_ref(), Terms::default());
        assert_eq!((tally.dollars, tally.unpriced, tally.output_tokens), (0.0, 1, 5));
    }

    #[test]
    fn what_runs_on_this_machine_costs_nothing_unless_it_has_a_price() {
        let at = |base_url: &str, model: &str| {
            let endpoint =
                Endpoint { base_url: base_url.to_owned(), model: model.to_owned(), ..Endpoint::default() };
            price_at(&BTreeMap::new(), &endpoint, None).map(|it| it.output)
        };
        assert_eq!(at("http://127.0.0.1:8080/v1", "own.gguf"), Some(0.0));
        assert_eq!(at("http://localhost:4000/v1", "gpt-5.3-codex-spark"), Some(14.0), "a gateway");
        assert_eq!(at("https://llm.example.com/v1", "own.gguf"), None);
        assert_eq!(at("https://api.groq.com/openai/v1", "openai/gpt-oss-120b"), Some(0.6), "its provider's");
    }

    #[test]
    fn absurd_figures_stay_above_a_cap() {
        let absurd = Usage { input_tokens: u64::MAX, output_tokens: u64::MAX, ..Usage::default() };
        let mut sum = Tally::default();
        for _ in 0..2 {
            sum.add(&Tally::of(&absurd, None, Terms::default()));
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
            Some(
                "`budget.session_dollars` is reached ($0.5000 of $0.5 in this session); raise it under `[budget]`, it applies to each run separately",
            ),
        );
        check(
            Budget { day_tokens: Some(100), ..none },
            Some(
                "`budget.day_tokens` is reached (100 of 100 tokens today, UTC); raise it under `[budget]`, or wait until midnight UTC",
            ),
        );
    }
}
