//! The outcomes of a turn.

use serde_json::json;

use super::auth::AUTH_REQUIRED;
use crate::cli::jsonrpc::{Answer, INTERNAL_ERROR};
use crate::job::Reason;

/// The outcome of a turn, which determines the answer to its prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// The prompt is carried out, or the user declined the change.
    Done,
    /// A limit of the user's budget is reached.
    Capped,
    /// The user cancelled it; nothing was written.
    Cancelled,
    /// The prompt needs a model, and none is configured.
    NoModel(String),
    /// The prompt could not be carried out, for this reason.
    Failed(String),
}

impl Ended {
    /// Why the prompt was not carried out.
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
            // Editors then offer the authentication methods.
            Self::NoModel(why) => return Err((AUTH_REQUIRED, why)),
            // The stop reason `refusal` would remove the prompt and its answer from the chat.
            Self::Failed(why) => return Err((INTERNAL_ERROR, why)),
        };
        Ok(json!({ "stopReason": stop }))
    }
}

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
