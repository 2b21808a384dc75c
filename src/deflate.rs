//! Compressed WebSocket messages (permessage-deflate, RFC 7692) for a WebSocket without extension
//! support.
//!
//! tungstenite supports no extensions, so this is a separate layer below it: plain frames written
//! to a [`Deflated`] stream are sent compressed, and compressed frames are read back as plain ones.
//! Compression pays off where the network is the bottleneck: most of a request repeats the previous
//! request, and most of a response is the JSON around each token.
//!
//! * `negotiation`: the terms agreed on in the handshake's `Sec-WebSocket-Extensions`.
//! * `frames`: extracts frames from a byte stream that may be split anywhere.
//! * `inbound`, `outbound`: one direction each, from bytes to bytes.
//! * `stream`: both directions around a stream.
//!
//! # Gain
//!
//! Measured by the test `compression_saves_most_of_what_goes_up` with 8 KB prompts from this project's
//! sources, typed a few characters at a time, switching files after eight prompts, and a server that grants
//! the extension: **561 bytes sent per request (p50; 291 to 3,815) instead of 8,761**. Deflating takes about
//! 0.1 ms and inflating 0.02 ms (test build), while 8.7 KB take 70 ms at 1 Mbit/s upstream and 7 ms at 10
//! Mbit/s: compression pays off below about 500 Mbit/s, and one request fits into a single TCP segment.
//!
//! Crates that implement the extension bring a whole WebSocket client. The one that is maintained
//! (yawc 0.5) exposes neither the headers of the upgrade nor the body of a refused upgrade, and
//! both are needed: quotas, the model that serves, `Retry-After`, the reason.

mod frames;
mod inbound;
mod negotiation;
mod outbound;
mod stream;
mod violation;

pub use negotiation::{OFFER, Terms};
pub use stream::Deflated;
pub use violation::{MESSAGE_BYTES, Violation};

/// The end of the connection that this process is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The end that requested the connection.
    Client,
    /// The end that accepted the connection.
    Server,
}

/// The bytes that end each compressed message and are not sent (RFC 7692 §7.2.1).
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];

/// Masks or unmasks a payload if `key` is given (RFC 6455 §5.3).
fn mask(payload: &mut [u8], key: Option<[u8; 4]>) {
    let Some(key) = key else { return };
    for (byte, key) in payload.iter_mut().zip(key.iter().cycle()) {
        *byte ^= key;
    }
}

#[cfg(test)]
mod tests;
