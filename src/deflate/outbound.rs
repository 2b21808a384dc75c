//! Plain frames to compressed frames.

use flate2::{Compress, Compression, FlushCompress};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::frames::Frames;
use super::negotiation::Half;
use super::{MESSAGE_BYTES, TAIL, mask};

/// Messages below this size, in bytes, are sent uncompressed.
const COMPRESSED_BYTES: usize = 64;

/// The sending direction.
#[derive(Debug)]
pub(super) struct Outbound {
    frames: Frames,
    deflate: Compress,
    no_context_takeover: bool,
    saved: u64,
}

impl Outbound {
    pub(super) fn new(how: Half) -> Self {
        // The fastest level costs few bytes, since most of a message repeats the previous one.
        let deflate = Compress::new_with_window_bits(Compression::fast(), false, how.window_bits);
        Self { frames: Frames::default(), deflate, no_context_takeover: how.no_context_takeover, saved: 0 }
    }

    /// Bytes saved by compression so far.
    pub(super) fn saved(&self) -> u64 {
        self.saved
    }

    /// Takes written bytes and appends the bytes to send to `out`.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        self.frames.push(bytes);
        while let Some((header, payload)) = self.frames.next(is_worth_it, out)? {
            let mut short = deflate(&mut self.deflate, &payload)?;
            if self.no_context_takeover {
                self.deflate.reset();
            }
            self.saved += payload.len().saturating_sub(short.len()) as u64;
            mask(&mut short, header.mask);
            let header = FrameHeader { rsv1: true, ..header };
            header.format(short.len() as u64, out).map_err(std::io::Error::other)?;
            out.extend_from_slice(&short);
        }
        Ok(())
    }
}

/// Whether a frame is compressed. Only messages in a single frame are, which is how this program sends them.
fn is_worth_it(header: &FrameHeader, length: u64) -> bool {
    let is_message = matches!(header.opcode, OpCode::Data(Data::Text | Data::Binary)) && header.is_final;
    is_message && (COMPRESSED_BYTES as u64..=MESSAGE_BYTES as u64).contains(&length)
}

/// Compresses a message (RFC 7692 §7.2.1).
fn deflate(deflate: &mut Compress, mut payload: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut short = Vec::with_capacity(payload.len() / 2 + COMPRESSED_BYTES);
    loop {
        let taken = deflate.total_in();
        deflate.compress_vec(payload, &mut short, FlushCompress::Sync).map_err(std::io::Error::other)?;
        let taken = usize::try_from(deflate.total_in() - taken).unwrap_or(usize::MAX);
        payload = payload.get(taken..).unwrap_or_default();
        // Output is complete if there was room for more.
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
