//! Limits on spending, and the prices of tokens.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::text::Day;

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
    /// Whether a company's policy limits the day.
    pub is_of_policy: bool,
}

impl Budget {
    /// Scales every limit by `share`.
    #[must_use]
    pub fn share(&self, share: f64) -> Self {
        let dollars = |limit: Option<f64>| limit.map(|limit| limit * share);
        let tokens = |limit: Option<u64>| limit.map(|limit| (limit as f64 * share) as u64);
        Self {
            session_dollars: dollars(self.session_dollars),
            day_dollars: dollars(self.day_dollars),
            session_tokens: tokens(self.session_tokens),
            day_tokens: tokens(self.day_tokens),
            ..*self
        }
    }

    /// With the limits of a day this many times.
    #[must_use]
    pub fn for_days(&self, days: u64) -> Self {
        Self {
            day_dollars: self.day_dollars.map(|limit| limit * days as f64),
            day_tokens: self.day_tokens.map(|limit| limit.saturating_mul(days)),
            ..*self
        }
    }
}

/// The price of a model, in US dollars per million tokens.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Price {
    /// Input tokens.
    pub input: f64,
    /// Input tokens that the provider had cached.
    pub cached: f64,
    /// Output tokens.
    pub output: f64,
    /// Input tokens that the provider writes to its cache.
    pub cache_write: f64,
    /// Input tokens that are cached with a long retention.
    pub retained: f64,
    /// The factors for requests with a long input.
    pub long: Option<LongInput>,
    /// The factors on the whole price for each service tier; the first one that is still valid applies.
    pub tiers: BTreeMap<String, Vec<TierFactor>>,
}

/// Factors on the price of a request with a long input.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongInput {
    /// The number of input tokens above which the factors apply.
    pub above: u64,
    /// The factor on the whole input.
    pub input: f64,
    /// The factor on the output.
    pub output: f64,
}

/// The factor of a service tier.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TierFactor {
    /// The factor on the whole price.
    pub factor: f64,
    /// The last day on which it applies; `None` if it does not end.
    pub until: Option<Day>,
}
