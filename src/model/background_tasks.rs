//! Background tasks of the process that have something left to do at its end.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::lock::Mutex;

/// Tasks that run until their signal ends them.
pub(super) struct BackgroundTasks(Mutex<Vec<(Arc<Notify>, JoinHandle<()>)>>);

impl BackgroundTasks {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Adds a task with the signal that ends it, and forgets those that have ended by themselves.
    pub(super) fn push(&self, end: Arc<Notify>, task: JoinHandle<()>) {
        let mut tasks = self.0.lock();
        tasks.retain(|(_, task)| !task.is_finished());
        tasks.push((end, task));
    }

    /// Ends all tasks, and returns whether they did so in time.
    pub(super) async fn finish(&self, within: Duration) -> bool {
        let tasks = std::mem::take(&mut *self.0.lock());
        tasks.iter().for_each(|(end, _)| end.notify_one());
        timeout(within, join_all(tasks.into_iter().map(|(_, task)| task))).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tasks_that_have_ended_are_forgotten() {
        let tasks = BackgroundTasks::new();
        for _ in 0..3 {
            let task = tokio::spawn(async {});
            while !task.is_finished() {
                tokio::task::yield_now().await;
            }
            tasks.push(Arc::default(), task);
        }
        assert_eq!(tasks.0.lock().len(), 1);
    }

    #[tokio::test]
    async fn tasks_end_at_their_signal_or_are_late() {
        let (tasks, end) = (BackgroundTasks::new(), Arc::new(Notify::new()));
        let told = Arc::clone(&end);
        tasks.push(end, tokio::spawn(async move { told.notified().await }));
        assert!(tasks.finish(Duration::from_secs(60)).await);
        tasks.push(Arc::default(), tokio::spawn(std::future::pending()));
        assert!(!tasks.finish(Duration::from_millis(1)).await);
    }
}
