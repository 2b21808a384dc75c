//! How long things may take.

use std::time::{Duration, SystemTime};

use super::{Request, Urgency};

/// The durations of a connection's life ([keeping sockets](super#keeping-sockets)).
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// A connection that is not open by then is given up.
    pub connect: Duration,
    /// A request that found no socket by then goes over HTTP.
    pub socket_budget: Duration,
    /// Silence after which an answer is given up, for what is typed.
    pub silence_typing: Duration,
    /// The same for what a person waits for.
    pub silence_asked: Duration,
    /// The same for long work.
    pub silence_deep: Duration,
    /// An idle socket is pinged this often.
    pub ping_every: Duration,
    /// A ping that is not answered by then was sent to a dead socket.
    pub pong_within: Duration,
    /// A socket that was not heard of for this long is pinged before it is used.
    pub fresh: Duration,
    /// The least and the most age at which a socket is replaced: providers end it at 60
    /// minutes.
    pub rotate: (Duration, Duration),
    /// Without a request for this long, no socket is kept.
    pub idle_close: Duration,
    /// An endpoint that is talked to over HTTP for want of sockets is tried again after
    /// this long.
    pub probe_again: Duration,
    /// The longest wait after a failure.
    pub back_off: Duration,
    /// The longest that a person is kept waiting for another attempt.
    pub patience_asked: Duration,
    /// The same for long work.
    pub patience_deep: Duration,
    /// The clock on the wall. It goes on while the machine sleeps, as the one that
    /// durations are measured by does not.
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
