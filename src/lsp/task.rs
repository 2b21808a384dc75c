//! Runs the work of one request in a separate task.

use tokio::task::{JoinError, JoinHandle};
use tower_lsp::jsonrpc::{Error, Result};

use crate::budget::Budget;
use crate::disk::computing;

/// Aborts its task when dropped, so that a cancelled request leaves nothing running.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs `work` in a task that is aborted with this future.
///
/// A panic in it becomes an error answer, and the server continues.
pub(super) async fn run<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T> {
    let mut task = AbortOnDrop(tokio::spawn(work));
    (&mut task.0).await.map_err(|error| failed(&error))
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
    let mut stop = StopUnlessDone { task: task.abort_handle(), done: false };
    let first = known.await;
    stop.done = true;
    match first {
        Ok(first) => Ok(Some(first)),
        Err(_) => task.await.map(|()| None).map_err(|error| failed(&error)),
    }
}

struct StopUnlessDone {
    task: tokio::task::AbortHandle,
    done: bool,
}

impl Drop for StopUnlessDone {
    fn drop(&mut self) {
        if !self.done {
            self.task.abort();
        }
    }
}

fn failed(error: &JoinError) -> Error {
    tracing::error!(%error, "a request's work failed");
    let mut answer = Error::internal_error();
    answer.message = "the server failed to answer this request; see its log".into();
    answer
}
