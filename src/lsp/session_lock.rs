//! The lock around the session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::time::Instant;
use tower_lsp::jsonrpc::Result;

use super::task;
use crate::document::Document;
use crate::session::Session;

/// The server's only session.
///
/// Its guard lives for a few lines and never across an `.await`. No other lock is taken while it is held, and
/// no `Drop` takes it.
#[derive(Debug, Clone)]
pub(super) struct SessionLock(Arc<Mutex<Session>>);

/// A weak reference to the session, for work that must not keep it alive.
#[derive(Debug, Clone)]
pub(super) struct WeakSession(Weak<Mutex<Session>>);

impl SessionLock {
    pub(super) fn new(session: Session) -> Self {
        Self(Arc::new(Mutex::new(session)))
    }

    /// Locks the session. A panic under the lock leaves it usable: every change replaces whole values.
    pub(super) fn lock(&self) -> MutexGuard<'_, Session> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn downgrade(&self) -> WeakSession {
        WeakSession(Arc::downgrade(&self.0))
    }

    /// Runs work that may parse a document on the blocking pool.
    ///
    /// The resulting tree is kept.
    pub(super) async fn with_tree<T: Send + 'static>(
        &self,
        document: Arc<Document>,
        work: impl FnOnce(&Document) -> T + Send + 'static,
    ) -> Result<T> {
        let session = self.clone();
        task::run_blocking(move || {
            let done = work(&document);
            session.lock().keep_tree(document.id(), Instant::now().into_std());
            done
        })
        .await
    }
}

impl WeakSession {
    /// The session, unless the server has shut down.
    pub(super) fn upgrade(&self) -> Option<SessionLock> {
        self.0.upgrade().map(SessionLock)
    }

    /// Whether the server has shut down.
    pub(super) fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}
