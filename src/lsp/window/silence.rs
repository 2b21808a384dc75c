//! Whether a server still answers.

use std::time::Duration;

use tokio::time::Instant;

use crate::lsp::limits::{PROBE_STEP, PROBE_TIMEOUT, SILENCE};

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
    /// It was sent the request. Checked at this time, when it had so much of [`PROBE_TIMEOUT`] left.
    Probed(Instant, Duration),
}

/// What to do at the deadline.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Overdue {
    /// Send the request.
    Probe,
    /// Wait for the next deadline.
    Wait,
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
            Self::Probed(checked, _) => Some(*checked + PROBE_STEP),
        }
    }

    pub(super) fn overdue(&mut self) -> Overdue {
        let now = Instant::now();
        let (overdue, left) = match self {
            Self::Heard | Self::Sent(_) => (Overdue::Probe, PROBE_TIMEOUT),
            // A window that is late itself knows nothing of the server: the machine gives neither its time.
            Self::Probed(checked, left) if now - *checked > PROBE_STEP * 2 => (Overdue::Wait, *left),
            Self::Probed(_, left) if *left <= PROBE_STEP => return Overdue::Hung,
            Self::Probed(_, left) => (Overdue::Wait, *left - PROBE_STEP),
        };
        *self = Self::Probed(now, left);
        overdue
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, sleep_until};

    use super::*;

    /// The steps until a server is given up, where each is late by this time.
    async fn steps(late: Duration, most: u32) -> Option<u32> {
        let mut silence = Silence::default();
        silence.sent();
        for step in 0..most {
            sleep_until(silence.deadline()?).await;
            advance(late).await;
            match (silence.overdue(), step) {
                (Overdue::Probe, 0) | (Overdue::Wait, 1..) => {}
                (Overdue::Hung, _) => return Some(step),
                other => panic!("{other:?}"),
            }
        }
        None
    }

    #[tokio::test(start_paused = true)]
    async fn server_is_given_up_after_its_time_and_never_by_a_window_that_is_late_itself() {
        let all = (PROBE_TIMEOUT.as_millis() / PROBE_STEP.as_millis()) as u32;
        assert_eq!(steps(Duration::ZERO, 1_000).await, Some(all));
        assert_eq!(steps(PROBE_STEP / 2, 1_000).await, Some(all));
        assert_eq!(steps(PROBE_STEP * 2, 1_000).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn message_of_the_server_ends_the_wait() {
        let mut silence = Silence::default();
        silence.sent();
        assert_eq!(silence.overdue(), Overdue::Probe);
        silence.heard();
        assert_eq!(silence.deadline(), None);
    }
}
