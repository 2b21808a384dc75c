//! Tokens that expire: the source of a provider's token, and the current one.
//!
//! Nothing is fetched here: the models do that, once for all endpoints of a provider. The state of a token survives
//! a change of the settings as long as its source stays the same.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::Instant;

use super::key::KeyCommand;
use super::secret::Secret;

/// The source of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// A command that prints tokens.
    Command(KeyCommand),
    /// A token endpoint that issues tokens in exchange for another token.
    Exchange(Box<TokenExchange>),
}

/// An OAuth 2.0 token exchange (RFC 8693 §2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenExchange {
    /// The URL of the token endpoint, without the `?` and the query.
    pub url: String,
    /// The query, without the `?`.
    pub query: Option<Secret>,
    /// The proxy to go through, as in an [`Endpoint`](super::Endpoint).
    pub proxy: Option<Secret>,
    /// PEM certificates to trust in addition to the default ones.
    pub ca_file: Option<PathBuf>,
    /// The token that is given in exchange.
    pub subject: SubjectToken,
    /// The type of that token, a URI.
    pub subject_type: String,
    /// Whether the request is JSON, which some endpoints require instead of the standard's form encoding.
    pub is_json: bool,
    /// Further parameters of the request: `audience`, `scope`, and those specific to the endpoint.
    pub parameters: BTreeMap<String, String>,
    /// Further headers. They may contain a client's secret.
    pub headers: Vec<(String, Secret)>,
}

/// The token that is given in an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubjectToken {
    /// In a file, which is read for each exchange, since another program renews it.
    File(PathBuf),
    /// The value of an environment variable, which does not change.
    Text(Secret),
}

/// The token of a provider. Clones share its state.
#[derive(Clone)]
pub struct Token(Arc<Shared>);

struct Shared {
    source: TokenSource,
    known: watch::Sender<Known>,
}

/// The state of a token.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The newest token.
    pub issued: Option<Issued>,
    /// The previous token, which may still be in use.
    pub before: Option<Secret>,
    /// Whether a new token is being fetched.
    pub is_asked_for: bool,
    /// Why the last attempt to fetch a token failed, and when.
    pub failure: Option<(String, Instant)>,
}

/// A token that was issued.
#[derive(Debug, Clone)]
pub struct Issued {
    /// The token itself.
    pub secret: Secret,
    /// The number of tokens issued before it.
    pub number: u64,
    /// When it was received, as monotonic time and as wall-clock time; the latter advances while the machine sleeps.
    pub came: (Instant, SystemTime),
    /// How long it is considered valid; `None` for until it is refused.
    pub life: Option<Duration>,
    /// The age at which a new token is to be fetched.
    pub renew_after: Option<Duration>,
    /// Whether it had already expired when received, by the clock of this machine.
    pub is_late: bool,
    /// Whether the provider has refused it.
    pub is_refused: bool,
}

impl Issued {
    /// The age of the token.
    pub fn age(&self, wall: SystemTime) -> Duration {
        self.came.0.elapsed().max(wall.duration_since(self.came.1).unwrap_or_default())
    }

    /// Whether it may be sent.
    pub fn is_valid(&self, wall: SystemTime) -> bool {
        !self.is_refused && self.life.is_none_or(|life| self.age(wall) < life)
    }

    /// Whether it is time to fetch another one.
    pub fn is_due(&self, wall: SystemTime) -> bool {
        self.renew_after.is_some_and(|after| self.age(wall) >= after)
    }
}

impl Token {
    /// A token without any state yet.
    pub fn new(source: TokenSource) -> Self {
        Self(Arc::new(Shared { source, known: watch::Sender::new(Known::default()) }))
    }

    /// The source of the token.
    pub fn source(&self) -> &TokenSource {
        &self.0.source
    }

    /// The state of the token. The guard must be held only briefly: no other lock is taken meanwhile.
    pub fn known(&self) -> watch::Ref<'_, Known> {
        self.0.known.borrow()
    }

    /// Subscribes to changes.
    pub fn subscribe(&self) -> watch::Receiver<Known> {
        self.0.known.subscribe()
    }

    /// Changes the state atomically. Subscribers are notified if `change` returns true.
    pub fn change(&self, change: impl FnOnce(&mut Known) -> bool) -> bool {
        self.0.known.send_if_modified(change)
    }

    /// The secrets that must not be shown.
    pub(super) fn secrets(&self) -> Vec<Secret> {
        let known = self.known();
        known.issued.iter().map(|it| it.secret.clone()).chain(known.before.clone()).collect()
    }

    /// A weak reference, which does not keep the token in use.
    pub fn downgrade(&self) -> WeakToken {
        WeakToken(Arc::downgrade(&self.0))
    }
}

/// A reference to a token that may no longer be in use.
#[derive(Debug, Clone)]
pub struct WeakToken(Weak<Shared>);

impl WeakToken {
    /// The token, if it is still in use.
    pub fn upgrade(&self) -> Option<Token> {
        self.0.upgrade().map(Token)
    }
}

/// Two tokens are equal if they have the same source.
impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.0.source == other.0.source
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Token").field(&self.0.source).finish()
    }
}
