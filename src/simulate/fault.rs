//! The ways in which a server can misbehave on request.

use std::{fmt, str::FromStr};

use super::request::Refusal;

/// One way of misbehaving, named on the command line (`--fault NAME`) or in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Every request and upgrade is refused with 401, as for a bad key.
    Refuse401,
    /// The upgrade is refused with 403 and no word, as by a challenge page.
    Refuse403,
    /// The upgrade is refused with 404, as by a proxy that does not know sockets.
    Refuse404,
    /// The upgrade is refused with 426; plain HTTP works.
    Refuse426,
    /// Every request and upgrade is refused with 429, to be tried again after a second.
    Refuse429,
    /// Every request and upgrade is refused with 429, without a word about when to try
    /// again.
    Refuse429Bare,
    /// Every request and upgrade is refused with 429, to be tried again at a date two
    /// seconds from now.
    RetryAfterDate,
    /// The upgrade is refused with 500 and no word.
    Refuse500,
    /// Every request and upgrade is refused with 503, as by an overloaded server.
    Refuse503,
    /// The upgrade is never answered.
    HangUpgrade,
    /// The upgrade is granted and the socket closed with code 1011 when a request comes,
    /// as by a gateway that cannot pass it on; plain HTTP works.
    CloseSockets,
    /// Compression that is offered for a socket is agreed to in unknown terms.
    BadDeflate,
    /// A header says that another model serves.
    RerouteHeader,
    /// Lanes are refused as an unsupported parameter.
    NoLanes,
    /// Lanes are passed over: no event names one.
    IgnoreLanes,
    /// A header inside an event says that another model serves.
    RerouteEvent,
    /// The response says that another model serves.
    RerouteModel,
    /// The response says that a lower tier serves.
    LowerTier,
    /// Before anything is said the socket is closed with code 1011.
    CloseFirst,
    /// After half of the reply the socket is closed with code 1011.
    CloseMidStream,
    /// Before anything is said the socket is closed with code 1009, for a frame that is
    /// too large.
    CloseTooLarge,
    /// After the reply's end the socket is closed with code 1001.
    CloseAfter,
    /// Before anything is said the connection ends without a close frame.
    CutFirst,
    /// After half of the reply the connection ends without a close frame.
    Cut,
    /// The request is taken and never answered.
    Hang,
    /// After half of the reply nothing more comes.
    HangMidStream,
    /// The first token takes five seconds longer.
    SlowFirstToken,
    /// Event types that no schema knows are sent in between.
    UnknownEvents,
    /// Before the reply there is a message of its own that says that it is commentary.
    Commentary,
    /// In the middle of the reply there is a message of its own that says that it is
    /// commentary.
    CommentaryBetween,
    /// Before the reply there is another message, and neither says what it is.
    TwoMessages,
    /// Before the reply a whole response is sent that was not asked for. HTTP has no
    /// place for one.
    StrayResponseBefore,
    /// After the reply a whole response is sent that was not asked for. HTTP has no place
    /// for one.
    StrayResponseAfter,
    /// Before the reply and in its middle there are events of an older response. HTTP has
    /// no place for them.
    LateEvents,
    /// An event says that a quota is used up, and the reply follows all the same.
    QuotaEvent,
    /// The response fails: too many requests, try again in 0.2 s.
    RateLimited,
    /// An error frame with status 429 and a header: try again after a second.
    RateLimitFrame,
    /// An error frame: the plan's limit is reached, until a minute from now.
    UsageLimit,
    /// An error frame: the account has no money left.
    InsufficientQuota,
    /// An error frame: the request is longer than the model's window.
    ContextTooLong,
    /// The response fails: against a policy.
    Policy,
    /// The response fails: the server is overloaded.
    Overloaded,
    /// The response fails: the server's own fault.
    ServerError,
    /// An error frame with neither status nor code.
    BareError,
    /// A frame that only has a `detail`.
    DetailError,
    /// A field that ours have (`prompt_cache_key`) is refused as unsupported.
    UnsupportedField,
    /// A value that ours have (`service_tier: "fast"`) is refused, and others are listed.
    UnsupportedValue,
    /// The model is refused as not supported.
    UnsupportedModel,
    /// What is continued from is not found.
    PreviousNotFound,
    /// The connection is too old.
    ConnectionLimit,
}

