//! Models: one trait, and the wires behind it.
//!
//! Dropping a stream cancels its call. A stream yields text as it arrives and ends with [`Chunk::Done`] or an error;
//! an error after text means that the text is not whole.

mod attempt;
mod base;
pub mod capability;
mod client;
mod condition;
mod connect;
mod connection;
mod dialect;
mod exchange;
pub mod gears;
mod hedge;
mod http;
pub mod identity;
pub mod ladder;
mod link;
mod pool;
pub mod probe;
mod quota;
mod recovery;
pub mod scripted;
mod sse;
mod standing;
mod thrift;
mod timing;
mod tls;
pub mod usage;
mod websocket;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;

use crate::config::Endpoint;
use crate::privacy::Touched;
use crate::text::Printable;

pub use condition::Condition;
use condition::Refusal;
pub use timing::Timing;

/// Characters of a server's words that are shown.
const SHOWN: usize = 200;
/// The longest that a server may ask to be left alone: quotas are renewed within a week, and clocks end.
const LONGEST_WAIT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// One question to a model. Plain data: each wire renders it in its own dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What is asked, the same for all requests of a job: `instructions`, or a system message.
    pub instructions: Cow<'static, str>,
    /// The context, as one user message.
    pub input: String,
    /// Bytes at the beginning of `input` that stay the same from one request about this file to the next, such as its
    /// path and outline. 0 if nothing does. What caches and base responses hold.
    pub stable: usize,
    /// The same question for endpoints that fill in the middle of a text; `None` if it is another kind of question.
    pub fim: Option<Fim>,
    /// Text that much of the answer is expected to repeat, for models that take predicted outputs.
    pub prediction: Option<String>,
    /// The answer ends before any of these.
    pub stop: Vec<String>,
    /// Tokens that the answer may have at most. Reaching it is an end like any other, marked in [`Usage`].
    pub max_output_tokens: u32,
    /// The same for requests whose inputs begin alike: one per file.
    pub cache_key: String,
    /// Who waits, which decides what is done when something goes wrong.
    pub urgency: Urgency,
}

impl Request {
    /// Bytes of text that an answer has at most if its server keeps to `max_output_tokens`: no token is that long.
    fn longest_answer(&self) -> usize {
        const SHORTEST: usize = 64 * 1024;
        const OF_A_TOKEN: usize = 64;
        usize::try_from(self.max_output_tokens).unwrap_or(usize::MAX).saturating_mul(OF_A_TOKEN).max(SHORTEST)
    }

    /// The same question with less context; `None` if there is none to leave out.
    fn with_less(&self) -> Option<Self> {
        let mut less = self.clone();
        if let Some(Fim { prefix, suffix, .. }) = &mut less.fim {
            // What is nearest to the cursor counts most.
            let from = (prefix.len() / 2..=prefix.len()).find(|at| prefix.is_char_boundary(*at))?;
            prefix.drain(..from);
            let to = (0..=suffix.len() / 2).rev().find(|at| suffix.is_char_boundary(*at))?;
            suffix.truncate(to);
        }
        if self.stable > 0 {
            less.input.drain(..self.stable);
            less.stable = 0;
        }
        (less != *self).then_some(less)
    }
}

/// A text with a hole in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fim {
    /// The text before the hole.
    pub prefix: String,
    /// The text after the hole.
    pub suffix: String,
    /// The file's path as shown to a model.
    pub path: String,
}

/// Who waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Urgency {
    /// Nobody asked for it: ghost text while one types. Late is as good as never, so nothing is waited for.
    Typing,
    /// A person asked and watches.
    Asked,
    /// A person asked for long work, and does something else meanwhile.
    Deep,
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
    /// The service tier that answered, in the server's own words.
    pub tier: Option<String>,
    /// Tokens read.
    pub input_tokens: u64,
    /// Those of them that came from the provider's cache.
    pub cached_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Whether the answer was cut at the request's cap.
    pub truncated: bool,
    /// Bytes of request that went up for it, every attempt counted.
    pub bytes_up: u64,
    /// From the call to the first text; `None` if there was no text.
    pub first_token: Option<Duration>,
    /// From the call to the end.
    pub total: Duration,
}

/// Why a model did not answer. Each says what the user can do. What a server or the network said is in it as it can be
/// shown, and without keys.
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
        why: Printable,
    },
    /// The server answered and refused.
    #[error("{provider} refused{}: {message}", status.map_or_else(String::new, |status| format!(" (status {status})")))]
    Refused {
        /// The provider's name in the configuration.
        provider: String,
        /// What kind of refusal it is: what to do about it follows from this alone.
        condition: Condition,
        /// The HTTP status, if there was one.
        status: Option<u16>,
        /// The field of the request that was refused, if the server named one.
        param: Option<String>,
        /// The server's words.
        message: Printable,
        /// How long the server asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// The connection ended in the middle of an answer.
    #[error("{provider} closed the connection before its answer was complete; try again")]
    Closed {
        /// The provider's name in the configuration.
        provider: String,
    },
    /// The answer cannot be put together again with what was withheld from the model.
    #[error("{0}")]
    Garbled(Touched),
    /// Nothing came for too long.
    #[error("{provider} sent nothing for {seconds} s; try again")]
    Silent {
        /// The provider's name in the configuration.
        provider: String,
        /// How long was waited.
        seconds: u64,
    },
    /// It was not asked: what may be spent is spent.
    #[error("{why}")]
    Capped {
        /// Which cap, and how it stands.
        why: String,
    },
}

