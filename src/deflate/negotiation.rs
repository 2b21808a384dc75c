//! The handshake (RFC 7692 §5, §7.1).

use super::Violation;

/// What a client offers, in `Sec-WebSocket-Extensions`: any terms will do.
pub const OFFER: &str = "permessage-deflate; client_max_window_bits";

const NAME: &str = "permessage-deflate";
/// How far back a compressed message may refer, as a power of two in bytes.
const MOST_BITS: u8 = 15;
/// Less cannot be kept to by zlib, whose smallest window is twice that.
const LEAST_BITS: u8 = 9;

/// What both sides agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    pub(super) client: Half,
    pub(super) server: Half,
}

/// How one side compresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Half {
    /// How far back it refers, as a power of two in bytes.
    pub(super) window_bits: u8,
    /// Whether each of its messages begins afresh.
    pub(super) no_context_takeover: bool,
}

impl Half {
    const FREE: Self = Self { window_bits: MOST_BITS, no_context_takeover: false };
}

impl Terms {
    /// What a server's answer to [`OFFER`] says: the values of
    /// `Sec-WebSocket-Extensions`. `None` if it declined.
    ///
    /// # Errors
    ///
    /// [`Violation::Terms`] if it says anything that it may not.
    pub fn answered<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Option<Self>, Violation> {
        let mut extensions = values.into_iter().flat_map(|value| value.split(','));
        let Some(answer) = extensions.next() else { return Ok(None) };
        match (Self::read(answer, true), extensions.next()) {
            (Some(terms), None) => Ok(Some(terms)),
            _ => Err(Violation::Terms),
        }
    }

    /// What a server makes of a client's offers: the first that it can keep to, and its
    /// answer.
    pub fn granted<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<(Self, String)> {
        let mut offers = values.into_iter().flat_map(|value| value.split(','));
        offers.find_map(|offer| {
            let terms = Self::read(offer, false)?;
            // Our own side alone needs an answer (RFC 7692 §7.1.1.1, §7.1.2.1); how the client compresses is
            // left to it.
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

    /// Reads one extension with its parameters, of an answer or an offer; `None` if it is
    /// another one, or unknown ones are among the parameters.
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
                // In an offer it is for us to keep to.
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
    /// Whether we can compress like this.
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
