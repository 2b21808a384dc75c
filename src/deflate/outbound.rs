//! From plain frames to compressed ones.

use std::io::Cursor;

use flate2::{Compress, Compression, FlushCompress};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::terms::Half;
use super::{MOST, TAIL, mask};

/// Shorter messages are sent as they are, in bytes.
const LEAST: usize = 64;

/// Frames that go out.
#[derive(Debug)]
pub(super) struct Outbound {
    /// What was written and is no whole header yet, or no whole frame that is to be compressed.
    raw: Vec<u8>,
    /// Bytes of a frame that is sent as it is, still to be written.
    passing: u64,
    deflate: Compress,
    forgets: bool,
    saved: u64,
}

impl Outbound {
    pub(super) fn new(how: Half) -> Self {
        // Somebody waits: what the fastest level leaves on the table is little, as most of a message is a repetition.
        let deflate = Compress::new_with_window_bits(Compression::fast(), false, how.window_bits);
        Self { raw: Vec::new(), passing: 0, deflate, forgets: how.forgets, saved: 0 }
    }

    /// Bytes that compression has saved so far.
    pub(super) fn saved(&self) -> u64 {
        self.saved
    }

    /// Takes bytes as they are written, and appends what is to be sent to `out`.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        self.raw.extend_from_slice(bytes);
        let mut at = 0;
        while at < self.raw.len() {
            if self.passing > 0 {
                let left = usize::try_from(self.passing).unwrap_or(usize::MAX);
                let end = self.raw.len().min(at.saturating_add(left));
                out.extend_from_slice(&self.raw[at..end]);
                self.passing -= (end - at) as u64;
                at = end;
                continue;
            }
            let mut cursor = Cursor::new(&self.raw[at..]);
            let parsed = FrameHeader::parse(&mut cursor).map_err(std::io::Error::other)?;
            let Some((header, length)) = parsed else { break };
            let head = usize::try_from(cursor.position()).unwrap_or(usize::MAX);
            let is_message =
                matches!(header.opcode, OpCode::Data(Data::Text | Data::Binary)) && header.is_final;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if !is_message || !(LEAST..=MOST).contains(&length) {
                out.extend_from_slice(&self.raw[at..at + head]);
                self.passing = length as u64;
                at += head;
                continue;
            }
            let start = at + head;
            if self.raw.len() - start < length {
                break;
            }
            let payload = &mut self.raw[start..start + length];
            if let Some(key) = header.mask {
                mask(payload, key);
            }
            let mut short = deflate(&mut self.deflate, payload)?;
            if self.forgets {
                self.deflate.reset();
            }
            self.saved += length.saturating_sub(short.len()) as u64;
            if let Some(key) = header.mask {
                mask(&mut short, key);
            }
            let header = FrameHeader { rsv1: true, ..header };
            header.format(short.len() as u64, out).map_err(std::io::Error::other)?;
            out.extend_from_slice(&short);
            at = start + length;
        }
        self.raw.drain(..at);
        Ok(())
    }
}

/// A message, compressed (RFC 7692 §7.2.1).
fn deflate(deflate: &mut Compress, mut payload: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut short = Vec::with_capacity(payload.len() / 2 + LEAST);
    loop {
        let taken = deflate.total_in();
        deflate.compress_vec(payload, &mut short, FlushCompress::Sync).map_err(std::io::Error::other)?;
        let taken = usize::try_from(deflate.total_in() - taken).unwrap_or(usize::MAX);
        payload = payload.get(taken..).unwrap_or_default();
        // All is out when there was room for more.
        if payload.is_empty() && short.len() < short.capacity() {
            break;
        }
        short.reserve(short.len());
    }
    if short.ends_with(&TAIL) {
        short.truncate(short.len() - TAIL.len());
    }
    Ok(short)
}
