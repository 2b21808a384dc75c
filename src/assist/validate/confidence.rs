//! How certain a suggestion is, by what can be checked, and how certain it has to be.
//!
//! A model's own statement of confidence is worth nothing, so it is not asked for one. What counts is whether
//! a suggestion uses names that exist, whether it is related to recent edits, and whether it is complete.

use crate::config::Eagerness;

/// How certain a suggestion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::assist) enum Confidence {
    /// There is evidence against it.
    Low,
    /// There is no evidence against it.
    Medium,
    /// There is evidence for it.
    High,
}

impl Confidence {
    /// How certain a suggestion has to be to be shown. Explicit requests show what there is.
    pub(in crate::assist) fn least(eagerness: Eagerness, is_invoked: bool) -> Self {
        match eagerness {
            _ if is_invoked => Self::Low,
            Eagerness::Low => Self::High,
            Eagerness::Medium => Self::Medium,
            Eagerness::High => Self::Low,
        }
    }
}
