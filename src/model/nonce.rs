//! Matches responses to requests by a nonce, if the server repeats it.
//!
//! On a socket, only the order of events ties a response to its request. An unrequested response
//! from the server would shift every later answer by one. So each request on a socket has a nonce
//! in its `metadata`, which the Responses API repeats in the response object. A server may omit it;
//! whether it does is learned once, by a warm-up if there is time. A server without nonces is
//! trusted until an unrequested response arrives: from then on answers cannot be matched to
//! requests, and HTTP replaces sockets.

use crate::lock::Mutex;

/// Whether an endpoint repeats nonces.
#[derive(Debug, Default)]
pub(super) struct Echo(Mutex<EchoState>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum EchoState {
    #[default]
    Unknown,
    Repeats,
    LeavesOut,
}

/// The match of a response's nonce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The response answers this request.
    Ours,
    /// The response answers another request.
    Foreign,
    /// The response has no nonce, and it is unknown whether this server repeats them.
    Unknown,
}

impl Echo {
    /// Whether nothing is known yet.
    pub(super) fn is_unknown(&self) -> bool {
        self.state() == EchoState::Unknown
    }

    /// Whether this server repeats nonces.
    pub(super) fn repeats(&self) -> bool {
        self.state() == EchoState::Repeats
    }

    /// Whether this server omits nonces.
    pub(super) fn leaves_out(&self) -> bool {
        self.state() == EchoState::LeavesOut
    }

    fn state(&self) -> EchoState {
        *self.0.lock()
    }

    /// Compares the nonce of a response with the sent one, and learns from it whether the server repeats nonces.
    pub(super) fn judge(&self, sent: Option<&str>, came: Option<&str>) -> Verdict {
        let mut state = self.0.lock();
        match (sent, came) {
            (None, _) => Verdict::Ours,
            (Some(sent), Some(came)) => {
                *state = EchoState::Repeats;
                if sent == came { Verdict::Ours } else { Verdict::Foreign }
            }
            (Some(_), None) => match *state {
                EchoState::Unknown => Verdict::Unknown,
                EchoState::Repeats => Verdict::Foreign,
                EchoState::LeavesOut => Verdict::Ours,
            },
        }
    }

    /// Records that this server omits nonces: a complete response had none, and no other response
    /// followed it.
    pub(super) fn record_omitted(&self) {
        let mut state = self.0.lock();
        if *state == EchoState::Unknown {
            *state = EchoState::LeavesOut;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_judged_by_their_nonce() {
        let check = |steps: &[(Option<&str>, Option<&str>, Verdict)]| {
            let echo = Echo::default();
            for (sent, came, expected) in steps {
                assert_eq!(echo.judge(*sent, *came), *expected, "{steps:?}");
                if *expected == Verdict::Unknown {
                    echo.record_omitted();
                }
            }
        };
        let (a, b) = (Some("a"), Some("b"));
        check(&[(a, a, Verdict::Ours), (b, None, Verdict::Foreign), (b, a, Verdict::Foreign)]);
        check(&[(a, None, Verdict::Unknown), (b, None, Verdict::Ours), (b, b, Verdict::Ours)]);
        check(&[(None, None, Verdict::Ours), (None, a, Verdict::Ours), (a, b, Verdict::Foreign)]);
    }
}
