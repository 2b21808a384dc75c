//! Work that a user asked for and watches: shown if it takes long, and stopped when they say so (LSP 3.18, "Work Done
//! Progress").

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::backend::Shared;
use crate::text::printable;

/// What is done by then is not worth a bar.
const SHOWN_AFTER: Duration = Duration::from_millis(300);
/// How often the bar says how long it has been.
const TICK: Duration = Duration::from_secs(1);

/// The works that can be stopped, by the token that the editor has of them.
#[derive(Debug, Default)]
pub(super) struct Stoppable {
    works: Mutex<HashMap<String, AbortHandle>>,
}

impl Stoppable {
    /// The user stops a work. One that is over is none any more.
    pub(super) fn stop(&self, token: &Value) {
        let work = self.works.lock().unwrap_or_else(PoisonError::into_inner).remove(&token.to_string());
        if let Some(work) = work {
            work.abort();
        }
    }

    fn add(&self, token: &Value, work: AbortHandle) {
        self.works.lock().unwrap_or_else(PoisonError::into_inner).insert(token.to_string(), work);
    }

    fn remove(&self, token: &Value) {
        self.works.lock().unwrap_or_else(PoisonError::into_inner).remove(&token.to_string());
    }
}

/// Does `work` and shows it under `title` if it takes long. `token` is the one that the request came with, if it did.
///
/// # Errors
///
/// The user stopped it.
pub(super) async fn watched<T>(
    shared: &Arc<Shared>,
    title: String,
    token: Option<Value>,
    work: impl Future<Output = T>,
) -> Result<T, Stopped> {
    let (stop, registration) = AbortHandle::new_pair();
    let work = Abortable::new(work, registration);
    let ours = token.is_none();
    if ours && !shared.client().creates_progress {
        return work.await.map_err(|_| Stopped);
    }
    let token = token.unwrap_or_else(|| json!(format!("tandem-{}", shared.next_id())));
    shared.stoppable.add(&token, stop);
    let (over, until_over) = oneshot::channel::<()>();
    let bar = Bar { shared: Arc::clone(shared), token: token.clone(), title, ours };
    tokio::spawn(bar.show(until_over));
    // Ends with this future, also if that is dropped.
    let _over = over;
    let _registered = Registered { shared, token };
    work.await.map_err(|_| Stopped)
}

/// A work was stopped by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stopped;

struct Registered<'a> {
    shared: &'a Shared,
    token: Value,
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.shared.stoppable.remove(&self.token);
    }
}

struct Bar {
    shared: Arc<Shared>,
    token: Value,
    title: String,
    /// Whether the token is ours, so that the editor has to be told of it first.
    ours: bool,
}

impl Bar {
    async fn show(self, mut over: oneshot::Receiver<()>) {
        let is_over = tokio::time::timeout(SHOWN_AFTER, &mut over).await.is_ok();
        if is_over {
            return;
        }
        let editor = &self.shared.editor;
        if self.ours && !editor.create_progress(self.token.clone()).await {
            return;
        }
        let started = tokio::time::Instant::now();
        let title = printable(&self.title);
        editor.progress(&self.token, json!({ "kind": "begin", "title": title, "cancellable": true })).await;
        while tokio::time::timeout(TICK, &mut over).await.is_err() {
            let seconds = (started.elapsed() + SHOWN_AFTER).as_secs();
            editor
                .progress(&self.token, json!({ "kind": "report", "message": format!("{seconds} s") }))
                .await;
        }
        editor.progress(&self.token, json!({ "kind": "end" })).await;
    }
}
