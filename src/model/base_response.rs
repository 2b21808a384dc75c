//! Base responses: the stable beginning of a file's requests, kept by the server on one socket, for
//! requests to continue from ([base responses](super#base-responses)).
//!
//! A socket keeps the newest response of each lane, so each base has its own lane, and requests
//! fork from it in other lanes. On any failure, the whole request is sent.

use super::limits::{BASE_BYTES, BASE_LANES, BASES_LOST};
use super::{Request, Usage};
use crate::text::hash;

/// The job of base responses, for statistics.
pub(super) const JOB: &str = "base response";

/// The bases of one socket.
#[derive(Debug, Default)]
pub(super) struct BaseResponses {
    /// At most one per lane, least recently used first.
    known: Vec<BaseResponse>,
    /// Key of the beginning that was last seen without a base.
    seen: Option<u64>,
    in_vain: u8,
}

#[derive(Debug)]
struct BaseResponse {
    key: u64,
    lane: String,
    /// The id of the response, once it has arrived.
    id: Option<String>,
    bytes_up: u64,
}

impl BaseResponses {
    /// Returns the key of a request's beginning, or `None` if it is too short to be worth a base.
    pub(super) fn key(&self, request: &Request) -> Option<u64> {
        if request.stable < BASE_BYTES {
            return None;
        }
        Some(hash::in_process(&(&request.instructions, &request.input[..request.stable])))
    }

    /// Returns the id of the response to continue from.
    pub(super) fn find(&mut self, key: u64) -> Option<String> {
        let at = self.known.iter().position(|base| base.key == key)?;
        let id = self.known[at].id.clone()?;
        let used = self.known.remove(at);
        self.known.push(used);
        Some(id)
    }

    /// Whether to make a base: if the beginning is seen for the second time in a row.
    pub(super) fn is_worth(&mut self, key: u64) -> bool {
        if self.known.iter().any(|base| base.key == key) {
            return false;
        }
        self.seen.replace(key) == Some(key)
    }

    /// Registers a base that is being made and returns its lane.
    pub(super) fn begin(&mut self, key: u64) -> String {
        let lane = if self.known.len() < BASE_LANES {
            format!("base-{}", self.known.len())
        } else {
            // The new base reuses the lane and thereby evicts the old response.
            self.known.remove(0).lane
        };
        self.known.push(BaseResponse { key, lane: lane.clone(), id: None, bytes_up: 0 });
        lane
    }

    /// Records the size of the newest base's frame.
    pub(super) fn sent(&mut self, bytes: u64) {
        if let Some(base) = self.known.last_mut() {
            base.bytes_up = bytes;
        }
    }

    /// Whether a lane belongs to a base.
    pub(super) fn is_lane(&self, lane: &str) -> bool {
        lane.starts_with("base-")
    }

    /// Records that a base was made, and returns its usage.
    pub(super) fn made(&mut self, lane: &str, id: Option<String>, usage: Usage) -> Option<Usage> {
        let base = self.known.iter_mut().find(|base| base.lane == lane && base.id.is_none())?;
        base.id = id;
        Some(Usage { bytes_up: base.bytes_up, ..usage })
    }

    /// Records that a base could not be made. Its lane stays taken: lane names are never freed.
    pub(super) fn failed(&mut self, lane: &str) {
        if let Some(base) = self.known.iter_mut().find(|base| base.lane == lane) {
            base.key = 0;
            base.id = None;
        }
    }

    /// Forgets a base after a request that continued from it failed; `is_gone` if the server no
    /// longer had the base. Returns true if bases turn out to be useless.
    pub(super) fn forget(&mut self, key: u64, is_gone: bool) -> bool {
        if let Some(at) = self.known.iter().position(|base| base.key == key) {
            let mut base = self.known.remove(at);
            (base.key, base.id) = (0, None);
            // Its lane is the next to be reused.
            self.known.insert(0, base);
        }
        if is_gone {
            self.in_vain += 1;
        }
        self.in_vain >= BASES_LOST
    }
}
