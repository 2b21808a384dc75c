//! Settings with several values: which one is asked for after a model refused another.

use std::collections::BTreeSet;

/// The efforts that there are, the least first.
const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/// The service tiers that there are. From [`FIRST_TIER`] on the slowest comes first.
const TIERS: &[&str] = &["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"];
/// The first tier that stands in for a faster one which a model refuses.
///
/// Instead of those before it no tier is asked for.
const FIRST_TIER: usize = 4;

/// A setting of which a model may take one value and refuse another.
#[derive(Debug)]
pub(super) struct GradedSetting {
    wanted: Option<String>,
    refused: BTreeSet<String>,
    /// The values that there are, the least first.
    values: &'static [&'static str],
    /// The first of them that can stand in for another.
    first: usize,
    /// Whether a greater value may stand in where there is no lesser one.
    may_rise: bool,
}

impl GradedSetting {
    /// How hard a model is to think.
    pub(super) fn effort(wanted: Option<String>) -> Self {
        Self { wanted, refused: BTreeSet::new(), values: EFFORTS, first: 0, may_rise: true }
    }

    /// A class of service. A faster one would cost more than the one that was set.
    pub(super) fn tier(wanted: Option<String>) -> Self {
        Self { wanted, refused: BTreeSet::new(), values: TIERS, first: FIRST_TIER, may_rise: false }
    }

    /// The value to ask for; `None` if no value is left, or none was set.
    pub(super) fn wanted(&self) -> Option<String> {
        self.wanted.clone()
    }

    /// Takes another value if the message refuses this one; false if it does not.
    ///
    /// That is the next lesser one which the model takes, as far as the message lists those, else the next greater one.
    /// Without another one no value is asked for.
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
