//! Work for one request, in a task of its own.

use tokio::task::JoinHandle;
use tower_lsp::jsonrpc::{Error, Result};

/// Aborts its task when dropped, so that a cancelled request leaves nothing running.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs `work` in a task that dies with this future. A panic in it becomes an error answer, and the server lives on.
pub(super) async fn run<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T> {
    let mut task = AbortOnDrop(tokio::spawn(work));
    (&mut task.0).await.map_err(|error| {
        tracing::error!(%error, "a request's work failed");
        let mut answer = Error::internal_error();
        answer.message = "the server failed at this request; its log says where".into();
        answer
    })
}

/// Runs blocking `work` (a parse, a diff) on the pool for it.
pub(super) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    run(async move {
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    })
    .await
}
