//! Whether a server still answers.

use tokio::time::Instant;

use crate::lsp::limits::{PROBE_TIMEOUT, SILENCE};

/// The time since a server got a message, without any message from it.
///
/// A server that has nothing to say is silent, too, so it is sent a request that every server answers at once. One that
/// leaves that without an answer hangs: it is stopped, or its only thread is blocked.
#[derive(Debug, Default)]
pub(super) enum Silence {
    /// It has sent a message after the last one that it got.
    #[default]
    Heard,
    /// It got a message at this time, and has sent none since.
    Sent(Instant),
    /// It was sent the request at this time.
    Probed(Instant),
}

/// What to do at the deadline.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Overdue {
    /// Send the request.
    Probe,
    /// Give the server up.
    Hung,
}

impl Silence {
    /// Notes a message to the server.
    pub(super) fn sent(&mut self) {
        if let Self::Heard = self {
            *self = Self::Sent(Instant::now());
        }
    }

    /// Notes a message of the server.
    pub(super) fn heard(&mut self) {
        *self = Self::Heard;
    }

    /// When [`Self::overdue`] says what to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Heard => None,
            Self::Sent(since) => Some(*since + SILENCE),
            Self::Probed(since) => Some(*since + PROBE_TIMEOUT),
        }
    }

    pub(super) fn overdue(&mut self) -> Overdue {
        match self {
            Self::Probed(_) => Overdue::Hung,
            Self::Heard | Self::Sent(_) => {
                *self = Self::Probed(Instant::now());
                Overdue::Probe
            }
        }
    }
}
