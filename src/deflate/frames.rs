//! Frames in a stream of bytes (RFC 6455 §5.2).

use std::io::Cursor;

use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;

use super::{MESSAGE_BYTES, Violation, mask};

/// Extracts frames from bytes that arrive in arbitrary pieces.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Received bytes that do not form a whole header yet, or not a whole wanted frame.
    raw: Vec<u8>,
    /// Bytes still expected of a frame that is passed through.
    passing: u64,
}

impl Frames {
    /// Appends received bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
    }

    /// Returns the next whole frame that `is_wanted` accepts by header and length, with its payload
    /// unmasked. Everything before it is passed through to `out` unchanged. A wanted frame may be
    /// [`Violation::TooLong`].
    pub(super) fn next(
        &mut self,
        is_wanted: impl Fn(&FrameHeader, u64) -> bool,
        out: &mut Vec<u8>,
    ) -> Result<Option<(FrameHeader, Vec<u8>)>, Violation> {
        let mut at = 0;
        let found = loop {
            let rest = &self.raw[at..];
            if self.passing > 0 {
                let length = usize::try_from(self.passing).map_or(rest.len(), |left| left.min(rest.len()));
                out.extend_from_slice(&rest[..length]);
                self.passing -= length as u64;
                at += length;
            }
            let rest = &self.raw[at..];
            let mut cursor = Cursor::new(rest);
            let (header, length) = match FrameHeader::parse(&mut cursor) {
                Ok(Some(parsed)) => parsed,
                Ok(None) => break None,
                // Passed through: the WebSocket reports the error.
                Err(_) => {
                    out.extend_from_slice(rest);
                    at = self.raw.len();
                    break None;
                }
            };
            let head = usize::try_from(cursor.position()).unwrap_or(rest.len());
            if !is_wanted(&header, length) {
                out.extend_from_slice(&rest[..head]);
                self.passing = length;
                at += head;
                continue;
            }
            let length =
                usize::try_from(length).ok().filter(|it| *it <= MESSAGE_BYTES).ok_or(Violation::TooLong)?;
            let Some(payload) = rest[head..].get(..length) else { break None };
            let mut payload = payload.to_vec();
            mask(&mut payload, header.mask);
            at += head + length;
            break Some((header, payload));
        };
        self.raw.drain(..at);
        Ok(found)
    }
}
