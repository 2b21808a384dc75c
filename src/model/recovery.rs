//! The recovery of failed requests: one table with a row for every kind of failure
//! ([failures](super#failures)).
//!
//! A request is repeated only if none of its answer was seen. Requests while typing do not wait:
//! they are dropped rather than answered late. Explicit requests are tried at least once, whatever
//! failed before.

use std::time::Duration;

use super::Urgency;
use super::error_kind::ErrorKind;
use super::health::Stage;
use super::limits::CONNECT_FIRST;

/// How to handle a request that failed before any of its answer was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Pass the error to the caller.
    Stop,
    /// Repeat at once, on another connection, up to this many times.
    Again(u8),
    /// The same, and then over HTTP: a server that accepts sockets may still be unable to serve
    /// them.
    AgainOrHttp(u8),
    /// Wait as long as the server asks, else with exponential backoff, and repeat, up to this many
    /// times.
    Wait(u8),
    /// The same, and then over HTTP.
    WaitOrHttp(u8),
    /// Repeat at once on the same connection, with the whole input in the request.
    ResendFull,
    /// Repeat at once without the refused field.
    DropField,
    /// Repeat at once with less context.
    LessContext,
    /// Repeat at once over HTTP.
    Http,
}

/// The actions for one kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) stage: Stage,
    pub(super) kind: ErrorKind,
    typing: Action,
    asked: Action,
    deep: Action,
}

impl Row {
    pub(super) fn action(&self, urgency: Urgency) -> Action {
        match urgency {
            Urgency::Typing => self.typing,
            Urgency::Invoked => match self.asked {
                Wait(_) | WaitOrHttp(_) => Stop,
                action => action,
            },
            Urgency::Asked => self.asked,
            Urgency::Deep => self.deep,
        }
    }
}

const fn row(stage: Stage, kind: ErrorKind, [typing, asked, deep]: [Action; 3]) -> Row {
    Row { stage, kind, typing, asked, deep }
}

use Action::{Again, AgainOrHttp, DropField, Http, LessContext, ResendFull, Stop, Wait, WaitOrHttp};
use Stage::{Request, Upgrade};

