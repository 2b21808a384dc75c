//! Settings with graded values, and the value to send after a model refused another one.

use std::collections::BTreeSet;

/// The known efforts, in ascending order.
const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/// The known service tiers. From [`FIRST_TIER`] on, the slowest comes first.
const TIERS: &[&str] = &["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"];
/// The first tier that may replace a refused, faster one.
///
/// The tiers before it are not replaced: no tier is sent instead.
const FIRST_TIER: usize = 4;

/// A setting of which a model may accept some values and refuse others.
#[derive(Debug)]
pub(super) struct GradedSetting {
    wanted: Option<String>,
    refused: BTreeSet<String>,
    /// The known values, in ascending order.
    values: &'static [&'static str],
    /// The index of the first value that may replace another one.
    first: usize,
    /// Whether a greater value may replace a refused one if there is no lesser one.
    may_rise: bool,
}

impl GradedSetting {
    /// The setting of the reasoning effort.
    pub(super) fn effort(wanted: Option<String>) -> Self {
        Self { wanted, refused: BTreeSet::new(), values: EFFORTS, first: 0, may_rise: true }
    }

    /// The setting of the service tier. A faster tier would cost more than the one that was set.
    pub(super) fn tier(wanted: Option<String>) -> Self {
        Self { wanted, refused: BTreeSet::new(), values: TIERS, first: FIRST_TIER, may_rise: false }
    }

    /// The value to send; `None` if no value is left, or none was set.
    pub(super) fn wanted(&self) -> Option<String> {
        self.wanted.clone()
    }

    /// Switches to another value if the message refuses the current one; false if it does not.
    ///
    /// Tries the next lesser value that the model accepts, as far as the message lists them, else the next
    /// greater one. Without such a value, nothing is sent.
    pub(super) fn refuse(&mut self, message: &str) -> bool {
        let quoted: Vec<&str> = message.split(['\'', '`', '"']).skip(1).step_by(2).collect();
        let Some(wanted) = self.wanted.clone().filter(|it| quoted.contains(&it.as_str())) else {
            return false;
        };
        self.refused.insert(wanted.clone());
        let values = self.values;
        let listed = |value: &&&str| quoted.contains(*value) && **value != wanted;
        let has_list = values.iter().any(|value| listed(&value));
        let is_open = |value: &&&str| !self.refused.contains(**value) && (!has_list || listed(value));
        let at = values.iter().position(|it| *it == wanted);
        let next = at.and_then(|at| {
            let greater = if self.may_rise { &values[at..] } else { &[] };
            values[self.first.min(at)..at].iter().rev().chain(greater).find(is_open)
        });
        self.wanted = next.map(|it| (*it).to_owned());
        true
    }
}
