//! The faults that the server can simulate.

use std::str::FromStr;

use super::request::Refusal;
use crate::text::named;

named! {
    /// One way of misbehaving, named on the command line (`--fault NAME`) or in a script.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Fault {
        /// Every request and upgrade is refused with 401, as for a bad key.
        Refuse401 = "refuse-401",
        /// The upgrade is refused with 403 and no word, as by a challenge page.
        Refuse403 = "refuse-403",
        /// The upgrade is refused with 404, as by a proxy that does not know sockets.
        Refuse404 = "refuse-404",
        /// The upgrade is refused with 426; plain HTTP works.
        Refuse426 = "refuse-426",
        /// Every request and upgrade is refused with 429, to be tried again after a second.
        Refuse429 = "refuse-429",
        /// Every request and upgrade is refused with 429, without a word about when to try
        /// again.
        Refuse429Bare = "refuse-429-bare",
        /// Every request and upgrade is refused with 429, to be tried again at a date two
        /// seconds from now.
        RetryAfterDate = "retry-after-date",
        /// The upgrade is refused with 500 and no word.
        Refuse500 = "refuse-500",
        /// Every request and upgrade is refused with 503, as by an overloaded server.
        Refuse503 = "refuse-503",
        /// The upgrade is never answered.
        HangUpgrade = "hang-upgrade",
        /// The upgrade is granted and the socket closed with code 1011 when a request comes,
        /// as by a gateway that cannot pass it on; plain HTTP works.
        CloseSockets = "close-sockets",
        /// Compression that is offered for a socket is agreed to in unknown terms.
        BadDeflate = "bad-deflate",
        /// A header names another model than the requested one.
        RerouteHeader = "reroute-header",
        /// Lanes are refused as an unsupported parameter.
        NoLanes = "no-lanes",
        /// Lanes are passed over: no event names one.
        IgnoreLanes = "ignore-lanes",
        /// A header inside an event names another model than the requested one.
        RerouteEvent = "reroute-event",
        /// The response names another model than the requested one.
        RerouteModel = "reroute-model",
        /// The response names a lower tier than the requested one.
        LowerTier = "lower-tier",
        /// The socket is closed with code 1011 before any event.
        CloseFirst = "close-first",
        /// After half of the reply the socket is closed with code 1011.
        CloseMidStream = "close-mid-stream",
        /// The socket is closed with code 1009, for a frame that is too large, before any event.
        CloseTooLarge = "close-too-large",
        /// After the reply's end the socket is closed with code 1001.
        CloseAfter = "close-after",
        /// The connection ends without a close frame before any event.
        CutFirst = "cut-first",
        /// After half of the reply the connection ends without a close frame.
        Cut = "cut",
        /// The request is taken and never answered.
        Hang = "hang",
        /// After half of the reply nothing more comes.
        HangMidStream = "hang-mid-stream",
        /// The first token takes five seconds longer.
        SlowFirstToken = "slow-first-token",
        /// Event types that no schema knows are sent in between.
        UnknownEvents = "unknown-events",
        /// Before the reply there is a separate message that is marked as commentary.
        Commentary = "commentary",
        /// In the middle of the reply there is a separate message that is marked as commentary.
        CommentaryBetween = "commentary-between",
        /// Before the reply there is another message, and neither is marked.
        TwoMessages = "two-messages",
        /// Before the reply a whole response is sent that was not asked for. HTTP has no
        /// place for one.
        StrayResponseBefore = "stray-response-before",
        /// After the reply a whole response is sent that was not asked for. HTTP has no place
        /// for one.
        StrayResponseAfter = "stray-response-after",
        /// Before the reply and in its middle there are events of an older response. HTTP has
        /// no place for them.
        LateEvents = "late-events",
        /// An event reports that a quota is used up, but the reply follows.
        QuotaEvent = "quota-event",
        /// The response fails: too many requests, try again in 0.2 s.
        RateLimited = "rate-limited",
        /// An error frame with status 429 and a header: try again after a second.
        RateLimitFrame = "rate-limit-frame",
        /// An error frame: the plan's limit is reached, until a minute from now.
        UsageLimit = "usage-limit",
        /// An error frame: the account has no money left.
        InsufficientQuota = "insufficient-quota",
        /// An error frame: the request is longer than the model's window.
        ContextTooLong = "context-too-long",
        /// The response fails: against a policy.
        Policy = "policy",
        /// The response fails: the server is overloaded.
        Overloaded = "overloaded",
        /// The response fails: the server's own fault.
        ServerError = "server-error",
        /// An error frame with neither status nor code.
        BareError = "bare-error",
        /// A frame that only has a `detail`.
        DetailError = "detail-error",
        /// A field that ours have (`prompt_cache_key`) is refused as unsupported.
        UnsupportedField = "unsupported-field",
        /// A value that ours have (`service_tier: "fast"`) is refused, and others are listed.
        UnsupportedValue = "unsupported-value",
        /// The model is refused as not supported.
        UnsupportedModel = "unsupported-model",
        /// What is continued from is not found.
        PreviousNotFound = "previous-not-found",
        /// The connection is too old.
        ConnectionLimit = "connection-limit",
    }
}

