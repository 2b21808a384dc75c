//! What all connections to one endpoint share.

use std::sync::Arc;

use rustls::ClientConfig;
use tokio::sync::OnceCell;

use super::capability::{self, Fields};
use super::timing::Timing;
use super::{Listener, ModelError, WireEvent, identity, tls};
use crate::config::Endpoint;

/// One endpoint, what is known of it, and who is told what happens.
pub(super) struct Link {
    pub(super) endpoint: Endpoint,
    pub(super) fields: Fields,
    pub(super) timing: Timing,
    listener: Listener,
    tls: OnceCell<Arc<ClientConfig>>,
}

impl Link {
    pub(super) fn new(endpoint: Endpoint, listener: Listener, timing: Timing) -> Arc<Self> {
        let fields = capability::of(&endpoint);
        Arc::new(Self { endpoint, fields, timing, listener, tls: OnceCell::new() })
    }

    /// Tells whoever listens.
    pub(super) fn tell(&self, event: WireEvent) {
        (self.listener)(event);
    }

    /// Of the names that a server gave to the model that answers, the one that tells most: one that is not the model
    /// asked for, else the last.
    pub(super) fn telling(&self, names: &[String]) -> Option<String> {
        let other = names.iter().find(|name| !identity::is_same(&self.endpoint.model, name));
        other.or(names.last()).cloned()
    }

    /// What connections are secured with, made when it is first needed.
    pub(super) async fn tls(&self) -> Result<Arc<ClientConfig>, ModelError> {
        let made = self.tls.get_or_try_init(|| async {
            let offline = |why: String| ModelError::offline(&self.endpoint, &why);
            if self.endpoint.base_url.starts_with("http:") {
                return tls::none().map(Arc::new).map_err(offline);
            }
            let ca_file = self.endpoint.ca_file.clone();
            // The platform's certificates are read from files.
            let config = tokio::task::spawn_blocking(move || tls::config(ca_file.as_deref())).await;
            let config = config.unwrap_or_else(|panic| Err(panic.to_string()));
            config.map(Arc::new).map_err(offline)
        });
        made.await.cloned()
    }
}
