//! What keeps a candidate from being asked.

/// Why a candidate cannot be asked.
pub(super) struct Obstacle {
    pub(super) why: String,
    pub(super) kind: Kind,
    /// The environment variable that has to be set.
    pub(super) variable: Option<String>,
}

/// What is to be done about it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something in the configuration is to be mended.
    Mistake,
    /// A key is not there today.
    Absence,
    /// A key is on its way.
    Pending,
}

impl Obstacle {
    pub(super) fn mistake(why: impl Into<String>) -> Self {
        Self { why: why.into(), kind: Kind::Mistake, variable: None }
    }

    pub(super) fn absence(why: impl Into<String>) -> Self {
        Self { why: why.into(), kind: Kind::Absence, variable: None }
    }

    /// The environment variable `name` is to hold a `what`.
    pub(super) fn unset(name: &str, what: &str) -> Self {
        let why = format!("the environment variable {name} holds no {what}");
        Self { variable: Some(name.to_owned()), ..Self::absence(why) }
    }
}
