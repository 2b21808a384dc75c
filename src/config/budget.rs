//! Limits on spending, and the prices of tokens.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};

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

/// A day, in days since 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub u64);

impl Day {
    /// Parses `2027-02-28`, ignoring the text after the day. `None` if it is not a day.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.get(..10)?.split('-');
        let mut number = || parts.next()?.parse::<u64>().ok();
        let (year, month, day) = (number()?, number()?, number()?);
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        // Years begin in March, so that a leap day is the last of its year.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
        /// The count for the first day of 1970.
        const FIRST: u64 = 719_468;
        days.checked_sub(FIRST).map(Self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom(format!("`{text}` is not a day")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_is_counted_from_1970() {
        let check = |text: &str, days: Option<u64>| assert_eq!(Day::parse(text), days.map(Day), "{text}");
        check("1970-01-01", Some(0));
        check("2000-02-29", Some(11_016));
        check("2000-03-01", Some(11_017));
        check("2026-11-22T10:00:00Z", Some(20_779));
        check("1969-12-31", None);
        check("2026-13-01", None);
        check("soon", None);
    }
}