/// A name that is no fault.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault named `{0}`; the faults are {list}", list = Fault::names().collect::<Vec<_>>().join(", "))]
pub struct UnknownFault(String);

/// How a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// By an `error` frame.
    Frame,
    /// By `response.failed`, after `response.created`.
    Failed,
    /// By an `error` frame that has a message alone.
    Bare,
    /// By an object with a `detail` alone.
    Detail,
}

impl Fault {
    const NAMES: [(&'static str, Self); 50] = [
        ("refuse-401", Self::Refuse401),
        ("refuse-403", Self::Refuse403),
        ("refuse-404", Self::Refuse404),
        ("refuse-426", Self::Refuse426),
        ("refuse-429", Self::Refuse429),
        ("refuse-429-bare", Self::Refuse429Bare),
        ("retry-after-date", Self::RetryAfterDate),
        ("refuse-500", Self::Refuse500),
        ("refuse-503", Self::Refuse503),
        ("hang-upgrade", Self::HangUpgrade),
        ("close-sockets", Self::CloseSockets),
        ("bad-deflate", Self::BadDeflate),
        ("reroute-header", Self::RerouteHeader),
        ("no-lanes", Self::NoLanes),
        ("ignore-lanes", Self::IgnoreLanes),
        ("reroute-event", Self::RerouteEvent),
        ("reroute-model", Self::RerouteModel),
        ("lower-tier", Self::LowerTier),
        ("close-first", Self::CloseFirst),
        ("close-mid-stream", Self::CloseMidStream),
        ("close-too-large", Self::CloseTooLarge),
        ("close-after", Self::CloseAfter),
        ("cut-first", Self::CutFirst),
        ("cut", Self::Cut),
        ("hang", Self::Hang),
        ("hang-mid-stream", Self::HangMidStream),
        ("slow-first-token", Self::SlowFirstToken),
        ("unknown-events", Self::UnknownEvents),
        ("commentary", Self::Commentary),
        ("commentary-between", Self::CommentaryBetween),
        ("two-messages", Self::TwoMessages),
        ("stray-response-before", Self::StrayResponseBefore),
        ("stray-response-after", Self::StrayResponseAfter),
        ("late-events", Self::LateEvents),
        ("quota-event", Self::QuotaEvent),
        ("rate-limited", Self::RateLimited),
        ("rate-limit-frame", Self::RateLimitFrame),
        ("usage-limit", Self::UsageLimit),
        ("insufficient-quota", Self::InsufficientQuota),
        ("context-too-long", Self::ContextTooLong),
        ("policy", Self::Policy),
        ("overloaded", Self::Overloaded),
        ("server-error", Self::ServerError),
        ("bare-error", Self::BareError),
        ("detail-error", Self::DetailError),
        ("unsupported-field", Self::UnsupportedField),
        ("unsupported-value", Self::UnsupportedValue),
        ("unsupported-model", Self::UnsupportedModel),
        ("previous-not-found", Self::PreviousNotFound),
        ("connection-limit", Self::ConnectionLimit),
    ];

    /// All of them, in the order in which they are documented.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|(_, fault)| *fault)
    }