impl ModelError {
    fn offline(endpoint: &Endpoint, why: &str) -> Self {
        let (provider, url) = (endpoint.provider.clone(), endpoint.base_url.clone());
        Self::Offline { provider, url, why: endpoint.hide(why) }
    }

    fn refused(endpoint: &Endpoint, refusal: Refusal) -> Self {
        let Refusal { condition, status, param, mut message, retry_after } = refusal;
        if message.is_empty() {
            message.push_str("no reason given");
        }
        // Some servers quote the key that they refuse, and half of one is a key, too.
        let message = endpoint.hide(&message).shortened(SHOWN);
        let retry_after = retry_after.map(|wait| wait.min(LONGEST_WAIT));
        Self::Refused { provider: endpoint.provider.clone(), condition, status, param, message, retry_after }
    }

    fn closed(endpoint: &Endpoint) -> Self {
        Self::Closed { provider: endpoint.provider.clone() }
    }

    /// What kind of failure it is.
    pub fn condition(&self) -> Condition {
        match self {
            Self::Refused { condition, .. } => *condition,
            Self::Offline { .. } => Condition::Offline,
            Self::Closed { .. } => Condition::Closed,
            Self::Silent { .. } => Condition::Silent,
            // It was never sent.
            Self::Capped { .. } => Condition::QuotaUsedUp,
            Self::Garbled(_) => Condition::Invalid,
        }
    }

    /// How long the server asks to be left alone.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        if let Self::Refused { retry_after, .. } = self { *retry_after } else { None }
    }

    fn silent(endpoint: &Endpoint, waited: Duration) -> Self {
        Self::Silent { provider: endpoint.provider.clone(), seconds: waited.as_secs() }
    }
}

/// An answer as it arrives.
pub type ChunkStream = BoxStream<'static, Result<Chunk, ModelError>>;

/// Whatever answers requests: a provider over some wire, or a script in tests.
pub trait Model: Send + Sync {
    /// The model's name as configured, for messages. Of several that stand in for each other, the one whose turn it is.
    fn name(&self) -> String;

    /// Gets ready for the first request, in the background.
    fn warm(&self);

    /// Whether it did not answer the last time, so that asking it again on somebody's behalf is likely in vain.
    fn is_down(&self) -> bool {
        false
    }

    /// Tokens that it can take in and give out together.
    fn window(&self) -> u32 {
        128_000
    }

    /// Asks. The call ends when the stream is dropped.
    fn stream(&self, request: Request) -> ChunkStream;
}

/// What happens on a wire beside the answers, for those who count and show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireEvent {
    /// A connection was made, in this time.
    Connected {
        /// From the first packet to the end of the handshake.
        took: Duration,
    },
    /// Text came for a request that nobody waits for any more.
    ForNobody {
        /// About how many tokens.
        tokens: u64,
    },
    /// An answer that nobody waited for is over: read to its end, or left with its connection.
    Abandoned(Usage),
    /// The server named the model that will answer, before any answer.
    Serves {
        /// In the server's own words.
        model: String,
    },
    /// The endpoint is talked to over another wire from now on.
    Pinned {
        /// One sentence.
        why: String,
    },
    /// The endpoint is asked in another dialect from now on, over the same wire.
    Adapted {
        /// One sentence.
        why: String,
    },
    /// How much of a quota is used or left.
    Quota {
        /// What it counts, in the server's own words: `requests`, `primary`.
        pool: String,
        /// Such as `59 of 60 left`, or `37 % of 300 minutes`.
        what: String,
    },
    /// An answer came over HTTP.
    Http {
        /// Such as `HTTP/2.0`.
        version: String,
        /// What its connection took, from the first packet to the end of the handshake, if it was a new one.
        connected: Option<Duration>,
    },
}

/// Takes the events of a wire. Called from wherever they happen: it must not block.
pub type Listener = Arc<dyn Fn(WireEvent) + Send + Sync>;

/// The model behind an endpoint, over the wire that the endpoint names. Opens nothing yet; see [`Model::warm`].
pub fn connect_to(endpoint: Endpoint, listener: Listener) -> Arc<dyn Model> {
    connect_with(endpoint, listener, Timing::default())
}

/// As [`connect_to`], with other durations than usual.
pub fn connect_with(endpoint: Endpoint, listener: Listener, timing: Timing) -> Arc<dyn Model> {
    Arc::new(client::Client::new(endpoint, listener, timing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_no_clock_has_is_cut() {
        let refusal = Refusal {
            condition: Condition::RateLimited,
            status: Some(429),
            param: None,
            message: String::new(),
            retry_after: Some(Duration::MAX),
        };
        let wait = ModelError::refused(&Endpoint::default(), refusal).retry_after();
        assert_eq!(wait, Some(LONGEST_WAIT));
    }
}
