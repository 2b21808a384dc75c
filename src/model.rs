//! Models: one trait, and the wires behind it.
//!
//! Dropping a stream cancels its call. A stream yields text as it arrives and ends with [`Chunk::Done`] or an error;
//! an error after text means that the text is not whole.

mod connect;
mod event;
mod exchange;
mod frame;
mod pool;
pub mod scripted;
mod websocket;

use std::time::Duration;

use futures_util::stream::BoxStream;

use crate::config::Endpoint;

pub use websocket::WebSocketModel;

/// One question to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What is asked of it, the same for all requests of a job.
    pub instructions: &'static str,
    /// The context, as one user message.
    pub input: String,
    /// Tokens that the answer may have at most. Reaching it is an end like any other, marked in [`Usage`].
    pub max_output_tokens: u32,
    /// The same for requests whose inputs begin alike: one per file.
    pub cache_key: String,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// The next text.
    Text(String),
    /// The natural end.
    Done(Usage),
}

/// What an answer took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// The model that answered, in the server's own words.
    pub model: Option<String>,
    /// Tokens read.
    pub input_tokens: u64,
    /// Those of them that came from the provider's cache.
    pub cached_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Whether the answer was cut at the request's cap.
    pub truncated: bool,
}

/// Why a model did not answer. Each says what the user can do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nothing can be reached there.
    #[error("{provider} cannot be reached at {url}: {why}")]
    Offline {
        /// The provider's name in the configuration.
        provider: String,
        /// Where it was sought.
        url: String,
        /// The network's words.
        why: String,
    },
    /// The server answered and refused.
    #[error("{provider} refused{}: {message}", status.map_or_else(String::new, |status| format!(" (status {status})")))]
    Refused {
        /// The provider's name in the configuration.
        provider: String,
        /// The HTTP status, if there was one.
        status: Option<u16>,
        /// The server's words.
        message: String,
    },
    /// The connection ended in the middle of an answer.
    #[error("{provider} closed the connection before its answer was complete; try again")]
    Closed {
        /// The provider's name in the configuration.
        provider: String,
    },
    /// Nothing came for too long.
    #[error("{provider} sent nothing for {seconds} s; try again")]
    Silent {
        /// The provider's name in the configuration.
        provider: String,
        /// How long was waited.
        seconds: u64,
    },
}

impl ModelError {
    fn offline(endpoint: &Endpoint, why: &str) -> Self {
        let (provider, url) = (endpoint.provider.clone(), endpoint.base_url.clone());
        Self::Offline { provider, url, why: why.to_owned() }
    }

    fn refused(endpoint: &Endpoint, status: Option<u16>, message: String) -> Self {
        Self::Refused { provider: endpoint.provider.clone(), status, message }
    }

    fn closed(endpoint: &Endpoint) -> Self {
        Self::Closed { provider: endpoint.provider.clone() }
    }

    fn silent(endpoint: &Endpoint, waited: Duration) -> Self {
        Self::Silent { provider: endpoint.provider.clone(), seconds: waited.as_secs() }
    }
}

/// An answer as it arrives.
pub type ChunkStream = BoxStream<'static, Result<Chunk, ModelError>>;

/// Whatever answers requests: a provider over some wire, or a script in tests.
pub trait Model: Send + Sync {
    /// The model's name as configured, for messages.
    fn name(&self) -> &str;

    /// Gets ready for the first request, in the background.
    fn warm(&self);

    /// Asks. The call ends when the stream is dropped.
    fn stream(&self, request: Request) -> ChunkStream;
}
