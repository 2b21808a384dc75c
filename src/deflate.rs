//! Compressed WebSocket messages (permessage-deflate, RFC 7692), for a WebSocket that does not know them.
//!
//! tungstenite takes no extensions. So this is a layer of its own below it: what is written to a [`Deflated`] stream as
//! a plain frame goes out as a compressed one, and the other way round. It pays where the network is what is waited for:
//! most of a request is what the one before it said, and most of an answer is the JSON around each token.
//!
//! * `negotiation`: what the two sides agree on in the handshake's `Sec-WebSocket-Extensions`.
//! * `frames`: picks frames out of bytes, cut anywhere.
//! * `inbound`, `outbound`: the two directions, bytes in and bytes out.
//! * `stream`: both around a stream.

mod frames;
mod inbound;
mod negotiation;
mod outbound;
mod stream;

use std::io;

pub use negotiation::{OFFER, Terms};
pub use stream::Deflated;

/// Which end of the connection we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The one that asked for the connection.
    Client,
    /// The one that granted it.
    Server,
}

/// What the other side did wrong. A connection is of no use after it, and is better made without compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// It agreed to something that was not offered (RFC 7692 §7.1).
    #[error("the server's terms of compression are none that were offered")]
    Terms,
    /// Something compressed cannot be read.
    #[error("a compressed message is damaged")]
    Damaged,
    /// Something compressed is too long, or would be once it is not.
    #[error("a compressed message is longer than {MOST} bytes")]
    TooLong,
}

impl Violation {
    /// The violation that an error of a [`Deflated`] stream tells of, if it does.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<Violation> for io::Error {
    fn from(violation: Violation) -> Self {
        Self::new(io::ErrorKind::InvalidData, violation)
    }
}

/// The longest frame that is compressed, or comes of a compressed one, in bytes. The WebSocket above has no use for
/// longer ones.
pub const MOST: usize = 4 << 20;
/// What ends each compressed message and is not sent (RFC 7692 §7.2.1).
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];

/// Masks or unmasks a payload, if there is a key for it (RFC 6455 §5.3).
fn mask(payload: &mut [u8], key: Option<[u8; 4]>) {
    let Some(key) = key else { return };
    for (byte, key) in payload.iter_mut().zip(key.iter().cycle()) {
        *byte ^= key;
    }
}

#[cfg(test)]
mod tests;
