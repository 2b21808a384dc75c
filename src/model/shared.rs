//! Models of one endpoint that several sessions of a process ask over the same connections.
//!
//! Each session has a model of its own. Events of the connections reach all sessions. Abandoned tokens are counted for the
//! session whose request they belong to.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use super::{ChunkStream, Listener, Model, Request, RequestKind, WireEvent, connect_to};
use crate::config::{EditDialect, Endpoint, Wire};
use crate::lock::Mutex;

/// The connections of a process, by endpoint. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct SharedModels(Arc<Mutex<Vec<Weak<SharedEndpoint>>>>);

/// The connections to one endpoint.
struct SharedEndpoint {
    endpoint: Endpoint,
    model: Arc<dyn Model>,
    sessions: Arc<EndpointSessions>,
}

#[derive(Default)]
struct EndpointSessions {
    listeners: Mutex<Vec<(u64, Listener)>>,
    /// What is known of the wire, for those that come later: the last event of each kind.
    known: Mutex<Vec<WireEvent>>,
    last: AtomicU64,
}

impl SharedModels {
    /// The model behind an endpoint, over the connections of other sessions if there are any.
    pub fn connect(&self, endpoint: Endpoint, listener: Listener) -> Arc<dyn Model> {
        // A language server has the documents of one editor.
        if endpoint.wire == Wire::Lsp {
            return connect_to(endpoint, listener);
        }
        let shared = {
            let mut all = self.0.lock();
            all.retain(|shared| shared.strong_count() > 0);
            let known = all.iter().filter_map(Weak::upgrade).find(|shared| shared.endpoint == endpoint);
            known.unwrap_or_else(|| {
                let sessions = Arc::<EndpointSessions>::default();
                let heard = Arc::clone(&sessions);
                let model = connect_to(endpoint.clone(), Arc::new(move |event| heard.tell(event)));
                let shared = Arc::new(SharedEndpoint { endpoint, model, sessions });
                all.push(Arc::downgrade(&shared));
                shared
            })
        };
        let number = shared.sessions.last.fetch_add(1, Ordering::Relaxed) + 1;
        shared.sessions.listeners.lock().push((number, Arc::clone(&listener)));
        Arc::new(SessionModel { shared, number, listener, told: OnceLock::new() })
    }
}

impl EndpointSessions {
    fn tell(&self, event: WireEvent) {
        let listeners = self.listeners.lock().clone();
        match event {
            WireEvent::Abandoned { asker, .. } | WireEvent::AbandonedTokens { asker, .. } => {
                // Tokens of a warm-up or of a closed session are counted for any one session.
                let own = listeners.iter().find(|(number, _)| *number == asker).or(listeners.first());
                own.into_iter().for_each(|(_, listener)| listener(event.clone()));
            }
            event => {
                self.note(&event);
                listeners.iter().for_each(|(_, listener)| listener(event.clone()));
            }
        }
    }

    fn note(&self, event: &WireEvent) {
        let mut known = self.known.lock();
        known.retain(|it| match (it, event) {
            // Sockets work again.
            (WireEvent::Pinned(_), WireEvent::Connected(_)) => false,
            (WireEvent::Quota { pool: one, .. }, WireEvent::Quota { pool, .. }) => one != pool,
            _ => std::mem::discriminant(it) != std::mem::discriminant(event),
        });
        known.push(event.clone());
    }
}

/// A session's model behind a shared endpoint.
struct SessionModel {
    shared: Arc<SharedEndpoint>,
    number: u64,
    listener: Listener,
    /// Set once the session was told what is known.
    told: OnceLock<()>,
}

impl SessionModel {
    fn tell_known(&self) {
        self.told.get_or_init(|| {
            let known = self.shared.sessions.known.lock().clone();
            known.into_iter().for_each(|event| (self.listener)(event));
        });
    }
}

impl Drop for SessionModel {
    fn drop(&mut self) {
        self.shared.sessions.listeners.lock().retain(|(number, _)| *number != self.number);
    }
}

impl Model for SessionModel {
    fn name(&self) -> String {
        self.shared.model.name()
    }

    fn warm(&self) {
        self.tell_known();
        self.shared.model.warm();
    }

    fn window(&self) -> u32 {
        self.shared.model.window()
    }

    fn answers(&self, kind: RequestKind) -> bool {
        self.shared.model.answers(kind)
    }

    fn edit_dialects(&self) -> Vec<EditDialect> {
        self.shared.model.edit_dialects()
    }

    fn unread(&self, request: &Request) -> usize {
        self.shared.model.unread(request)
    }

    fn takes_fim(&self) -> bool {
        self.shared.model.takes_fim()
    }

    fn stream(&self, request: Request) -> ChunkStream {
        self.tell_known();
        self.shared.model.stream(Request { asker: self.number, ..request })
    }
}

impl std::fmt::Debug for SharedEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedEndpoint").finish_non_exhaustive()
    }
}
