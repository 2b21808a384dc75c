//! The handshake (RFC 7692 §5, §7.1).

use super::Violation;

/// The client's offer in `Sec-WebSocket-Extensions`, which accepts any terms.
pub const OFFER: &str = "permessage-deflate; client_max_window_bits";

const NAME: &str = "permessage-deflate";
/// The largest window, as a power of two in bytes.
const MOST_BITS: u8 = 15;
/// The smallest window that zlib can compress with, twice the smallest that the extension has.
const LEAST_BITS: u8 = 9;

/// The terms that both sides agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    pub(super) client: Half,
    pub(super) server: Half,
}

/// How one side compresses its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Half {
    /// Window size, as a power of two in bytes.
    pub(super) window_bits: u8,
    /// Whether each message is compressed without reference to earlier messages.
    pub(super) no_context_takeover: bool,
}

impl Half {
    const FREE: Self = Self { window_bits: MOST_BITS, no_context_takeover: false };
}

impl Terms {
    /// Parses a server's answer to [`OFFER`], the values of `Sec-WebSocket-Extensions`. Returns
    /// `None` if the server declined.
    ///
    /// # Errors
    ///
    /// [`Violation::Terms`] if the answer is not allowed.
    pub fn answered<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Option<Self>, Violation> {
        let mut extensions = values.into_iter().flat_map(|value| value.split(','));
        let Some(answer) = extensions.next() else { return Ok(None) };
        match (Self::read(answer, true), extensions.next()) {
            (Some(terms), None) => Ok(Some(terms)),
            _ => Err(Violation::Terms),
        }
    }

    /// Answers a client's offers: returns the first offer that this side supports, with the value
    /// to reply.
    pub fn granted<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<(Self, String)> {
        let mut offers = values.into_iter().flat_map(|value| value.split(','));
        offers.find_map(|offer| {
            let terms = Self::read(offer, false)?;
            // Only this side's parameters need an answer (RFC 7692 §7.1.1.1, §7.1.2.1); the client
            // chooses how it compresses.
            let mut answer = NAME.to_owned();
            if terms.server.no_context_takeover {
                answer += "; server_no_context_takeover";
            }
            if terms.server.window_bits < MOST_BITS {
                answer += &format!("; server_max_window_bits={}", terms.server.window_bits);
            }
            Some((Self { client: Half::FREE, ..terms }, answer))
        })
    }

    /// Parses one extension with its parameters, from an answer or an offer. Returns `None` for
    /// another extension or unknown parameters.
    fn read(extension: &str, is_answer: bool) -> Option<Self> {
        let mut parts = extension.split(';').map(str::trim);
        if !parts.next()?.eq_ignore_ascii_case(NAME) {
            return None;
        }
        let mut terms = Self { client: Half::FREE, server: Half::FREE };
        let mut seen = Vec::new();
        for part in parts {
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (name.trim_end(), Some(value.trim_start().trim_matches('"'))),
                None => (part, None),
            };
            if seen.contains(&name) {
                return None;
            }
            seen.push(name);
            match (name, value) {
                ("client_no_context_takeover", None) => terms.client.no_context_takeover = true,
                ("server_no_context_takeover", None) => terms.server.no_context_takeover = true,
                ("client_max_window_bits", None) if !is_answer => {}
                ("client_max_window_bits", Some(bits)) => terms.client.window_bits = window_bits(bits)?,
                // In an offer, this limits the window of this side.
                ("server_max_window_bits", Some(bits)) => {
                    terms.server.window_bits =
                        window_bits(bits).filter(|it| is_answer || *it >= LEAST_BITS)?;
                }
                _ => return None,
            }
        }
        Some(terms)
    }
}

impl Half {
    /// Whether this side can compress with these parameters.
    pub(super) fn can_be_kept(self) -> bool {
        self.window_bits >= LEAST_BITS
    }
}

fn window_bits(text: &str) -> Option<u8> {
    let bits = text.parse().ok()?;
    (8..=MOST_BITS).contains(&bits).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(window_bits: u8, no_context_takeover: bool) -> Half {
        Half { window_bits, no_context_takeover }
    }

    #[test]
    fn answers_are_read() {
        let check = |answer: &str, client: Half, server: Half| {
            assert_eq!(Terms::answered([answer]), Ok(Some(Terms { client, server })), "{answer}");
        };
        check("permessage-deflate", Half::FREE, Half::FREE);
        check("Permessage-Deflate; client_max_window_bits=10", half(10, false), Half::FREE);
        check(
            "permessage-deflate; server_no_context_takeover ;client_no_context_takeover; server_max_window_bits=\"8\"",
            half(15, true),
            half(8, true),
        );
        assert_eq!(Terms::answered([]), Ok(None));
        for wrong in [
            "x-webkit-deflate-frame",
            "permessage-deflate, permessage-deflate",
            "permessage-deflate; client_max_window_bits",
            "permessage-deflate; client_max_window_bits=16",
            "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
            "permessage-deflate; level=9",
        ] {
            assert_eq!(Terms::answered([wrong]), Err(Violation::Terms), "{wrong}");
        }
    }

    #[test]
    fn offers_are_granted() {
        let check = |offer: &str, server: Half, answer: &str| {
            let terms = Terms { client: Half::FREE, server };
            assert_eq!(Terms::granted([offer]), Some((terms, answer.to_owned())), "{offer}");
            assert_eq!(Terms::answered([answer]), Ok(Some(terms)), "{answer}");
        };
        check(OFFER, Half::FREE, "permessage-deflate");
        check(
            "permessage-deflate; server_max_window_bits=12; client_max_window_bits=12",
            half(12, false),
            "permessage-deflate; server_max_window_bits=12",
        );
        check(
            "bbf-usp-protocol, permessage-deflate; server_max_window_bits=8, permessage-deflate; server_no_context_takeover",
            half(15, true),
            "permessage-deflate; server_no_context_takeover",
        );
        assert_eq!(Terms::granted(["permessage-bzip2"]), None);
    }
}
