//! What an answer comes in.

use std::time::Duration;

use futures_util::stream::BoxStream;

use super::error::ModelError;
use super::speed::ServerTimes;
use crate::config::EditDialect;

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// The text that follows is in a form of models that were trained to predict edits.
    ///
    /// Comes right before the text.
    Dialect(EditDialect),
    /// The next text.
    Text(String),
    /// The text so far is not the answer, which begins anew: the model wrote another
    /// message after it.
    Restart,
    /// The natural end.
    Done(Usage),
}

/// What an answer took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// The model that answered, in the server's own words.
    pub model: Option<String>,
    /// The service tier that answered, in the server's own words.
    pub tier: Option<String>,
    /// Tokens read.
    pub input_tokens: u64,
    /// Those of them that came from the provider's cache.
    pub cached_tokens: u64,
    /// Those of them that the provider wrote to its cache.
    pub cache_write_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Whether the answer was cut at the request's cap.
    pub truncated: bool,
    /// Whether the server ended the answer and gave no reason: it may have been cut.
    pub unexplained: bool,
    /// Bytes of request that went up for it, every attempt counted.
    pub bytes_up: u64,
    /// What the server says that reading and writing took, if it does.
    pub times: Option<ServerTimes>,
    /// From the call to the first text; `None` if there was no text.
    pub first_token: Option<Duration>,
    /// From the call to the end.
    pub total: Duration,
}

/// An answer as it arrives.
pub type ChunkStream = BoxStream<'static, Result<Chunk, ModelError>>;
