//! Runs the work of one request in a separate task.

use tokio::task::{AbortHandle, JoinError};
use tower_lsp::jsonrpc::{Error, Result};

use crate::budget::Budget;
use crate::disk::computing;

/// Aborts its task, if any, when dropped, so that a cancelled request leaves nothing running.
struct AbortOnDrop(Option<AbortHandle>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// Runs `work` in a task that is aborted with this future.
///
/// A panic in it becomes an error answer, and the server continues.
pub(super) async fn run<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T> {
    let task = tokio::spawn(work);
    let _abort = AbortOnDrop(Some(task.abort_handle()));
    task.await.map_err(|error| failed(&error))
}

/// Runs slow `work` (a parse, a diff) that does not wait for the disk on the blocking pool.
///
/// It ends soon after this future is dropped.
pub(super) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    run(async move {
        let budget = Budget::default();
        let _cancel = budget.cancel_on_drop();
        match tokio::task::spawn_blocking(move || computing(|| budget.run(work))).await {
            Ok(done) => done.map_err(|_| Error::request_cancelled()),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    })
    .await?
}

/// Starts `work` whose first result answers a request.
///
/// Until then it is aborted with the request; afterwards it continues. Returns the first value that `work` sent
/// to `known`; `None` if `work` ended without sending one.
pub(super) async fn until_known<T, F>(work: F, known: tokio::sync::oneshot::Receiver<T>) -> Result<Option<T>>
where
    F: Future<Output = ()> + Send + 'static,
{
    let task = tokio::spawn(work);
    let mut abort = AbortOnDrop(Some(task.abort_handle()));
    let first = known.await;
    abort.0 = None;
    match first {
        Ok(first) => Ok(Some(first)),
        Err(_) => task.await.map(|()| None).map_err(|error| failed(&error)),
    }
}

fn failed(error: &JoinError) -> Error {
    tracing::error!(%error, "a request's work failed");
    let mut answer = Error::internal_error();
    answer.message = "the server failed to answer this request; see its log".into();
    answer
}
