//! Decides whether, when and over which wire an endpoint is tried again.
//!
//! Plain data, with the time passed in. A client keeps one [`EndpointHealth`] for its endpoint, and a gear
//! keeps one for each candidate ([`super::candidates`]); both learn from the same failures by the same rules:
//!
//! * **A socket** that cannot be opened is not tried again for 0.2 s, doubling with each further
//!   failure up to 30 s, and at least for as long as the server asks. The first attempt at an
//!   explicit request ignores that, with one socket.
//! * **Sockets** that are refused or break repeatedly are given up for HTTP and probed after 5
//!   minutes, doubling with each failed probe up to an hour.
//! * **The endpoint** is skipped after a failure that it caused: if the failure may be temporary,
//!   for 2 s, doubling up to a minute; if keys, accounts or settings have to be changed, for 5
//!   minutes; or for as long as the server asks. So is one that refuses several requests in a row as invalid: it refuses
//!   them all.
//!
//! The failed request itself is handled by [`super::recovery`].

use std::time::{Duration, Instant};

use super::ModelError;
use super::error_kind::ErrorKind;
use super::limits::{
    AWAY_FIRST, AWAY_MOST, CONNECT_FIRST, CONNECT_MOST, FORBIDDEN_LEAST, HTTP_MOST, REFUSALS, REFUSED_FOR,
};

/// The stage at which a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// While a socket was opened: the request was not sent.
    Upgrade,
    /// After the request was sent, over a socket or HTTP.
    Request,
}

/// The cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blame {
    /// The request: another request may succeed, and this one would not succeed elsewhere.
    Request,
    /// The endpoint, temporarily.
    Unavailable,
    /// The endpoint, until a key, an account or a setting is changed.
    Refused,
}

/// Returns the cause of a failure.
pub(super) fn blame(error: &ModelError) -> Blame {
    match error {
        // The source of tokens is asked again soon, since the user may have signed in.
        ModelError::Offline { .. }
        | ModelError::NoToken { .. }
        | ModelError::Closed { .. }
        | ModelError::IdleTimeout { .. } => Blame::Unavailable,
        ModelError::Capped { .. } | ModelError::Garbled(_) => Blame::Request,
        ModelError::Refused { kind, .. } | ModelError::LanguageServer { kind, .. } => match kind {
            ErrorKind::Unauthorized
            | ErrorKind::Forbidden
            | ErrorKind::NotFound
            | ErrorKind::QuotaUsedUp
            | ErrorKind::UnsupportedModel => Blame::Refused,
            ErrorKind::RateLimited
            | ErrorKind::Overloaded
            | ErrorKind::ServerError
            | ErrorKind::Offline
            | ErrorKind::NoToken
            | ErrorKind::Closed
            | ErrorKind::Mismatched
            | ErrorKind::IdleTimeout => Blame::Unavailable,
            ErrorKind::ContextTooLong
            | ErrorKind::Policy
            | ErrorKind::PreviousNotFound
            | ErrorKind::ConnectionLimit
            | ErrorKind::UnsupportedField
            | ErrorKind::TooLarge
            | ErrorKind::Invalid => Blame::Request,
        },
    }
}

/// Number of consecutive failures after which sockets are given up for HTTP; `None` for kinds of
/// failure that are unrelated to sockets.
fn pins_after(stage: Stage, kind: ErrorKind) -> Option<u8> {
    match (stage, kind) {
        // The server states this explicitly.
        (Stage::Upgrade, ErrorKind::NotFound) => Some(1),
        // Usually specific to this client or network: a proxy that strips the headers, or too many
        // connections.
        (
            Stage::Upgrade,
            ErrorKind::Forbidden
            | ErrorKind::ConnectionLimit
            | ErrorKind::UnsupportedField
            | ErrorKind::TooLarge
            | ErrorKind::Invalid,
        ) => Some(2),
        (
            Stage::Upgrade,
            ErrorKind::Overloaded
            | ErrorKind::ServerError
            | ErrorKind::Offline
            | ErrorKind::IdleTimeout
            | ErrorKind::Closed,
        ) => Some(3),
        // A server that accepts sockets may still be unable to serve them.
        (Stage::Request, ErrorKind::Closed | ErrorKind::IdleTimeout | ErrorKind::Mismatched) => Some(4),
        _ => None,
    }
}

/// Whether requests while typing stop after such a failure. After any other failure, the next
/// request may well succeed.
fn stops_typing(kind: ErrorKind) -> Option<Stop> {
    match kind {
        ErrorKind::RateLimited
        | ErrorKind::QuotaUsedUp
        | ErrorKind::Forbidden
        | ErrorKind::NoToken
        | ErrorKind::Offline => Some(Stop::ForAWhile),
        ErrorKind::Unauthorized | ErrorKind::UnsupportedModel | ErrorKind::NotFound => {
            Some(Stop::UntilAnswered)
        }
        _ => None,
    }
}

