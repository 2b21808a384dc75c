//! How sure a suggestion is, by what can be checked of it, and how sure it has to be.
//!
//! Models say of themselves that they are sure whatever they write, so nobody asks them. What counts is whether
//! a suggestion uses names that exist, whether it has to do with what the user did, and whether it is whole.

use crate::config::Eagerness;

/// How sure a suggestion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Confidence {
    /// Something speaks against it.
    Low,
    /// Nothing speaks against it.
    Medium,
    /// Something speaks for it.
    High,
}

impl Confidence {
    /// How sure a suggestion has to be to be shown unasked. Who asks by hand is shown what there is.
    pub(super) fn least(eagerness: Eagerness, is_invoked: bool) -> Self {
        match eagerness {
            _ if is_invoked => Self::Low,
            Eagerness::Low => Self::High,
            Eagerness::Medium => Self::Medium,
            Eagerness::High => Self::Low,
        }
    }
}
