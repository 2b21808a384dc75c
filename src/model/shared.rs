//! Models of one endpoint that several sessions of a process ask over the same connections.
//!
//! Each session has a model of its own. What happens on the wire is told to all of them, and what was abandoned to the
//! session that asked for it, which pays for it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use super::{ChunkStream, Listener, Model, Request, RequestKind, WireEvent, connect_to};
use crate::config::{EditDialect, Endpoint, Wire};
use crate::lock::Mutex;

/// The connections of a process, by endpoint. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct SharedModels(Arc<Mutex<Vec<Weak<SharedLine>>>>);

/// The connections to one endpoint.
struct SharedLine {
    endpoint: Endpoint,
    model: Arc<dyn Model>,
    sessions: Arc<Sessions>,
}

#[derive(Default)]
struct Sessions {
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
        let line = {
            let mut all = self.0.lock();
            all.retain(|line| line.strong_count() > 0);
            let known = all.iter().filter_map(Weak::upgrade).find(|line| line.endpoint == endpoint);
            known.unwrap_or_else(|| {
                let sessions = Arc::<Sessions>::default();
                let heard = Arc::clone(&sessions);
                let model = connect_to(endpoint.clone(), Arc::new(move |event| heard.tell(event)));
                let line = Arc::new(SharedLine { endpoint, model, sessions });
                all.push(Arc::downgrade(&line));
                line
            })
        };
        let number = line.sessions.last.fetch_add(1, Ordering::Relaxed) + 1;
        line.sessions.listeners.lock().push((number, Arc::clone(&listener)));
        Arc::new(Extension { line, number, listener, told: OnceLock::new() })
    }
}

impl Sessions {
    fn tell(&self, event: WireEvent) {
        let listeners = self.listeners.lock().clone();
        match event {
            WireEvent::Abandoned { asker, .. } | WireEvent::AbandonedTokens { asker, .. } => {
                // What no session asked for, or one that is gone, is counted once nevertheless.
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

/// A session's end of a line.
struct Extension {
    line: Arc<SharedLine>,
    number: u64,
    listener: Listener,
    /// Set once the session was told what is known.
    told: OnceLock<()>,
}

impl Extension {
    fn tell_known(&self) {
        self.told.get_or_init(|| {
            let known = self.line.sessions.known.lock().clone();
            known.into_iter().for_each(|event| (self.listener)(event));
        });
    }
}

impl Drop for Extension {
    fn drop(&mut self) {
        self.line.sessions.listeners.lock().retain(|(number, _)| *number != self.number);
    }
}

impl Model for Extension {
    fn name(&self) -> String {
        self.line.model.name()
    }

    fn warm(&self) {
        self.tell_known();
        self.line.model.warm();
    }

    fn window(&self) -> u32 {
        self.line.model.window()
    }

    fn answers(&self, kind: RequestKind) -> bool {
        self.line.model.answers(kind)
    }

    fn edit_dialects(&self) -> Vec<EditDialect> {
        self.line.model.edit_dialects()
    }

    fn unread(&self, request: &Request) -> usize {
        self.line.model.unread(request)
    }

    fn takes_fim(&self) -> bool {
        self.line.model.takes_fim()
    }

    fn stream(&self, request: Request) -> ChunkStream {
        self.tell_known();
        self.line.model.stream(Request { asker: self.number, ..request })
    }
}

impl std::fmt::Debug for SharedLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedLine").finish_non_exhaustive()
    }
}