/// Whether it refuses a request for what is in every one: its fields, or its form.
fn is_refusal(error: &ModelError) -> bool {
    let kinds = [ErrorKind::Invalid, ErrorKind::UnsupportedField, ErrorKind::Policy];
    matches!(error, ModelError::Refused { kind, .. } if kinds.contains(kind))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    ForAWhile,
    /// Until an explicit request is answered.
    UntilAnswered,
}

/// The state of an endpoint.
#[derive(Debug, Clone, Default)]
pub(super) struct EndpointHealth {
    /// Whether the endpoint ever answered.
    answers: bool,
    /// The last failure, unless a request was answered since.
    trouble: Option<Trouble>,
    /// How many requests were refused in a row without a fault of the endpoint's.
    refusals: u8,
    sockets: SocketHealth,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Trouble {
    why: ModelError,
    blame: Blame,
    until: Instant,
    /// Failures before it, without an answer in between.
    failures: u32,
}

#[derive(Debug, Clone, Default)]
struct SocketHealth {
    /// Whether the last attempt to open a socket was granted.
    is_granted: bool,
    /// Failures to open a socket since the last success; simultaneous failures count as one.
    failures: u32,
    retry_at: Option<Instant>,
    why: Option<ModelError>,
    /// Consecutive requests that failed because of their socket.
    request_failures: u8,
    /// While sockets are given up: when to probe them, and how long to wait after that.
    pinned: Option<(Instant, Duration)>,
}

/// The standing of an endpoint, for the choice among several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing<'a> {
    /// Nothing is known about the endpoint yet.
    Untried,
    /// The last request was answered.
    Answers,
    /// The last request failed; the endpoint may be back at any moment.
    Unavailable(&'a ModelError),
    /// The endpoint refuses requests until a key, an account or a setting is changed.
    Refused(&'a ModelError),
}

/// The transport of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Sockets,
    Http,
    /// HTTP, and it is time to probe whether sockets work again.
    HttpAndProbe,
}

/// The sockets that may be opened now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connecting {
    /// No socket: connecting has just failed, or sockets are given up.
    No,
    /// A single socket: a server that refused the last one would refuse a second one as well.
    One,
    /// One socket for each waiting call.
    NoReserve,
    /// One socket for each waiting call, and a reserve.
    Reserve,
}

impl EndpointHealth {
    /// Records that a request was answered, over a socket or not. Returns true if that is news.
    pub(super) fn answered(&mut self, over_socket: bool) -> bool {
        if over_socket {
            self.sockets.request_failures = 0;
        }
        let is_news = !self.answers || self.trouble.is_some();
        (self.answers, self.trouble, self.refusals) = (true, None, 0);
        is_news
    }

    /// Records that the endpoint is reachable, though it has not answered yet. A refusal stays in
    /// effect. Returns true if that is news.
    pub(super) fn reached(&mut self) -> bool {
        let is_news = self.trouble.take_if(|it| matches!(it.why, ModelError::Offline { .. })).is_some();
        self.answers &= !is_news;
        is_news
    }

    /// Records that a request failed.
    pub(super) fn failed(&mut self, error: &ModelError, now: Instant) {
        let mut blame = blame(error);
        if blame == Blame::Request {
            self.refusals = self.refusals.saturating_add(is_refusal(error).into());
            if !self.refuses_all() || !is_refusal(error) {
                return;
            }
            blame = Blame::Refused;
        }
        let before = self.trouble.as_ref();
        // A server that asks for an immediate retry and refuses again would be asked forever: it is believed once.
        let asked_for = error.retry_after().filter(|wait| before.is_none() || *wait >= AWAY_FIRST);
        let failures = before.filter(|it| it.blame == Blame::Unavailable).map_or(0, |it| it.failures + 1);
        let usual = match blame {
            Blame::Refused => REFUSED_FOR,
            Blame::Unavailable | Blame::Request => doubled(AWAY_FIRST, failures, AWAY_MOST),
        };
        let until = now + asked_for.unwrap_or(usual);
        self.trouble = Some(Trouble { why: error.clone(), blame, until, failures });
    }

    /// Whether so many requests were refused in a row that the next one will be, too.
    pub(super) fn refuses_all(&self) -> bool {
        self.refusals >= REFUSALS
    }

    /// The failure because of which requests while typing are not sent now.
    pub(super) fn stops_typing(&self, now: Instant) -> Option<&ModelError> {
        let trouble = self.trouble.as_ref()?;
        match stops_typing(trouble.why.kind())? {
            Stop::ForAWhile => (now < trouble.until).then_some(&trouble.why),
            Stop::UntilAnswered => Some(&trouble.why),
        }
    }

