//! Reasons why a candidate cannot be asked.

/// Why a candidate cannot be asked.
pub(super) struct Obstacle {
    pub(super) why: String,
    pub(super) kind: Kind,
    /// The environment variable to set.
    pub(super) variable: Option<String>,
}

/// The kind of obstacle, which determines the remedy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The configuration must be corrected.
    Mistake,
    /// A key is currently missing.
    Absence,
    /// A key is being fetched.
    Pending,
}

impl Obstacle {
    pub(super) fn mistake(why: impl Into<String>) -> Self {
        Self { why: why.into(), kind: Kind::Mistake, variable: None }
    }

    pub(super) fn absence(why: impl Into<String>) -> Self {
        Self { why: why.into(), kind: Kind::Absence, variable: None }
    }

    /// The environment variable `name` is unset; it should hold a `what`.
    pub(super) fn unset(name: &str, what: &str) -> Self {
        let why = format!("the environment variable {name} holds no {what}");
        Self { variable: Some(name.to_owned()), ..Self::absence(why) }
    }
}
