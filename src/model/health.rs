//! Whether, when and over what an endpoint is tried again: the one place that decides it.
//!
//! Plain data, with the time handed in. A client keeps one [`EndpointHealth`] for its endpoint, and a gear
//! keeps one for each candidate ([`super::candidates`]); both learn from the same failures by the same rules:
//!
//! * **A socket** that cannot be opened is not opened again for 0.2 s, twice as long after each further
//!   failure, up to 30 s, and for as long as the server asks. The first attempt at what a person asked for
//!   ignores that, with one socket.
//! * **Sockets** that are refused or break time and again are given up for HTTP, and looked for after 5
//!   minutes, twice as long after each look that fails, up to an hour.
//! * **The endpoint** is passed over after a failure of its own: for 2 s, twice as long each time, up to a
//!   minute, if that may pass by itself; for 5 minutes if keys, accounts or settings have to be changed; or
//!   for as long as the server asks.
//!
//! What is done with the request that failed is not decided here but in [`super::recovery`].

use std::time::{Duration, Instant};

use super::ModelError;
use super::error_kind::ErrorKind;
use super::limits::{
    AWAY_FIRST, AWAY_MOST, CONNECT_FIRST, CONNECT_MOST, FORBIDDEN_LEAST, HTTP_MOST, REFUSED_FOR,
};

/// Where a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// While a socket was opened: the request has not left.
    Upgrade,
    /// After the request was sent, over a socket or HTTP.
    Request,
}

/// What a failure was caused by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blame {
    /// The request: another one may do well, and this one would do no better elsewhere.
    Request,
    /// The endpoint, for now.
    Away,
    /// The endpoint, until a key, an account or a setting is changed.
    Refused,
}

