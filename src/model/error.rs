//! Errors of a model.

use std::time::Duration;

use super::error_kind::{ErrorKind, Refusal};
use super::limits::{MESSAGE_CHARACTERS, RETRY_AFTER_MOST};
use crate::config::providers::other_owner;
use crate::config::{Endpoint, Token, is_on_this_machine};
use crate::privacy::GarbledPlaceholder;
use crate::text::Printable;
use crate::text::words::plain_error;

/// Why a model did not answer: what failed, and where. Remedies are separate, from
/// [`ModelError::remedy`] or from a more specific check. Messages of a server or the network are in
/// printable form and without keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The server cannot be reached.
    #[error("{provider} cannot be reached at {url}: {why}")]
    Offline {
        /// The provider's name in the configuration.
        provider: String,
        /// The URL that was tried.
        url: String,
        /// The error message of the network.
        why: Printable,
    },
    /// The server answered and refused.
    #[error("{provider} {}: {message}", refused(*.status))]
    Refused {
        /// The provider's name in the configuration.
        provider: String,
        /// The kind of refusal, which alone determines how to handle it.
        kind: ErrorKind,
        /// The HTTP status, if there was one.
        status: Option<u16>,
        /// The field of the request that was refused, if the server named one.
        param: Option<String>,
        /// The server's message.
        message: Printable,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// No request was made, because no token was available.
    #[error("there is no token for {provider}: {why}")]
    NoToken {
        /// The provider's name in the configuration.
        provider: String,
        /// What failed, and how to fix it.
        why: Printable,
    },
    /// The connection ended in the middle of an answer.
    #[error("{provider} closed the connection before its answer was complete")]
    Closed {
        /// The provider's name in the configuration.
        provider: String,
    },
    /// The withheld parts of the prompt cannot be restored in the answer.
    #[error("{0}")]
    Garbled(GarbledPlaceholder),
    /// The server was silent for too long.
    #[error("{provider} sent nothing for {seconds} s")]
    IdleTimeout {
        /// The provider's name in the configuration.
        provider: String,
        /// How long the client waited.
        seconds: u64,
    },
    /// A language server does not run, or does not answer.
    #[error("{provider}: {why}")]
    LanguageServer {
        /// The provider's name in the configuration.
        provider: String,
        /// The kind of failure.
        kind: ErrorKind,
        /// What is wrong, as a clause.
        why: Printable,
        /// How long it is not asked.
        retry_after: Option<Duration>,
    },
    /// No request was made, because the budget is used up.
    #[error("{0}")]
    Capped(String),
}

impl ModelError {
    pub(super) fn offline(endpoint: &Endpoint, why: &str) -> Self {
        let (provider, url) = (endpoint.provider.clone(), endpoint.base_url.clone());
        Self::Offline { provider, url, why: endpoint.hide(&plain_error(why)) }
    }

    pub(super) fn refused(endpoint: &Endpoint, refusal: Refusal) -> Self {
        let Refusal { kind, status, param, mut message, retry_after } = refusal;
        if message.is_empty() {
            message.push_str("no reason given");
        }
        let key = endpoint.key.as_ref().filter(|_| kind.is_of_key());
        if let Some(owner) = key.and_then(|key| other_owner(key.expose(), &endpoint.base_url)) {
            message =
                format!("{} (the key seems to be one of {})", message.trim_end_matches('.'), owner.name);
        }
        let is_late = |token: &Token| token.known().issued.as_ref().is_some_and(|it| it.is_late);
        if kind == ErrorKind::Unauthorized && endpoint.token.as_ref().is_some_and(is_late) {
            let hint = "the token had ended when it came: sign in again, or set this machine's clock";
            message = format!("{} ({hint})", message.trim_end_matches('.'));
        }
        // Some servers quote the refused key, and half of a key is sensitive, too.
        let message = endpoint.hide(&message).shortened(MESSAGE_CHARACTERS);
        let retry_after = retry_after.map(|wait| wait.min(RETRY_AFTER_MOST));
        Self::Refused { provider: endpoint.provider.clone(), kind, status, param, message, retry_after }
    }

    pub(super) fn closed(endpoint: &Endpoint) -> Self {
        Self::Closed { provider: endpoint.provider.clone() }
    }

    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused { kind, .. } | Self::LanguageServer { kind, .. } => *kind,
            Self::Offline { .. } => ErrorKind::Offline,
            Self::NoToken { .. } => ErrorKind::NoToken,
            Self::Closed { .. } => ErrorKind::Closed,
            Self::IdleTimeout { .. } => ErrorKind::IdleTimeout,
            // The request was never sent.
            Self::Capped { .. } => ErrorKind::QuotaUsedUp,
            Self::Garbled(_) => ErrorKind::Invalid,
        }
    }

    /// How to fix the failure, as a clause; `None` if the server's message suffices.
    pub fn remedy(&self) -> Option<&'static str> {
        match self.kind() {
            // The configuration or its environment has to change.
            ErrorKind::Unauthorized
            | ErrorKind::Forbidden
            | ErrorKind::NotFound
            | ErrorKind::UnsupportedModel => Some("run `tandem doctor`"),
            _ if matches!(self, Self::LanguageServer { .. }) => None,
            ErrorKind::Offline if matches!(self, Self::Offline { url, .. } if is_on_this_machine(url)) => {
                Some("start the server, or choose another model with `tandem setup`")
            }
            ErrorKind::Offline => Some("check the network; `tandem doctor` shows more"),
            ErrorKind::Closed | ErrorKind::IdleTimeout => Some("try again"),
            _ => None,
        }
    }

    /// How long the server asks to wait.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } | Self::LanguageServer { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    pub(super) fn idle_timeout(endpoint: &Endpoint, waited: Duration) -> Self {
        Self::IdleTimeout { provider: endpoint.provider.clone(), seconds: waited.as_secs() }
    }
}

/// What a server did, as a verb with its status; from 500 on, the failure is its own.
fn refused(status: Option<u16>) -> String {
    match status {
        None => "refused".to_owned(),
        Some(status @ ..500) => format!("refused (status {status})"),
        Some(status) => format!("failed (status {status})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;

    #[test]
    fn key_of_another_provider_is_said_to_be_one() {
        let check = |key: &str, kind: ErrorKind, expected: &str| {
            let endpoint = Endpoint {
                provider: "openai".to_owned(),
                base_url: "https://api.openai.com/v1".to_owned(),
                key: Some(Secret::new(key.to_owned())),
                ..Endpoint::default()
            };
            let refusal = Refusal::of(kind, format!("Incorrect API key provided: {key}."));
            assert_eq!(ModelError::refused(&endpoint, refusal).to_string(), expected, "{key}");
        };
        let unauthorized = ErrorKind::Unauthorized;
        check(
            "gsk_canary-of-groq",
            unauthorized,
            "openai refused: Incorrect API key provided: *** (the key seems to be one of Groq)",
        );
        check("sk-canary-of-openai", unauthorized, "openai refused: Incorrect API key provided: ***.");
        check("gsk_canary-of-groq", ErrorKind::Policy, "openai refused: Incorrect API key provided: ***.");
    }

    #[test]
    fn a_wait_that_no_clock_has_is_cut() {
        let refusal = Refusal {
            kind: ErrorKind::RateLimited,
            status: Some(429),
            param: None,
            message: String::new(),
            retry_after: Some(Duration::MAX),
        };
        let wait = ModelError::refused(&Endpoint::default(), refusal).retry_after();
        assert_eq!(wait, Some(RETRY_AFTER_MOST));
    }
}
