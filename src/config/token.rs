//! Tokens that end: where a provider's comes from, and which one is in use.
//!
//! Nothing is fetched here: the models do that, once for all endpoints of a provider. What is known
//! of a token outlives a change of the settings as long as its source stays the same.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::Instant;

use super::key::KeyCommand;
use super::secret::Secret;

/// Where tokens come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// A command prints them.
    Command(KeyCommand),
    /// A token endpoint gives them for another token.
    Exchange(Box<TokenExchange>),
}

/// An exchange of tokens, as OAuth 2.0 has it (RFC 8693 §2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenExchange {
    /// The token endpoint, without what follows the `?`.
    pub url: String,
    /// What follows the `?`.
    pub query: Option<Secret>,
    /// The proxy to go through, as an [`Endpoint`](super::Endpoint) has it.
    pub proxy: Option<Secret>,
    /// PEM certificates to trust beside the usual ones.
    pub ca_file: Option<PathBuf>,
    /// The token that is given for it.
    pub subject: SubjectToken,
    /// The kind of that token, a URI.
    pub subject_type: String,
    /// Whether the request is JSON, which some endpoints want in place of the form of the standard.
    pub is_json: bool,
    /// What else the request names: `audience`, `scope`, and what the endpoint wants besides.
    pub parameters: BTreeMap<String, String>,
    /// Further headers. They may hold a client's secret.
    pub headers: Vec<(String, Secret)>,
}

/// The token that is given in an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubjectToken {
    /// In a file, which is read for each exchange, since what wrote it renews it.
    File(PathBuf),
    /// The value of an environment variable, which is there for good.
    Text(Secret),
}

/// The token of a provider. Clones share what is known of it.
#[derive(Clone)]
pub struct Token(Arc<Shared>);

struct Shared {
    source: TokenSource,
    known: watch::Sender<Known>,
}

/// What is known of a token.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The newest one.
    pub issued: Option<Issued>,
    /// The one before it, which may be in use still.
    pub before: Option<Secret>,
    /// Whether another one is on its way.
    pub is_asked_for: bool,
    /// Why the last attempt to get one failed, and when that was.
    pub failure: Option<(String, Instant)>,
}

/// A token that came.
#[derive(Debug, Clone)]
pub struct Issued {
    /// The token itself.
    pub secret: Secret,
    /// How many came before it.
    pub number: u64,
    /// When it came, by the time of this process and by the clock on the wall, which goes on while the machine
    /// sleeps.
    pub came: (Instant, SystemTime),
    /// How long it is taken for valid; `None` until it is refused.
    pub life: Option<Duration>,
    /// After what part of its life another one is to be fetched.
    pub renew_after: Option<Duration>,
    /// Whether it had ended when it came, by the clock of this machine.
    pub is_late: bool,
    /// Whether its provider has refused it.
    pub is_refused: bool,
}

impl Issued {
    /// How old it is.
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
    /// A token of which nothing is known yet.
    pub fn new(source: TokenSource) -> Self {
        Self(Arc::new(Shared { source, known: watch::Sender::new(Known::default()) }))
    }

    /// Where it comes from.
    pub fn source(&self) -> &TokenSource {
        &self.0.source
    }

    /// What is known of it. The value is borrowed for a moment: no other lock is taken meanwhile.
    pub fn known(&self) -> watch::Ref<'_, Known> {
        self.0.known.borrow()
    }

    /// Hears of changes.
    pub fn subscribe(&self) -> watch::Receiver<Known> {
        self.0.known.subscribe()
    }

    /// Changes what is known, all at once. Those who listen hear of it if `change` returns true.
    pub fn change(&self, change: impl FnOnce(&mut Known) -> bool) -> bool {
        self.0.known.send_if_modified(change)
    }

    /// The texts that must not be shown.
    pub(super) fn secrets(&self) -> Vec<Secret> {
        let known = self.known();
        known.issued.iter().map(|it| it.secret.clone()).chain(known.before.clone()).collect()
    }

    /// What does not keep it in use.
    pub fn downgrade(&self) -> WeakToken {
        WeakToken(Arc::downgrade(&self.0))
    }
}

/// A token that may be out of use.
#[derive(Debug, Clone)]
pub struct WeakToken(Weak<Shared>);

impl WeakToken {
    /// The token, if it is in use.
    pub fn upgrade(&self) -> Option<Token> {
        self.0.upgrade().map(Token)
    }
}

/// Two tokens are the same if they come from the same place.
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
