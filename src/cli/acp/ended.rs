//! How a turn ends.

use crate::job::Reason;

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// All is said and done.
    EndTurn,
    /// The user cancelled it; nothing was written.
    Cancelled,
}

impl Ended {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Why a turn writes nothing.
#[derive(Debug)]
pub(super) enum Stop {
    /// For this reason, which the user is told.
    Said(String),
    /// The user cancelled it.
    Cancelled,
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Self::Said(reason.to_string())
    }
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::Said(format!("{error:#}"))
    }
}
