//! One attempt to get an answer, over any wire.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use futures_util::stream::BoxStream;

use super::health::Stage;
use super::{Chunk, ModelError};
use crate::config::Endpoint;

/// An attempt in progress. Dropping it cancels it.
pub(super) struct Attempt {
    pub(super) chunks: BoxStream<'static, Result<Chunk, Failure>>,
    /// Whether the request still waits for a socket; `None` if it does not use one.
    pub(super) send_state: Option<SendState>,
}

impl Attempt {
    /// Whether the attempt uses a socket, or waits for one, rather than HTTP.
    pub(super) fn is_over_socket(&self) -> bool {
        self.send_state.is_some()
    }
}

/// The reason why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) stage: Stage,
    pub(super) error: ModelError,
    /// Bytes sent in vain.
    pub(super) bytes_up: u64,
}

impl Failure {
    /// A failure of a request that was sent.
    pub(super) fn of_request(error: ModelError) -> Self {
        Self { stage: Stage::Request, error, bytes_up: 0 }
    }

    /// The connection ended.
    pub(super) fn closed(endpoint: &Endpoint) -> Self {
        Self::of_request(ModelError::closed(endpoint))
    }
}

/// The send state of a request: waiting, sent or withdrawn. Of sending and withdrawing, whichever
/// is first wins.
#[derive(Debug, Clone, Default)]
pub(super) struct SendState(Arc<AtomicU8>);

const WAITS: u8 = 0;
const SENT: u8 = 1;
const WITHDRAWN: u8 = 2;

impl SendState {
    /// Whether the request is still waiting.
    pub(super) fn is_waiting(&self) -> bool {
        self.0.load(Ordering::Acquire) == WAITS
    }

    /// Withdraws the request; false if it was already sent.
    pub(super) fn withdraw(&self) -> bool {
        self.0.compare_exchange(WAITS, WITHDRAWN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Marks the request as sent; false if it was withdrawn.
    pub(super) fn send(&self) -> bool {
        let before = self.0.compare_exchange(WAITS, SENT, Ordering::AcqRel, Ordering::Acquire);
        !matches!(before, Err(WITHDRAWN))
    }

    /// Marks the request as waiting again, because the socket that it was sent on is gone.
    pub(super) fn again(&self) {
        self.0.store(WAITS, Ordering::Release);
    }
}
