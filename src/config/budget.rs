//! Limits on spending, and the prices of tokens.

use std::collections::BTreeMap;

/// Limits on spending: once one is reached, no more requests are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// US dollars per run of the server.
    pub session_dollars: Option<f64>,
    /// US dollars per day.
    pub day_dollars: Option<f64>,
    /// Input and output tokens per run of the server.
    pub session_tokens: Option<u64>,
    /// Input and output tokens per day.
    pub day_tokens: Option<u64>,
}

impl Budget {
    /// The same share of every limit.
    #[must_use]
    pub fn share(&self, share: f64) -> Self {
        let dollars = |limit: Option<f64>| limit.map(|limit| limit * share);
        let tokens = |limit: Option<u64>| limit.map(|limit| (limit as f64 * share) as u64);
        Self {
            session_dollars: dollars(self.session_dollars),
            day_dollars: dollars(self.day_dollars),
            session_tokens: tokens(self.session_tokens),
            day_tokens: tokens(self.day_tokens),
        }
    }
}

/// The price of a model, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Input tokens.
    pub input: f64,
    /// Input tokens that the provider had cached.
    pub cached: f64,
    /// Output tokens.
    pub output: f64,
}

/// Built-in prices. They change; the user's own take precedence.
pub fn prices() -> BTreeMap<String, Price> {
    // Its discount for cached tokens is not known: they count in full.
    BTreeMap::from([("gpt-5.3-codex-spark".to_owned(), Price { input: 1.75, cached: 1.75, output: 14.0 })])
}
