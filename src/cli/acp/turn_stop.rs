//! Why a turn writes nothing.

use crate::job::Reason;

/// The reason that a turn writes nothing.
#[derive(Debug)]
pub(super) enum TurnStop {
    /// It failed, for this reason, which is shown to the user.
    Failed(String),
    /// It needs a model, and none is configured.
    NoModel(String),
    /// A limit of the user's budget is reached.
    Capped(String),
    /// The user declined the change.
    Declined,
    /// The user cancelled it.
    Cancelled,
}

impl From<Reason> for TurnStop {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Capped(_) => Self::Capped(reason.to_string()),
            Reason::Cancelled => Self::Cancelled,
            Reason::NoModel | Reason::NeedsModel => Self::NoModel(reason.to_string()),
            reason => Self::Failed(reason.to_string()),
        }
    }
}

impl From<anyhow::Error> for TurnStop {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(format!("{error:#}"))
    }
}
