//! Events on a wire besides the answers.

use std::sync::Arc;
use std::time::Duration;

use super::chunk::Usage;
use crate::config::FimDialect;

/// An event on a wire besides the answers, for statistics and display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireEvent {
    /// A connection was made; the time is from the first packet to the end of the handshake.
    Connected(Duration),
    /// Text of about this many tokens arrived for an abandoned request.
    AbandonedTokens {
        /// As in [`Request::asker`](super::Request::asker).
        asker: u64,
        /// How many.
        tokens: u64,
    },
    /// An answer has ended that its caller has not the end of: it was abandoned, or failed once it had begun.
    Abandoned {
        /// As in [`Request::asker`](super::Request::asker); 0 for a request of the wire's own.
        asker: u64,
        /// The job of its request.
        job: &'static str,
        /// What it took.
        usage: Usage,
    },
    /// The server named the model that will answer, before the answer.
    Serves(String),
    /// The endpoint is used over another wire from now on, for this reason (a sentence).
    Pinned(String),
    /// The server takes code at a cursor in another dialect than its wire's; `None` if only instructions are sent.
    ///
    /// Also sent if it was found not to take that dialect any more.
    CodeDialect(Option<FimDialect>),
    /// The used or remaining part of a quota.
    Quota {
        /// The counted unit, as named by the server: `requests`, `primary`.
        pool: String,
        /// The value, such as `59 of 60 left` or `37 % of 300 minutes`.
        what: String,
    },
    /// The server has a message for the user, in printable form.
    Said(String),
    /// A response arrived over HTTP.
    Http {
        /// The HTTP version, such as `HTTP/2.0`.
        version: String,
        /// Time from the first packet to the end of the handshake, if the connection was new.
        connected: Option<Duration>,
    },
}

/// Receives the events of a wire. Called from wherever they happen: it must not block.
pub type Listener = Arc<dyn Fn(WireEvent) + Send + Sync>;
