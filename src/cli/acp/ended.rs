//! How a turn ends.

use serde_json::json;

use super::auth::AUTH_REQUIRED;
use crate::cli::jsonrpc::{Answer, INTERNAL_ERROR};
use crate::job::Reason;

/// How a turn ended, as its prompt is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// What was asked for is done, or the user said no.
    Done,
    /// A limit of the user's budget is reached.
    Capped,
    /// The user cancelled it; nothing was written.
    Cancelled,
    /// What was asked for needs a model, and none is chosen.
    NoModel(String),
    /// What was asked for is not done, for this reason.
    Failed(String),
}

impl Ended {
    /// Why what was asked for is not done.
    pub(super) fn failure(&self) -> Option<&str> {
        match self {
            Self::NoModel(why) | Self::Failed(why) => Some(why),
            Self::Done | Self::Capped | Self::Cancelled => None,
        }
    }

    /// The answer to the prompt.
    pub(super) fn answer(self) -> Answer {
        let stop = match self {
            Self::Done => "end_turn",
            Self::Capped => "max_tokens",
            Self::Cancelled => "cancelled",
            // Editors offer the way to a model then.
            Self::NoModel(why) => return Err((AUTH_REQUIRED, why)),
            // A refusal would take the prompt and all that was said back out of the chat.
            Self::Failed(why) => return Err((INTERNAL_ERROR, why)),
        };
        Ok(json!({ "stopReason": stop }))
    }
}

/// Why a turn writes nothing.
#[derive(Debug)]
pub(super) enum TurnStop {
    /// For this reason, which the user is told.
    Failed(String),
    /// It needs a model, and none is chosen.
    NoModel(String),
    /// A limit of the user's budget is reached.
    Capped(String),
    /// The user does not want it.
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
