//! The cost of a response, by the billing rules of the real service and a table of made-up rates.

/// Token prices in US dollars per million tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// Uncached input.
    pub input: f64,
    /// Input read from the cache.
    pub cached: f64,
    /// Input written to the cache.
    pub written: f64,
    /// Input written to a cache with long retention.
    pub retained: f64,
    /// Output.
    pub output: f64,
    /// The number of input tokens above which a request is long, and the factors on the input and output prices then.
    pub long: (usize, f64, f64),
    /// Price factors by service tier.
    pub tiers: Vec<(String, f64)>,
}

impl Default for Rates {
    /// Plausible rates that belong to no real model.
    fn default() -> Self {
        let tiers = [("fast", 2.0), ("priority", 2.0), ("ultrafast", 3.0)];
        Self {
            input: 2.0,
            cached: 0.2,
            written: 2.5,
            retained: 3.0,
            output: 10.0,
            long: (272_000, 2.0, 1.5),
            tiers: tiers.map(|(tier, factor)| (tier.to_owned(), factor)).into(),
        }
    }
}

/// The billable quantities of a response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bill<'a> {
    /// Input tokens, including cached and written ones.
    pub input: usize,
    /// Input tokens read from the cache.
    pub cached: usize,
    /// Input tokens written to the cache.
    pub written: usize,
    /// Output tokens.
    pub output: usize,
    /// The service tier that served the request.
    pub tier: &'a str,
    /// Whether the request asked for long cache retention.
    pub is_retained: bool,
}

impl Bill<'_> {
    /// The total in US dollars.
    pub fn dollars(&self, rates: &Rates) -> f64 {
        let (above, long_input, long_output) = rates.long;
        let is_long = self.input > above;
        let plain = self.input - self.cached - self.written;
        let rows = [
            (plain, rates.input, long_input),
            (self.cached, rates.cached, long_input),
            (self.written, if self.is_retained { rates.retained } else { rates.written }, long_input),
            (self.output, rates.output, long_output),
        ];
        let row = |(tokens, rate, long): (usize, f64, f64)| {
            tokens as f64 * rate / 1_000_000.0 * if is_long { long } else { 1.0 }
        };
        let tier = rates.tiers.iter().find(|(name, _)| name == self.tier).map_or(1.0, |(_, factor)| *factor);
        rows.into_iter().map(row).sum::<f64>() * tier
    }
}
