//! What everything that answers requests has in common.

use super::chunk::ChunkStream;
use super::request::Request;
use super::speed::Pace;
use crate::config::FimDialect;

/// Whatever answers requests: a provider over some wire, or a script in tests.
pub trait Model: Send + Sync {
    /// The model's name as configured, for messages. Of several that stand in for each
    /// other, the one whose turn it is.
    fn name(&self) -> String;

    /// Gets ready for the first request, in the background.
    fn warm(&self);

    /// Whether it did not answer the last time, so that another request is likely in
    /// vain.
    fn is_down(&self) -> bool {
        false
    }

    /// Tokens that it can take in and give out together.
    fn window(&self) -> u32 {
        128_000
    }

    /// How fast it is, and how long it is waited for.
    fn pace(&self) -> Pace {
        Pace::QUICK
    }

    /// Bytes of a request that it has to read: those behind what it still has of the last request.
    fn unread(&self, request: &Request) -> usize {
        request.read_bytes(self.takes_fim().then(FimDialect::default)).len()
    }

    /// Whether it has a use for [`Request::fim`].
    fn takes_fim(&self) -> bool {
        true
    }

    /// Asks. The call ends when the stream is dropped.
    fn stream(&self, request: Request) -> ChunkStream;
}
