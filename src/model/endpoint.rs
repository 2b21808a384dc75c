//! State that all connections to one endpoint share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::header::HeaderMap;
use rustls::ClientConfig;
use tokio::sync::OnceCell;

use super::dialect::answer::Output;
use super::fields::Fields;
use super::health::EndpointHealth;
use super::limits::NAME_CHARACTERS;
use super::nonce::Echo;
use super::quota::{self, QuotaPool};
use super::timing::Timing;
use super::{Listener, ModelError, Usage, WireEvent, identity, tls};
use crate::config::Endpoint;
use crate::deflate::Violation;
use crate::lock::Mutex;

/// Information from a response's headers.
pub(super) struct HandshakeInfo {
    /// The model that serves, as named by the server.
    pub(super) served: Option<String>,
    pub(super) quotas: Vec<QuotaPool>,
}

/// One endpoint, what was learned about it, and the listener for its events.
pub(super) struct EndpointContext {
    pub(super) endpoint: Endpoint,
    pub(super) fields: Fields,
    pub(super) timing: Timing,
    listener: Listener,
    /// Whether compression failed, so that it is not offered again.
    is_deflate_broken: AtomicBool,
    /// Whether responses repeat the nonce of their request.
    pub(super) echo: Echo,
    /// Locked after the sockets' lock if both are held.
    pub(super) health: Mutex<EndpointHealth>,
    tls: OnceCell<Arc<ClientConfig>>,
}

impl EndpointContext {
    pub(super) fn new(endpoint: Endpoint, listener: Listener, timing: Timing) -> Arc<Self> {
        let fields = Fields::of(&endpoint);
        let is_deflate_broken = AtomicBool::new(false);
        Arc::new(Self {
            endpoint,
            fields,
            timing,
            listener,
            is_deflate_broken,
            echo: Echo::default(),
            health: Mutex::default(),
            tls: OnceCell::new(),
        })
    }

    /// Whether to offer compression for a socket.
    pub(super) fn offers_deflate(&self) -> bool {
        self.endpoint.deflate && !self.is_deflate_broken.load(Ordering::Relaxed)
    }

    /// Disables compression for the next sockets, because it failed.
    pub(super) fn give_up_deflate(&self, violation: Violation) {
        tracing::info!(provider = self.endpoint.provider, %violation, "sockets are not compressed any more");
        self.is_deflate_broken.store(true, Ordering::Relaxed);
    }

    /// Notifies the listener.
    pub(super) fn tell(&self, event: WireEvent) {
        (self.listener)(event);
    }

    /// Removes everything from an output that may be a key: some servers quote parts of the request
    /// in any field. The model's own text stays unchanged.
    pub(super) fn cleaned(&self, output: Output) -> Output {
        let named = |name: Option<String>| name.map(|name| self.name(&name));
        match output {
            Output::Begun { model, nonce } => Output::Begun { model: named(model), nonce },
            Output::Done(usage) => {
                let (model, tier) = (named(usage.model), named(usage.tier));
                Output::Done(Usage { model, tier, ..usage })
            }
            Output::Serves { model } => Output::Serves { model: self.name(&model) },
            Output::Quotas(pools) => Output::Quotas(self.pools(pools)),
            // A refusal is cleaned with the error that is made of it.
            other @ (Output::Text(_) | Output::Restart | Output::Failed(_) | Output::Stray { .. }) => other,
        }
    }

    /// Quotas in printable form.
    pub(super) fn pools(&self, pools: Vec<QuotaPool>) -> Vec<QuotaPool> {
        pools.into_iter().map(|(pool, what)| (self.name(&pool), self.name(&what))).collect()
    }

    /// Notifies the listener of quotas.
    pub(super) fn tell_quotas(&self, pools: Vec<QuotaPool>) {
        for (pool, what) in pools {
            self.tell(WireEvent::Quota { pool, what });
        }
    }

    /// The model that serves and the quotas, as reported in the headers of an answer.
    pub(super) fn handshake_info(&self, headers: &HeaderMap) -> HandshakeInfo {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let served = text("openai-model").or_else(|| text("x-openai-model"));
        let all = headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        HandshakeInfo {
            served: served.map(|name| self.name(name)),
            quotas: self.pools(quota::of_headers(all)),
        }
    }

    /// A name given by a server, in printable form.
    pub(super) fn name(&self, name: &str) -> String {
        self.endpoint.hide(name).shortened(NAME_CHARACTERS).into_string()
    }

    /// Of the names that a server gave to the model that answers, returns the most telling: one
    /// that is not the requested model, else the last.
    pub(super) fn telling(&self, names: &[String]) -> Option<String> {
        let other = names.iter().find(|name| !identity::is_same(&self.endpoint.model, name));
        other.or(names.last()).cloned()
    }

    /// The TLS configuration, created on first use.
    pub(super) async fn tls(&self) -> Result<Arc<ClientConfig>, ModelError> {
        let made = self.tls.get_or_try_init(|| async {
            let config = match self.endpoint.base_url.starts_with("http:") {
                true => tls::none(),
                false => tls::config(self.endpoint.ca_file.clone()).await,
            };
            config.map(Arc::new).map_err(|why| ModelError::offline(&self.endpoint, &why))
        });
        made.await.cloned()
    }
}
