//! What a response costs, by the rules of the real service and a table of its own.

/// US dollars for a token, by what was done with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// A token that was read, per million.
    pub input: f64,
    /// A token that was in the cache, per million.
    pub cached: f64,
    /// A token that was read and written to the cache, per million.
    pub written: f64,
    /// The same where the cache is kept for long, per million.
    pub retained: f64,
    /// A token of the answer, per million.
    pub output: f64,
    /// Tokens of input above which factors on input and output hold.
    pub long: (usize, f64, f64),
    /// Factors by service tier.
    pub tiers: Vec<(String, f64)>,
}

impl Default for Rates {
    /// Those of no model, but like some.
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

/// What a response is billed for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bill<'a> {
    /// Tokens of input, with those that were cached or written.
    pub input: usize,
    /// Those of them that the cache held.
    pub cached: usize,
    /// Those of them that were written to it.
    pub written: usize,
    /// Tokens of output.
    pub output: usize,
    /// The tier that served.
    pub tier: &'a str,
    /// Whether the cache was to be kept for long.
    pub is_retained: bool,
}

impl Bill<'_> {
    /// The sum in US dollars.
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
