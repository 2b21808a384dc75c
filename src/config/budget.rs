//! What may be spent, and what tokens cost.

use std::collections::BTreeMap;

/// Caps: once one is reached no model is asked any more.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// US dollars from the server's start to its end.
    pub session_dollars: Option<f64>,
    /// US dollars in one day.
    pub day_dollars: Option<f64>,
    /// Tokens, read and written, from the server's start to its end.
    pub session_tokens: Option<u64>,
    /// Tokens, read and written, in one day.
    pub day_tokens: Option<u64>,
}

/// What a model costs, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Tokens read.
    pub input: f64,
    /// Tokens read that came from the provider's cache.
    pub cached: f64,
    /// Tokens written.
    pub output: f64,
}

/// Built-in prices. They change; the user's own take precedence.
pub fn prices() -> BTreeMap<String, Price> {
    // Its discount for cached tokens is not known: they count in full.
    BTreeMap::from([("gpt-5.3-codex-spark".to_owned(), Price { input: 1.75, cached: 1.75, output: 14.0 })])
}
