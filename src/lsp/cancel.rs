//! Operations that the user can cancel, by the progress token under which the editor shows them.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::AbortHandle;
use serde_json::Value;

use crate::lock::Mutex;

/// The running operations with a progress token.
#[derive(Debug, Clone, Default)]
pub(super) struct Cancellable(Arc<Mutex<HashMap<String, AbortHandle>>>);

/// A guard that keeps an operation in the table.
#[derive(Debug)]
pub(super) struct Registered {
    table: Cancellable,
    token: String,
}

impl Cancellable {
    /// Cancels the operation with this token; ignores finished ones.
    pub(super) fn cancel(&self, token: &Value) {
        if let Some(operation) = self.remove(&token.to_string()) {
            operation.abort();
        }
    }

    /// Adds an operation under its token.
    pub(super) fn register(&self, token: &Value, operation: AbortHandle) -> Registered {
        let token = token.to_string();
        self.0.lock().insert(token.clone(), operation);
        Registered { table: self.clone(), token }
    }

    fn remove(&self, token: &str) -> Option<AbortHandle> {
        self.0.lock().remove(token)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.table.remove(&self.token);
    }
}
