//! A thread for computed data that is kept for long: syntax trees and the indexes derived from them.
//!
//! Allocators give each thread its own heap. Such work keeps its results for long and frees its temporary data at
//! once. On the blocking pool, whose threads take turns, each heap grew to the peak of the largest work, with kept
//! data scattered over it: with 50 files of 1,000 lines open, the pool's three heaps took 26 MB, of which 13 were in
//! use.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::thread;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

use crate::disk::computing;
use crate::lock::Mutex;

type Work = Box<dyn FnOnce() + Send>;

/// The background thread of one server.
///
/// Cheap to clone; clones share the thread, which ends with the last of them.
#[derive(Clone, Debug)]
pub struct Background {
    /// The thread, once there has been work for it.
    thread: Arc<Mutex<Option<Sender<Work>>>>,
    /// Admits one work at a time, so that at most one thread of the blocking pool waits for a result.
    turn: Arc<Semaphore>,
}

impl Default for Background {
    fn default() -> Self {
        Self { thread: Arc::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Background {
    /// Runs work that does no disk I/O on the background thread, in order of submission.
    ///
    /// A thread of the blocking pool waits for the result: the runtime does not see other threads, and a test's
    /// paused clock would advance. Once handed over, the work is done even if this future is dropped.
    ///
    /// # Errors
    ///
    /// The work panicked, or the runtime has ended.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // The semaphore is never closed.
        let turn = Arc::clone(&self.turn).acquire_owned().await.ok();
        let this = self.clone();
        let wait = move || {
            let made = this.run_blocking(work);
            drop(turn);
            made
        };
        spawn_blocking(wait).await
    }

    /// Runs work in the background without waiting for it. Must be called inside a runtime.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        let this = self.clone();
        tokio::spawn(async move {
            if let Err(error) = this.run(work).await {
                tracing::error!(%error, "work in the background failed");
            }
        });
    }

    /// Runs work on the background thread and waits for its result. Blocks; needs no runtime.
    pub fn run_blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let (done, result) = sync_channel(1);
        // The receiver is alive until the result is sent.
        self.send(Box::new(move || drop(done.send(catch_unwind(AssertUnwindSafe(|| computing(work)))))));
        match result.recv() {
            Ok(Ok(made)) => made,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(lost) => resume_unwind(Box::new(lost.to_string())),
        }
    }

    /// Sends work to the thread, or runs it here if no thread can be started.
    fn send(&self, work: Work) {
        let mut thread = self.thread.lock();
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
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;
    use std::time::Duration;

    use futures_util::future::join_all;

    use super::*;

    #[tokio::test]
    async fn works_run_one_after_the_other_on_one_thread() {
        let (background, done) = (Background::default(), Arc::new(Mutex::new(Vec::new())));
        let works = (0..20).map(|number| {
            let done = Arc::clone(&done);
            background.run(move || done.lock().push((number, thread::current().id())))
        });
        join_all(works).await;
        let one = background.run(|| thread::current().id()).await.unwrap();
        assert_ne!(one, thread::current().id());
        let done = done.lock().clone();
        assert_eq!(done, (0..20).map(|number| (number, one)).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error_and_the_next_one_runs() {
        let background = Background::default();
        assert!(background.run(|| panic!("on purpose")).await.is_err_and(|error| error.is_panic()));
        assert_eq!(background.run(|| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn work_keeps_its_turn_when_its_waiter_is_gone() {
        let background = Background::default();
        let (begun, has_begun) = channel();
        let (go_on, waits): (Sender<()>, Receiver<()>) = channel();
        let mut first = Box::pin(background.run(move || {
            begun.send(()).unwrap();
            waits.recv().unwrap();
        }));
        // Polled until the work is handed over.
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut first).await.is_err());
        has_begun.recv().unwrap();
        drop(first);
        assert_eq!(background.turn.available_permits(), 0);
        go_on.send(()).unwrap();
        assert_eq!(background.run(|| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn thread_ends_with_its_last_handle() {
        struct Ends(Sender<()>);
        impl Drop for Ends {
            fn drop(&mut self) {
                self.0.send(()).unwrap();
            }
        }
        let (sender, has_ended) = channel();
        let background = Background::default();
        std::thread_local!(static ON_THREAD: std::cell::RefCell<Option<Ends>> = const { std::cell::RefCell::new(None) });
        background.run(move || ON_THREAD.set(Some(Ends(sender)))).await.unwrap();
        drop(background);
        has_ended.recv().unwrap();
    }
}
