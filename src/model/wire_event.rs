//! What happens on a wire beside the answers.

use std::sync::Arc;
use std::time::Duration;

use super::chunk::Usage;
use crate::config::FimDialect;

/// What happens on a wire beside the answers, for those who count and show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireEvent {
    /// A connection was made, in this time.
    Connected {
        /// From the first packet to the end of the handshake.
        took: Duration,
    },
    /// Text came for an abandoned request.
    AbandonedTokens {
        /// About how many tokens.
        tokens: u64,
    },
    /// An abandoned answer is over: read to its end, or left with its connection.
    Abandoned(Usage),
    /// The server named the model that will answer, before any answer.
    Serves {
        /// In the server's own words.
        model: String,
    },
    /// The endpoint is talked to over another wire from now on.
    Pinned {
        /// One sentence.
        why: String,
    },
    /// The server takes code at a cursor in another form than its wire's.
    ///
    /// It may also have been found not to take it any more.
    CodeDialect {
        /// The form; `None` if it is asked in words alone.
        dialect: Option<FimDialect>,
    },
    /// How much of a quota is used or left.
    Quota {
        /// What it counts, in the server's own words: `requests`, `primary`.
        pool: String,
        /// Such as `59 of 60 left`, or `37 % of 300 minutes`.
        what: String,
    },
    /// An answer came over HTTP.
    Http {
        /// Such as `HTTP/2.0`.
        version: String,
        /// What its connection took, from the first packet to the end of the handshake,
        /// if it was a new one.
        connected: Option<Duration>,
    },
}

/// Takes the events of a wire. Called from wherever they happen: it must not block.
pub type Listener = Arc<dyn Fn(WireEvent) + Send + Sync>;
