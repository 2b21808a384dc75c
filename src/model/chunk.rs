//! The pieces in which an answer arrives.

use std::time::Duration;

use futures_util::stream::BoxStream;

use super::error::ModelError;
use super::speed::ServerTimes;
use crate::config::EditDialect;

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// The text that follows is in a dialect of models trained to predict edits.
    ///
    /// Sent right before the text.
    Dialect(EditDialect),
    /// The text that follows is the item of a language server with this number, unique in the process.
    ///
    /// Sent right before the text.
    Item(u64),
    /// More text.
    Text(String),
    /// The text so far is not the answer, which starts over: the model wrote another message after
    /// it.
    Restart,
    /// The regular end.
    Done(Usage),
}

/// The tokens, bytes and time that an answer took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// The model that answered, as named by the server.
    pub model: Option<String>,
    /// The number of the language server's item that the text is from.
    pub item: Option<u64>,
    /// The service tier that answered, as named by the server.
    pub tier: Option<String>,
    /// Input tokens.
    pub input_tokens: u64,
    /// Input tokens that came from the provider's cache.
    pub cached_tokens: u64,
    /// Input tokens that the provider wrote to its cache.
    pub cache_write_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Whether the answer was cut off at the request's token limit.
    pub truncated: bool,
    /// Whether the server ended the answer without a reason: it may have been cut off.
    pub unexplained: bool,
    /// Bytes of requests sent for it, in all attempts.
    pub bytes_up: u64,
    /// The time for reading and writing, if the server reports it.
    pub times: Option<ServerTimes>,
    /// Time from the call to the first text; `None` without text.
    pub first_token: Option<Duration>,
    /// Time from the call to the end.
    pub total: Duration,
}

impl Usage {
    /// The tokens alone.
    #[must_use]
    pub(super) fn tokens_alone(&self) -> Self {
        let Self { input_tokens, cached_tokens, cache_write_tokens, output_tokens, .. } = *self;
        Self { input_tokens, cached_tokens, cache_write_tokens, output_tokens, ..Self::default() }
    }

    /// The usage of this answer and a later one together, with the later model.
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        Self {
            input_tokens: self.input_tokens + later.input_tokens,
            cached_tokens: self.cached_tokens + later.cached_tokens,
            cache_write_tokens: self.cache_write_tokens + later.cache_write_tokens,
            output_tokens: self.output_tokens + later.output_tokens,
            bytes_up: self.bytes_up + later.bytes_up,
            first_token: self.first_token,
            total: self.total + later.total,
            ..later
        }
    }
}

/// An answer as it arrives.
pub type ChunkStream = BoxStream<'static, Result<Chunk, ModelError>>;
