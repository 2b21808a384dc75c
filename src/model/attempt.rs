//! One attempt to get an answer, over whatever wire.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};

use super::health::Stage;
use super::{Chunk, ModelError};
use crate::config::Endpoint;

/// An attempt on its way. Dropping it ends it.
pub(super) struct Attempt {
    pub(super) chunks: BoxStream<'static, Result<Chunk, Failure>>,
    /// Whether the request waits for a socket still, where it goes over one.
    pub(super) unsent: Option<Unsent>,
}

impl Attempt {
    /// An attempt that failed before it began.
    pub(super) fn failed(failure: Failure) -> Self {
        Self { chunks: stream::iter([Err(failure)]).boxed(), unsent: None }
    }

    /// Whether it goes over a socket, or waits for one, rather than over HTTP.
    pub(super) fn is_over_socket(&self) -> bool {
        self.unsent.is_some()
    }
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) stage: Stage,
    pub(super) error: ModelError,
    /// Bytes that it sent and that were not used.
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

/// Whether a request has left: it waits, is sent, or is taken back. The first of the two
/// decides.
#[derive(Debug, Clone, Default)]
pub(super) struct Unsent(Arc<AtomicU8>);

const WAITS: u8 = 0;
const SENT: u8 = 1;
const WITHDRAWN: u8 = 2;

impl Unsent {
    /// Whether it waits still.
    pub(super) fn is_so(&self) -> bool {
        self.0.load(Ordering::Acquire) == WAITS
    }

    /// Takes it back; false if it has left already.
    pub(super) fn withdraw(&self) -> bool {
        self.0.compare_exchange(WAITS, WITHDRAWN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Is about to send it; false if it was taken back.
    pub(super) fn send(&self) -> bool {
        let before = self.0.compare_exchange(WAITS, SENT, Ordering::AcqRel, Ordering::Acquire);
        !matches!(before, Err(WITHDRAWN))
    }

    /// It waits again: the socket it was sent on is gone.
    pub(super) fn again(&self) {
        self.0.store(WAITS, Ordering::Release);
    }
}