/// What a failure was caused by.
pub(super) fn blame(error: &ModelError) -> Blame {
    match error {
        // What gives tokens is asked again soon: a person may have signed in.
        ModelError::Offline { .. }
        | ModelError::NoToken { .. }
        | ModelError::Closed { .. }
        | ModelError::IdleTimeout { .. } => Blame::Away,
        ModelError::Capped { .. } | ModelError::Garbled(_) => Blame::Request,
        ModelError::Refused { kind, .. } => match kind {
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
            | ErrorKind::IdleTimeout => Blame::Away,
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

/// Failures in a row after which sockets are given up for HTTP; `None` if this kind says
/// nothing about them.
fn pins_after(stage: Stage, kind: ErrorKind) -> Option<u8> {
    match (stage, kind) {
        // The server says so itself.
        (Stage::Upgrade, ErrorKind::NotFound) => Some(1),
        // Not for this client or network, as a rule: a proxy that takes the headers off, too many
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
        // What accepts sockets need not be able to serve them.
        (Stage::Request, ErrorKind::Closed | ErrorKind::IdleTimeout | ErrorKind::Mismatched) => Some(4),
        _ => None,
    }
}

/// Whether typing stops asking after such a failure. After any other the next request may
/// well succeed.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    ForAWhile,
    /// Until a person asks for something and gets it.
    UntilAnswered,
}

/// The state of an endpoint.
#[derive(Debug, Clone, Default)]
pub(super) struct EndpointHealth {
    /// Whether it ever answered.
    answers: bool,
    /// Its last failure, unless it has answered since.
    trouble: Option<Trouble>,
    sockets: SocketHealth,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Trouble {
    why: ModelError,
    blame: Blame,
    until: Instant,
    /// Failures before it, without an answer between them.
    failures: u32,
}

#[derive(Debug, Clone, Default)]
struct SocketHealth {
    /// Whether the last attempt to open one was granted.
    is_granted: bool,
    /// Failures to open one since that was granted last; several at the same time are
    /// one.
    failures: u32,
    retry_at: Option<Instant>,
    why: Option<ModelError>,
    /// Requests in a row that failed for their socket's sake.
    request_failures: u8,
    /// While they are given up: when to look for them, and how long to wait after that.
    pinned: Option<(Instant, Duration)>,
}

/// How an endpoint stands, for those who choose among several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing<'a> {
    /// Nothing is known of it yet.
    Untried,
    /// It answered the last time.
    Answers,
    /// It failed; it may be back any moment.
    Away(&'a ModelError),
    /// It does not take requests, and will not before a key, an account or a setting is
    /// changed.
    Refused(&'a ModelError),
}

/// What a request goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Sockets,
    Http,
    /// HTTP, and it is time to look whether sockets work again.
    HttpAndProbe,
}

/// Which sockets may be opened now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connecting {
    /// None: connecting failed a moment ago, or sockets are given up.
    No,
    /// One alone: what refused the last one would refuse a second beside it.
    One,
    /// One for each call that waits.
    NoReserve,
    /// One for each call that waits, and a reserve.
    Reserve,
}

impl EndpointHealth {
    /// A request was answered, over a socket or not. True if that is news.
    pub(super) fn answered(&mut self, over_socket: bool) -> bool {
        if over_socket {
            self.sockets.request_failures = 0;
        }
        let is_news = !self.answers || self.trouble.is_some();
        (self.answers, self.trouble) = (true, None);
        is_news
    }

    /// The endpoint can be reached, though it has not answered anything yet. What refused
    /// a request still does. True if that is news.
    pub(super) fn reached(&mut self) -> bool {
        let is_news = self.trouble.take_if(|it| matches!(it.why, ModelError::Offline { .. })).is_some();
        self.answers &= !is_news;
        is_news
    }

    /// A request came to nothing.
    pub(super) fn failed(&mut self, error: &ModelError, now: Instant) {
        let blame = blame(error);
        if blame == Blame::Request {
            return;
        }
        let before = self.trouble.as_ref();
        // A server that says "at once" and refuses again would be asked for ever: that is believed once.
        let asked_for = error.retry_after().filter(|wait| before.is_none() || *wait >= AWAY_FIRST);
        let failures = before.filter(|it| it.blame == Blame::Away).map_or(0, |it| it.failures + 1);
        let usual = match blame {
            Blame::Refused => REFUSED_FOR,
            Blame::Away | Blame::Request => doubled(AWAY_FIRST, failures, AWAY_MOST),
        };
        let until = now + asked_for.unwrap_or(usual);
        self.trouble = Some(Trouble { why: error.clone(), blame, until, failures });
    }

    /// Why nothing that is typed is asked just now.
    pub(super) fn stops_typing(&self, now: Instant) -> Option<&ModelError> {
        let trouble = self.trouble.as_ref()?;
        match stops_typing(trouble.why.kind())? {
            Stop::ForAWhile => (now < trouble.until).then_some(&trouble.why),
            Stop::UntilAnswered => Some(&trouble.why),
        }
    }

    /// How it stands.
    pub(super) fn standing(&self) -> Standing<'_> {
        match &self.trouble {
            Some(Trouble { why, blame: Blame::Refused, .. }) => Standing::Refused(why),
            Some(Trouble { why, .. }) => Standing::Away(why),
            None if self.answers => Standing::Answers,
            None => Standing::Untried,
        }
    }

    /// When it is to be tried again after a failure.
    pub(super) fn due_at(&self) -> Option<Instant> {
        self.trouble.as_ref().map(|it| it.until)
    }

    /// Which sockets may be opened now.
    pub(super) fn connecting(&self, now: Instant) -> Connecting {
        let sockets = &self.sockets;
        match () {
            () if sockets.pinned.is_some() || sockets.retry_at.is_some_and(|at| now < at) => Connecting::No,
            () if sockets.failures > 0 => Connecting::One,
            () if sockets.is_granted => Connecting::Reserve,
            () => Connecting::NoReserve,
        }
    }

    /// When a socket may be opened again, after one could not be.
    pub(super) fn connect_at(&self) -> Option<Instant> {
        self.sockets.retry_at
    }

    /// Why no socket could be opened the last time.
    pub(super) fn connect_error(&self) -> Option<&ModelError> {
        self.sockets.why.as_ref()
    }

    /// A person asked: connecting is tried although it failed a moment ago.
    pub(super) fn hurry(&mut self) {
        self.sockets.retry_at = None;
    }

    /// A socket was opened.
    pub(super) fn connected(&mut self) {
        let request_failures = self.sockets.request_failures;
        self.sockets = SocketHealth { is_granted: true, request_failures, ..SocketHealth::default() };
        self.reached();
    }

    /// A socket could not be opened. True if sockets are given up for that; they are
    /// looked for after `look_after`.
    pub(super) fn could_not_connect(
        &mut self,
        error: &ModelError,
        now: Instant,
        look_after: Duration,
    ) -> bool {
        let sockets = &mut self.sockets;
        sockets.is_granted = false;
        sockets.why = Some(error.clone());
        // Several that fail together are one failure.
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

    /// A request failed on a socket. True if sockets are given up for that.
    pub(super) fn failed_on_socket(&mut self, kind: ErrorKind, now: Instant, look_after: Duration) -> bool {
        if pins_after(Stage::Request, kind).is_none() {
            return false;
        }
        self.sockets.request_failures = self.sockets.request_failures.saturating_add(1);
        let failures = self.sockets.request_failures.into();
        self.pin(Stage::Request, kind, failures, now, look_after)
    }

    /// Sockets are given up, whatever failed before; looked for after `look_after`. True if that is news.
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

    /// What the next request goes over, where there may be sockets. That it is time to
    /// look for them is said once.
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

/// The wait after so many failures before this one.
fn doubled(first: Duration, failures: u32, most: Duration) -> Duration {
    first.saturating_mul(1 << failures.min(16)).min(most)
}

#[cfg(test)]
mod tests;