/// Every kind of failure at either stage, as ensured by a test.
pub(super) const TABLE: &[Row] = &[
    // The upgrade was refused. HTTP is used wherever it may succeed.
    row(Upgrade, ErrorKind::NotFound, [Http, Http, Http]),
    row(Upgrade, ErrorKind::Unauthorized, [Stop, Stop, Stop]),
    row(Upgrade, ErrorKind::NoToken, [Stop, Stop, Stop]),
    row(Upgrade, ErrorKind::Forbidden, [Http, Http, Http]),
    // The quota is the same over HTTP.
    row(Upgrade, ErrorKind::RateLimited, [Stop, Wait(2), Wait(3)]),
    row(Upgrade, ErrorKind::QuotaUsedUp, [Stop, Stop, Stop]),
    row(Upgrade, ErrorKind::Overloaded, [Stop, Http, Http]),
    row(Upgrade, ErrorKind::ServerError, [Http, Http, Http]),
    row(Upgrade, ErrorKind::Offline, [Http, Http, Http]),
    row(Upgrade, ErrorKind::IdleTimeout, [Http, Http, Http]),
    row(Upgrade, ErrorKind::Closed, [Http, Http, Http]),
    row(Upgrade, ErrorKind::ConnectionLimit, [Http, Http, Http]),
    row(Upgrade, ErrorKind::ContextTooLong, [Stop, Stop, Stop]),
    row(Upgrade, ErrorKind::Policy, [Stop, Stop, Stop]),
    row(Upgrade, ErrorKind::PreviousNotFound, [Http, Http, Http]),
    row(Upgrade, ErrorKind::UnsupportedField, [Http, Http, Http]),
    row(Upgrade, ErrorKind::UnsupportedModel, [Stop, Stop, Stop]),
    row(Upgrade, ErrorKind::TooLarge, [Http, Http, Http]),
    // 400 for an upgrade: usually a proxy that stripped the headers.
    row(Upgrade, ErrorKind::Invalid, [Http, Http, Http]),
    row(Upgrade, ErrorKind::Mismatched, [Http, Http, Http]),
    // The request was refused, or failed before any text arrived.
    row(Request, ErrorKind::PreviousNotFound, [ResendFull, ResendFull, ResendFull]),
    row(Request, ErrorKind::ConnectionLimit, [Again(1), Again(1), Again(3)]),
    row(Request, ErrorKind::RateLimited, [Stop, Wait(2), Wait(3)]),
    row(Request, ErrorKind::QuotaUsedUp, [Stop, Stop, Stop]),
    row(Request, ErrorKind::ContextTooLong, [LessContext, LessContext, LessContext]),
    row(Request, ErrorKind::Policy, [Stop, Stop, Stop]),
    row(Request, ErrorKind::Overloaded, [Stop, Wait(1), Wait(3)]),
    // Neither a known status nor a known code: it may be a failure of the connection, and may be
    // reported twice.
    row(Request, ErrorKind::ServerError, [Again(1), Again(1), Wait(3)]),
    row(Request, ErrorKind::UnsupportedField, [DropField, DropField, DropField]),
    row(Request, ErrorKind::UnsupportedModel, [Stop, Stop, Stop]),
    row(Request, ErrorKind::Unauthorized, [Stop, Stop, Stop]),
    row(Request, ErrorKind::NoToken, [Stop, Stop, Stop]),
    row(Request, ErrorKind::Forbidden, [Stop, Stop, Stop]),
    row(Request, ErrorKind::NotFound, [Stop, Stop, Stop]),
    // Close code 1009: HTTP has no such limit.
    row(Request, ErrorKind::TooLarge, [Http, Http, Http]),
    row(Request, ErrorKind::Closed, [AgainOrHttp(1), AgainOrHttp(1), WaitOrHttp(3)]),
    // It has already waited too long to be useful while typing.
    row(Request, ErrorKind::IdleTimeout, [Stop, Again(1), Again(1)]),
    row(Request, ErrorKind::Offline, [Stop, Wait(1), Wait(3)]),
    // Over HTTP, a response belongs to its request.
    row(Request, ErrorKind::Mismatched, [AgainOrHttp(1), AgainOrHttp(1), AgainOrHttp(1)]),
    row(Request, ErrorKind::Invalid, [Stop, Stop, Stop]),
];

/// Whether such a failure of a request retires its socket.
pub(super) fn drops_socket(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionLimit
            | ErrorKind::ServerError
            | ErrorKind::TooLarge
            | ErrorKind::Offline
            | ErrorKind::Mismatched
    )
}

/// Returns the row for a failure.
pub(super) fn rule(stage: Stage, kind: ErrorKind) -> &'static Row {
    // The table is complete, as ensured by a test; the last row is a fallback.
    TABLE.iter().find(|row| row.stage == stage && row.kind == kind).unwrap_or(&TABLE[TABLE.len() - 1])
}

/// The wait before an attempt, numbered from 0: 200 ms, doubling each time up to `most`. `chance`,
/// from 0 to 1, spreads clients that failed at the same time (full jitter).
pub(super) fn back_off(attempt: u32, most: Duration, chance: f64) -> Duration {
    CONNECT_FIRST.saturating_mul(1 << attempt.min(12)).min(most).mul_f64(chance.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_one_row_at_each_stage() {
        for stage in [Upgrade, Request] {
            for kind in ErrorKind::ALL {
                let rows = TABLE.iter().filter(|row| row.stage == stage && row.kind == kind);
                assert_eq!(rows.count(), 1, "{stage:?} {kind:?}");
            }
        }
        assert_eq!(TABLE.len(), 2 * ErrorKind::ALL.len());
    }

    #[test]
    fn ghost_text_does_not_wait_for_another_attempt() {
        for row in TABLE {
            for urgency in [Urgency::Typing, Urgency::Invoked] {
                assert!(!matches!(row.action(urgency), Wait(_) | WaitOrHttp(_)), "{row:?}");
            }
        }
    }

    #[test]
    fn backs_off_twice_as_long_each_time() {
        let most = Duration::from_secs(30);
        let waits: Vec<u128> = (0..10).map(|attempt| back_off(attempt, most, 1.0).as_millis()).collect();
        assert_eq!(waits, [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
        assert_eq!(back_off(3, most, 0.5).as_millis(), 800);
        assert_eq!(back_off(u32::MAX, most, 1.0), most);
    }
}
