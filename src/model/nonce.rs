//! Which request a response answers, where the server repeats what it was sent.
//!
//! On a socket nothing but the order of events ties a response to its request. A server that sends a response
//! that was not asked for shifts every answer after it by one. So each request there has a nonce of its own
//! in its `metadata`, which the Responses API repeats in the response object. A server may leave it out;
//! whether this one does is learned once, from the warm-up where there is time for one. Such a server is
//! trusted until a response comes that was not asked for: then nothing says which request an answer belongs
//! to, and HTTP serves in the place of sockets.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

/// A nonce for one request. It says nothing about the request.
pub(super) fn new() -> String {
    format!("{:016x}", RandomState::new().hash_one(0))
}

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

/// What a response's nonce says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It answers this request.
    Ours,
    /// It answers another one.
    Foreign,
    /// It has no nonce, and it is not known yet whether this server repeats them.
    Unknown,
}

impl Echo {
    /// Whether nothing is known yet.
    pub(super) fn is_unknown(&self) -> bool {
        self.state() == EchoState::Unknown
    }

    /// Whether this server repeats them.
    pub(super) fn repeats(&self) -> bool {
        self.state() == EchoState::Repeats
    }

    /// Whether this server leaves nonces out.
    pub(super) fn leaves_out(&self) -> bool {
        self.state() == EchoState::LeavesOut
    }

    fn state(&self) -> EchoState {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares the nonce that was sent with the one that came, and learns from that.
    pub(super) fn judge(&self, sent: Option<&str>, came: Option<&str>) -> Verdict {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// A whole response had no nonce, and no other response followed it: this server
    /// leaves them out.
    pub(super) fn is_left_out(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
                    echo.is_left_out();
                }
            }
        };
        let (a, b) = (Some("a"), Some("b"));
        check(&[(a, a, Verdict::Ours), (b, None, Verdict::Foreign), (b, a, Verdict::Foreign)]);
        check(&[(a, None, Verdict::Unknown), (b, None, Verdict::Ours), (b, b, Verdict::Ours)]);
        check(&[(None, None, Verdict::Ours), (None, a, Verdict::Ours), (a, b, Verdict::Foreign)]);
        assert_ne!(new(), new());
    }
}
