//! Compressed frames to plain frames.

use flate2::{Decompress, FlushDecompress, Status};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::frames::Frames;
use super::negotiation::Half;
use super::{MESSAGE_BYTES, TAIL, Violation};

/// The receiving direction.
#[derive(Debug)]
pub(super) struct Inbound {
    frames: Frames,
    inflate: Decompress,
    no_context_takeover: bool,
    /// Whether the compressed message continues in another frame.
    goes_on: bool,
}

impl Inbound {
    pub(super) fn new(how: Half) -> Self {
        // The largest window can read data that was compressed with any window.
        let inflate = Decompress::new(false);
        Self {
            frames: Frames::default(),
            inflate,
            no_context_takeover: how.no_context_takeover,
            goes_on: false,
        }
    }

    /// Takes received bytes and appends them, decompressed, to `out`. Errors in plain frames are
    /// left to the WebSocket.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Violation> {
        self.frames.push(bytes);
        while let Some((header, payload)) = self.frames.next(is_compressed(self.goes_on), out)? {
            let plain = inflate(&mut self.inflate, &payload, header.is_final)?;
            self.goes_on = !header.is_final;
            if self.no_context_takeover && header.is_final {
                self.inflate.reset(false);
            }
            // A client's frames are masked; a mask of zeros costs nothing.
            let header = FrameHeader { rsv1: false, mask: header.mask.map(|_| [0; 4]), ..header };
            header.format(plain.len() as u64, out).map_err(|_| Violation::Damaged)?;
            out.extend_from_slice(&plain);
        }
        Ok(())
    }
}

/// Whether a frame is compressed; the first frame of a message decides for all its frames (RFC 7692
/// §6.1).
fn is_compressed(goes_on: bool) -> impl Fn(&FrameHeader, u64) -> bool {
    move |header, _| match header.opcode {
        OpCode::Data(Data::Text | Data::Binary) => header.rsv1,
        OpCode::Data(Data::Continue) => goes_on,
        _ => false,
    }
}

/// Decompresses a frame's payload.
fn inflate(inflate: &mut Decompress, payload: &[u8], is_final: bool) -> Result<Vec<u8>, Violation> {
    let mut plain = Vec::with_capacity(payload.len().saturating_mul(4).clamp(256, MESSAGE_BYTES));
    for mut part in [payload, if is_final { &TAIL } else { &[] }] {
        loop {
            if plain.len() == plain.capacity() {
                plain.reserve(plain.len());
            }
            let (taken, made) = (inflate.total_in(), plain.len());
            let status = inflate.decompress_vec(part, &mut plain, FlushDecompress::Sync);
            let status = status.map_err(|_| Violation::Damaged)?;
            let taken = usize::try_from(inflate.total_in() - taken).unwrap_or(usize::MAX);
            part = part.get(taken..).unwrap_or_default();
            if plain.len() > MESSAGE_BYTES {
                return Err(Violation::TooLong);
            }
            if status == Status::StreamEnd {
                // A message may end like this; then nothing refers to earlier data (RFC 7692 §7.2.3.4).
                inflate.reset(false);
            }
            if part.is_empty() && plain.len() < plain.capacity() {
                break;
            }
            if taken == 0 && plain.len() == made && status != Status::StreamEnd {
                return Err(Violation::Damaged);
            }
        }
    }
    Ok(plain)
}
