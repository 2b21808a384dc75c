//! Errors that end a compressed connection.

use std::io;

/// A protocol violation by the other side. The connection is unusable afterwards and is better
/// reopened without compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// The server agreed to terms that were not offered (RFC 7692 §7.1).
    #[error("the server's terms of compression are none that were offered")]
    Terms,
    /// Compressed data cannot be decompressed.
    #[error("a compressed message is damaged")]
    Damaged,
    /// A compressed message is too long, before or after decompression.
    #[error("a compressed message is longer than {MESSAGE_BYTES} bytes")]
    TooLong,
}

impl Violation {
    /// Returns the violation behind an error of a [`Deflated`](super::Deflated) stream, if any.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<Violation> for io::Error {
    fn from(violation: Violation) -> Self {
        Self::new(io::ErrorKind::InvalidData, violation)
    }
}

/// Maximum size of a frame before and after compression, in bytes. The WebSocket above has no use
/// for longer frames.
pub const MESSAGE_BYTES: usize = 4 << 20;
