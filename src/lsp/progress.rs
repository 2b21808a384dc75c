//! Progress bars for operations that the user requested.
//!
//! LSP 3.18, "Work Done Progress". A bar appears if the operation takes long, and lets the user cancel it.

use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use super::cancel::Cancellable;
use super::capabilities::NegotiatedClient;
use super::editor::Editor;
use super::suggestion_ids::SuggestionIds;
use crate::lsp::limits::{PROGRESS_DELAY, PROGRESS_INTERVAL};
use crate::text::printable;

/// Shows progress bars in the editor.
#[derive(Debug, Clone)]
pub(super) struct ProgressBars {
    pub(super) editor: Editor,
    pub(super) client: NegotiatedClient,
    pub(super) cancellable: Cancellable,
    pub(super) ids: SuggestionIds,
}

/// The user cancelled an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cancelled;

impl ProgressBars {
    /// Runs an operation and shows it under `title` if it takes long.
    ///
    /// `token` is the token of the request, if it has one.
    pub(super) fn watch<'a, T: 'a>(
        &'a self,
        title: String,
        token: Option<Value>,
        operation: impl Future<Output = T> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, Cancelled>> {
        self.watch_with_status(title, token, None, operation)
    }

    /// As [`ProgressBars::watch`], with the operation's latest status message, if any.
    pub(super) fn watch_with_status<'a, T: 'a>(
        &'a self,
        title: String,
        token: Option<Value>,
        status: Option<watch::Receiver<String>>,
        operation: impl Future<Output = T> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, Cancelled>> {
        // An operation's future takes kilobytes. Each wrapping future would hold it twice, and would be copied
        // with each request that may run one.
        Box::pin(self.run(title, token, status, Box::pin(operation)))
    }

    async fn run<T>(
        &self,
        title: String,
        token: Option<Value>,
        status: Option<watch::Receiver<String>>,
        operation: BoxFuture<'_, T>,
    ) -> Result<T, Cancelled> {
        let (cancel, registration) = AbortHandle::new_pair();
        let operation = Abortable::new(operation, registration);
        let is_ours = token.is_none();
        if is_ours && !self.client.get().creates_progress {
            return operation.await.map_err(|_| Cancelled);
        }
        let token = token.unwrap_or_else(|| json!(format!("tandem-{}", self.ids.next())));
        let _registered = self.cancellable.register(&token, cancel);
        // Dropped with this future, which ends the bar.
        let (_end, ended) = oneshot::channel::<()>();
        let bar = Bar { editor: self.editor.clone(), token, title, status, is_ours };
        tokio::spawn(bar.show(ended));
        operation.await.map_err(|_| Cancelled)
    }
}

struct Bar {
    editor: Editor,
    token: Value,
    title: String,
    /// The latest status message of the operation.
    status: Option<watch::Receiver<String>>,
    /// Whether the server made the token, so that the editor has to create it first.
    is_ours: bool,
}

impl Bar {
    async fn show(self, mut ended: oneshot::Receiver<()>) {
        if tokio::time::timeout(PROGRESS_DELAY, &mut ended).await.is_ok() {
            return;
        }
        let editor = &self.editor;
        if self.is_ours && !editor.create_progress(self.token.clone()).await {
            return;
        }
        let started = tokio::time::Instant::now();
        let title = printable(&self.title);
        editor.progress(&self.token, json!({ "kind": "begin", "title": title, "cancellable": true })).await;
        while tokio::time::timeout(PROGRESS_INTERVAL, &mut ended).await.is_err() {
            let seconds = (started.elapsed() + PROGRESS_DELAY).as_secs();
            let status = self
                .status
                .as_ref()
                .map(|status| status.borrow().clone())
                .filter(|status| !status.is_empty());
            let message = match status {
                Some(status) => format!("{}, {seconds} s", printable(&status)),
                None => format!("{seconds} s"),
            };
            editor.progress(&self.token, json!({ "kind": "report", "message": message })).await;
        }
        editor.progress(&self.token, json!({ "kind": "end" })).await;
    }
}
