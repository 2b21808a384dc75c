//! A thread for what is made ahead and kept: the trees of files, and what is learned of them.
//!
//! Allocators give each thread a heap of its own. What such work makes is kept for long, and what it needs on the
//! way is freed at once. On the blocking pool, whose threads take turns, each heap grew to what the largest work
//! needs, with what is kept strewn over it: with 50 files of 1,000 lines open the pool's three heaps took 26 MB,
//! of which 13 were in use.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

type Work = Box<dyn FnOnce() + Send>;

/// The thread, once there was work for it.
static THREAD: Mutex<Option<Sender<Work>>> = Mutex::new(None);
/// Works are handed over one at a time, so that no more than one thread of the pool waits for them.
static TURN: Semaphore = Semaphore::const_new(1);

/// Does work on the background thread, after what came before.
///
/// A thread of the runtime's pool waits for it, since a runtime knows of no other threads: a test's clock that
/// stands still while there is work would go on.
///
/// # Errors
///
/// The work panicked, or the runtime has ended.
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
    // It is never closed.
    let _turn = TURN.acquire().await.ok();
    spawn_blocking(move || hand_over(work)).await
}

/// Does work in the background that nothing waits for. Must be called inside a runtime.
pub fn spawn(work: impl FnOnce() + Send + 'static) {
    tokio::spawn(async move {
        if let Err(error) = run(work).await {
            tracing::error!(%error, "work in the background failed");
        }
    });
}

/// Has the background thread do work, and waits for it.
fn hand_over<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = sync_channel(1);
    // It is always received.
    send(Box::new(move || drop(done.send(catch_unwind(AssertUnwindSafe(work))))));
    match result.recv() {
        Ok(Ok(made)) => made,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(lost) => resume_unwind(Box::new(lost.to_string())),
    }
}

/// Hands work to the thread, or does it where none can be started.
fn send(work: Work) {
    let mut thread = THREAD.lock().unwrap_or_else(PoisonError::into_inner);
    if thread.is_none() {
        let (sender, works) = channel::<Work>();
        let serve = move || works.into_iter().for_each(|work| work());
        match thread::Builder::new().name("background".to_owned()).spawn(serve) {
            Ok(_) => *thread = Some(sender),
            Err(error) => tracing::error!(%error, "no thread for work in the background"),
        }
    }
    let refused = match &*thread {
        Some(sender) => sender.send(work).err().map(|it| it.0),
        None => Some(work),
    };
    drop(thread);
    if let Some(work) = refused {
        work();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[tokio::test]
    async fn works_run_one_after_the_other_on_one_thread() {
        let works = (0..20).map(|_| tokio::spawn(run(|| thread::current().id())));
        let mut threads = HashSet::new();
        for work in works.collect::<Vec<_>>() {
            threads.insert(work.await.unwrap().unwrap());
        }
        assert_eq!(threads.len(), 1);
        assert!(!threads.contains(&thread::current().id()));
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error_and_the_next_one_runs() {
        assert!(run(|| panic!("on purpose")).await.is_err_and(|error| error.is_panic()));
        assert_eq!(run(|| 7).await.unwrap(), 7);
    }
}