    /// All the names, in the order in which they are documented.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|(name, _)| *name)
    }

    /// Whether the fault can strike one reply alone; the others strike whole connections.
    pub fn strikes_one_reply(self) -> bool {
        !matches!(
            self,
            Self::Refuse401
                | Self::Refuse403
                | Self::Refuse404
                | Self::Refuse426
                | Self::Refuse429
                | Self::Refuse429Bare
                | Self::RetryAfterDate
                | Self::Refuse500
                | Self::Refuse503
                | Self::HangUpgrade
                | Self::CloseSockets
                | Self::BadDeflate
                | Self::RerouteHeader
                | Self::NoLanes
                | Self::IgnoreLanes
        )
    }

    /// The status with which a connection is refused, and whether plain HTTP is refused
    /// as well.
    pub(super) fn turns_away(self) -> Option<(Refusal, bool)> {
        let refusal = |status, code, message: &str, http: bool| {
            Some((Refusal { status, code, message: message.into(), param: None }, http))
        };
        match self {
            Self::Refuse401 => refusal(401, "invalid_api_key", "Incorrect API key provided.", true),
            Self::Refuse403 => refusal(403, "", "", false),
            Self::Refuse404 => refusal(404, "not_found", "There is nothing here.", false),
            Self::Refuse426 => {
                refusal(426, "websocket_unsupported", "This endpoint takes HTTP requests only.", false)
            }
            Self::Refuse429 | Self::Refuse429Bare | Self::RetryAfterDate => {
                refusal(429, "rate_limit_exceeded", "Too many requests.", true)
            }
            Self::Refuse500 => refusal(500, "", "", false),
            Self::Refuse503 => {
                refusal(503, "server_is_overloaded", "The server is overloaded; try again later.", true)
            }
            _ => None,
        }
    }

    /// How a request is refused, if it is.
    pub(super) fn refuses(self) -> Option<(Refusal, Shape)> {
        let refusal = |status, code, message: &str, shape| {
            Some((Refusal { status, code, message: message.into(), param: None }, shape))
        };
        match self {
            Self::RateLimited => {
                refusal(429, "rate_limit_exceeded", "Slow down; try again in 0.2s.", Shape::Failed)
            }
            Self::RateLimitFrame => refusal(429, "rate_limit_exceeded", "Too many requests.", Shape::Frame),
            Self::UsageLimit => {
                refusal(429, "usage_limit_reached", "The usage limit is reached.", Shape::Frame)
            }
            Self::InsufficientQuota => {
                refusal(429, "insufficient_quota", "You exceeded your current quota.", Shape::Frame)
            }
            Self::ContextTooLong => refusal(
                400,
                "context_length_exceeded",
                "Your input exceeds the context window of this model.",
                Shape::Frame,
            ),
            Self::Policy => {
                refusal(400, "invalid_prompt", "This is against our usage policy.", Shape::Failed)
            }
            Self::Overloaded => {
                refusal(503, "server_is_overloaded", "Our servers are overloaded.", Shape::Failed)
            }
            Self::ServerError => refusal(500, "server_error", "Something went wrong.", Shape::Failed),
            Self::BareError => refusal(500, "", "Something went wrong.", Shape::Bare),
            Self::DetailError => refusal(400, "", "Not for this account.", Shape::Detail),
            Self::UnsupportedField => Some((
                Refusal::new(
                    "unsupported_parameter",
                    "Unsupported parameter: 'prompt_cache_key' is not supported with this model.",
                    "prompt_cache_key",
                ),
                Shape::Frame,
            )),
            Self::UnsupportedValue => Some((
                Refusal::new(
                    "invalid_value",
                    "Invalid value: 'fast'. Supported values are: 'auto', 'default', 'flex', and 'priority'.",
                    "service_tier",
                ),
                Shape::Frame,
            )),
            Self::UnsupportedModel => {
                refusal(400, "model_not_found", "The requested model does not exist.", Shape::Frame)
            }
            Self::PreviousNotFound => Some((
                Refusal::new(
                    "previous_response_not_found",
                    "No such response on this connection.",
                    "previous_response_id",
                ),
                Shape::Frame,
            )),
            Self::ConnectionLimit => refusal(
                400,
                "websocket_connection_limit_reached",
                "This connection is too old; open another.",
                Shape::Frame,
            ),
            _ => None,
        }
    }
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(name: &str) -> Result<Self, UnknownFault> {
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, fault)| *fault).ok_or_else(|| UnknownFault(name.to_owned()))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, fault)| fault == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}
