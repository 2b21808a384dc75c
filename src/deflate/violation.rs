//! What ends a compressed connection.

use std::io;

/// What the other side did wrong. A connection is of no use after it, and is better made
/// without compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// It agreed to something that was not offered (RFC 7692 §7.1).
    #[error("the server's terms of compression are none that were offered")]
    Terms,
    /// Something compressed cannot be read.
    #[error("a compressed message is damaged")]
    Damaged,
    /// Something compressed is too long, or would be once it is not.
    #[error("a compressed message is longer than {MESSAGE_BYTES} bytes")]
    TooLong,
}

impl Violation {
    /// The violation that an error of a [`Deflated`](super::Deflated) stream tells of, if it does.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<Violation> for io::Error {
    fn from(violation: Violation) -> Self {
        Self::new(io::ErrorKind::InvalidData, violation)
    }
}

/// The longest frame that is compressed, or comes of a compressed one, in bytes. The
/// WebSocket above has no use for longer ones.
pub const MESSAGE_BYTES: usize = 4 << 20;
