//! Timeouts and intervals.

use std::time::{Duration, SystemTime};

use super::{Request, Urgency};

/// The durations in a connection's life ([keeping sockets](super#keeping-sockets)).
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Timeout for opening a connection.
    pub connect: Duration,
    /// How long a request waits for a socket before it is sent over HTTP.
    pub socket_budget: Duration,
    /// Silence after which an answer is given up, while typing.
    pub silence_typing: Duration,
    /// The same for explicit requests.
    pub silence_asked: Duration,
    /// The same for long work.
    pub silence_deep: Duration,
    /// Interval of pings on an idle socket.
    pub ping_every: Duration,
    /// Timeout for the answer to a ping, after which the socket is considered dead.
    pub pong_within: Duration,
    /// A socket that was silent for this long is pinged before it is used.
    pub fresh: Duration,
    /// The minimum and maximum age at which a socket is replaced: providers close it after 60
    /// minutes.
    pub rotate: (Duration, Duration),
    /// After this time without a request, all sockets are closed.
    pub idle_close: Duration,
    /// When sockets that were given up for HTTP are probed again.
    pub probe_again: Duration,
    /// The longest wait after a failure.
    pub back_off: Duration,
    /// The longest wait of an explicit request for another attempt.
    pub patience_asked: Duration,
    /// The same for long work.
    pub patience_deep: Duration,
    /// The wall clock. Unlike the monotonic clock, it continues while the machine sleeps.
    pub wall: fn() -> SystemTime,
}

impl Default for Timing {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            connect: seconds(3),
            socket_budget: seconds(1),
            silence_typing: seconds(5),
            silence_asked: seconds(20),
            silence_deep: seconds(120),
            ping_every: seconds(15),
            pong_within: seconds(5),
            fresh: seconds(30),
            rotate: (seconds(50 * 60), seconds(55 * 60)),
            idle_close: seconds(10 * 60),
            probe_again: seconds(5 * 60),
            back_off: seconds(30),
            patience_asked: seconds(5),
            patience_deep: seconds(60),
            wall: SystemTime::now,
        }
    }
}

impl Timing {
    /// Silence after which an answer is given up.
    pub(super) fn silence(&self, request: &Request) -> Duration {
        let usual = match request.urgency {
            Urgency::Typing => self.silence_typing,
            Urgency::Invoked | Urgency::Asked => self.silence_asked,
            Urgency::Deep => self.silence_deep,
        };
        usual.max(request.silence * 3)
    }

    /// The longest wait for another attempt.
    pub(super) fn patience(&self, urgency: Urgency) -> Duration {
        match urgency {
            Urgency::Typing | Urgency::Invoked => Duration::ZERO,
            Urgency::Asked => self.patience_asked,
            Urgency::Deep => self.patience_deep,
        }
    }
}