/// The error for an unknown fault name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault named `{0}`; the faults are {list}", list = Fault::ALL.map(Fault::name).join(", "))]
pub struct UnknownFault(String);

/// The form in which a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// By an `error` frame.
    Frame,
    /// By `response.failed`, after `response.created`.
    Failed,
    /// By an `error` frame with only a message.
    Bare,
    /// By an object with only a `detail`.
    Detail,
}

impl Fault {
    /// Whether the fault can affect a single reply; the others affect whole connections.
    pub fn affects_one_reply(self) -> bool {
        use Fault::{BadDeflate, CloseSockets, HangUpgrade, IgnoreLanes, NoLanes, RerouteHeader};
        let of_connections = [HangUpgrade, CloseSockets, BadDeflate, RerouteHeader, NoLanes, IgnoreLanes];
        !of_connections.contains(&self) && self.connection_refusal().is_none()
    }

    /// The refusal of a connection, and whether it applies to plain HTTP requests as well as to upgrades.
    pub(super) fn connection_refusal(self) -> Option<(Refusal, bool)> {
        let (status, code, message, http) = match self {
            Self::Refuse401 => (401, "invalid_api_key", "Incorrect API key provided.", true),
            Self::Refuse403 => (403, "", "", false),
            Self::Refuse404 => (404, "not_found", "There is nothing here.", false),
            Self::Refuse426 => {
                (426, "websocket_unsupported", "This endpoint takes HTTP requests only.", false)
            }
            Self::Refuse429 | Self::Refuse429Bare | Self::RetryAfterDate => {
                (429, "rate_limit_exceeded", "Too many requests.", true)
            }
            Self::Refuse500 => (500, "", "", false),
            Self::Refuse503 => {
                (503, "server_is_overloaded", "The server is overloaded; try again later.", true)
            }
            _ => return None,
        };
        Some((Refusal { status, ..Refusal::new(code, message, "") }, http))
    }

    /// The refusal of a request and its form, if the fault is one.
    pub(super) fn request_refusal(self) -> Option<(Refusal, Shape)> {
        use Shape::{Bare, Detail, Failed, Frame};
        let (status, code, message, shape) = match self {
            Self::RateLimited => (429, "rate_limit_exceeded", "Slow down; try again in 0.2s.", Failed),
            Self::RateLimitFrame => (429, "rate_limit_exceeded", "Too many requests.", Frame),
            Self::UsageLimit => (429, "usage_limit_reached", "The usage limit is reached.", Frame),
            Self::InsufficientQuota => (429, "insufficient_quota", "You exceeded your current quota.", Frame),
            Self::ContextTooLong => {
                let message = "Your input exceeds the context window of this model.";
                (400, "context_length_exceeded", message, Frame)
            }
            Self::Policy => (400, "invalid_prompt", "This is against our usage policy.", Failed),
            Self::Overloaded => (503, "server_is_overloaded", "Our servers are overloaded.", Failed),
            Self::ServerError => (500, "server_error", "Something went wrong.", Failed),
            Self::BareError => (500, "", "Something went wrong.", Bare),
            Self::DetailError => (400, "", "Not for this account.", Detail),
            Self::UnsupportedField => {
                let message = "Unsupported parameter: 'prompt_cache_key' is not supported with this model.";
                (400, "unsupported_parameter", message, Frame)
            }
            Self::UnsupportedValue => {
                let message =
                    "Invalid value: 'fast'. Supported values are: 'auto', 'default', 'flex', and 'priority'.";
                (400, "invalid_value", message, Frame)
            }
            Self::UnsupportedModel => (400, "model_not_found", "The requested model does not exist.", Frame),
            Self::PreviousNotFound => {
                (400, "previous_response_not_found", "No such response on this connection.", Frame)
            }
            Self::ConnectionLimit => {
                let message = "This connection is too old; open another.";
                (400, "websocket_connection_limit_reached", message, Frame)
            }
            _ => return None,
        };
        let param = match self {
            Self::UnsupportedField => "prompt_cache_key",
            Self::UnsupportedValue => "service_tier",
            Self::PreviousNotFound => "previous_response_id",
            _ => "",
        };
        Some((Refusal { status, ..Refusal::new(code, message, param) }, shape))
    }
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(name: &str) -> Result<Self, UnknownFault> {
        Self::by_name(name).ok_or_else(|| UnknownFault(name.to_owned()))
    }
}