    /// The standing of the endpoint.
    pub(super) fn standing(&self) -> Standing<'_> {
        match &self.trouble {
            Some(Trouble { why, blame: Blame::Refused, .. }) => Standing::Refused(why),
            Some(Trouble { why, .. }) => Standing::Unavailable(why),
            None if self.answers => Standing::Answers,
            None => Standing::Untried,
        }
    }

    /// When to try the endpoint again after a failure.
    pub(super) fn due_at(&self) -> Option<Instant> {
        self.trouble.as_ref().map(|it| it.until)
    }

    /// The sockets that may be opened now.
    pub(super) fn connecting(&self, now: Instant) -> Connecting {
        let sockets = &self.sockets;
        match () {
            () if sockets.pinned.is_some() || sockets.retry_at.is_some_and(|at| now < at) => Connecting::No,
            () if sockets.failures > 0 => Connecting::One,
            () if sockets.is_granted => Connecting::Reserve,
            () => Connecting::NoReserve,
        }
    }

    /// When a socket may be opened again after a failure to open one.
    pub(super) fn connect_at(&self) -> Option<Instant> {
        self.sockets.retry_at
    }

    /// Why the last socket could not be opened.
    pub(super) fn connect_error(&self) -> Option<&ModelError> {
        self.sockets.why.as_ref()
    }

    /// Allows connecting for an explicit request, even right after a failure.
    pub(super) fn clear_connect_backoff(&mut self) {
        self.sockets.retry_at = None;
    }

    /// Records that a socket was opened.
    pub(super) fn connected(&mut self) {
        let request_failures = self.sockets.request_failures;
        self.sockets = SocketHealth { is_granted: true, request_failures, ..SocketHealth::default() };
        self.reached();
    }

    /// Records that a socket could not be opened. Returns true if sockets are given up because of
    /// that; they are probed after `look_after`.
    pub(super) fn could_not_connect(
        &mut self,
        error: &ModelError,
        now: Instant,
        look_after: Duration,
    ) -> bool {
        let sockets = &mut self.sockets;
        sockets.is_granted = false;
        sockets.why = Some(error.clone());
        // Simultaneous failures count as one.
        if sockets.retry_at.is_none_or(|at| at <= now) {
            let at_least = match error.kind() {
                ErrorKind::Forbidden => FORBIDDEN_LEAST,
                _ => error.retry_after().unwrap_or_default(),
            };
            let wait = doubled(CONNECT_FIRST, sockets.failures, CONNECT_MOST).max(at_least);
            sockets.failures += 1;
            sockets.retry_at = Some(now + wait);
        }
        let failures = sockets.failures;
        self.pin(Stage::Upgrade, error.kind(), failures, now, look_after)
    }

    /// Records that a request failed on a socket. Returns true if sockets are given up because of that.
    pub(super) fn failed_on_socket(&mut self, kind: ErrorKind, now: Instant, look_after: Duration) -> bool {
        if pins_after(Stage::Request, kind).is_none() {
            return false;
        }
        self.sockets.request_failures = self.sockets.request_failures.saturating_add(1);
        let failures = self.sockets.request_failures.into();
        self.pin(Stage::Request, kind, failures, now, look_after)
    }

    /// Gives up sockets, whatever failed before, and probes them after `look_after`. Returns true if that is news.
    pub(super) fn gives_up_sockets(&mut self, now: Instant, look_after: Duration) -> bool {
        let is_news = self.sockets.pinned.is_none();
        self.sockets.pinned.get_or_insert((now + look_after, look_after));
        is_news
    }

    fn pin(
        &mut self,
        stage: Stage,
        kind: ErrorKind,
        failures: u32,
        now: Instant,
        look_after: Duration,
    ) -> bool {
        let is_enough = pins_after(stage, kind).is_some_and(|most| failures >= u32::from(most));
        is_enough && self.gives_up_sockets(now, look_after)
    }

    /// The transport of the next request, for endpoints that may use sockets. A due probe is
    /// reported once.
    pub(super) fn transport(&mut self, now: Instant) -> Transport {
        match &mut self.sockets.pinned {
            None => Transport::Sockets,
            Some((look_at, _)) if now < *look_at => Transport::Http,
            Some((look_at, wait)) => {
                *wait = (*wait * 2).min(HTTP_MOST);
                *look_at = now + *wait;
                Transport::HttpAndProbe
            }
        }
    }
}

/// The wait after this many earlier failures.
fn doubled(first: Duration, failures: u32, most: Duration) -> Duration {
    first.saturating_mul(1 << failures.min(16)).min(most)
}

#[cfg(test)]
mod tests;
