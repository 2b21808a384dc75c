//! Threads that block on disks, so that nothing else has to.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::budget::{Budget, charge};
use crate::lock::Mutex;

/// Maximum number of threads. A thread ends when its queue is empty.
const MOST_THREADS: usize = 64;
/// Maximum length of one lane's queue; beyond that its disk counts as stuck.
const MOST_WAITING: usize = 1_000;
/// Time in which cancelled work must end before its disk counts as stuck.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

/// The disk does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its disk does not answer")]
pub struct Stuck;

/// Why files of a workspace folder are read. No purpose waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The index of the names in the folder's files.
    Index,
    /// Context related to a position in an open file.
    Related,
    /// A request by the user.
    Request,
    /// Data for the next keystroke, which is left out if it does not arrive in time.
    Aside,
}

impl Purpose {
    /// The lane for this purpose in a folder.
    ///
    /// Giving up a folder also gives up every lane below it. A purpose's lane has none below it.
    pub fn lane(self, folder: &Path) -> PathBuf {
        folder.join(match self {
            Self::Index => "*index*",
            Self::Related => "*related*",
            Self::Request => "*request*",
            Self::Aside => "*aside*",
        })
    }
}

/// Runs blocking file work, each job in the lane of its folder.
///
/// Cheap to clone; clones share the threads.
///
/// A lane has at most one thread, so a disk that does not answer occupies one thread per lane, and other
/// folders are read by other threads. Once a caller has [given up](Self::give_up) on a lane, that lane and all
/// lanes below it reject work until the disk answers again.
#[derive(Clone, Default)]
pub struct Readers(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    lanes: HashMap<PathBuf, Lane>,
    /// Lanes with work but no thread.
    ready: VecDeque<PathBuf>,
    threads: usize,
}

#[derive(Default)]
struct Lane {
    waiting: VecDeque<Work>,
    /// Whether a thread is running work of this lane.
    is_busy: bool,
    /// When the lane starts to reject work because a caller gave up on its running work.
    stuck_from: Option<Instant>,
}

impl Lane {
    fn is_stuck(&self) -> bool {
        self.stuck_from.is_some_and(|from| from <= Instant::now())
    }
}

type Work = Box<dyn FnOnce() + Send>;

impl State {
    /// Takes the next work of a lane that is free.
    fn take(&mut self) -> Option<(PathBuf, Work)> {
        let path = self.ready.pop_front()?;
        let lane = self.lanes.get_mut(&path)?;
        lane.is_busy = true;
        Some((path, lane.waiting.pop_front()?))
    }

    /// Marks the running work of a lane as done.
    fn end(&mut self, path: PathBuf) {
        let Some(lane) = self.lanes.get_mut(&path) else { return };
        (lane.is_busy, lane.stuck_from) = (false, None);
        if lane.waiting.is_empty() {
            self.lanes.remove(&path);
        } else {
            self.ready.push_back(path);
        }
    }
}

impl Readers {
    /// Queues `work` in a lane.
    ///
    /// # Errors
    ///
    /// [`Stuck`] if the lane or one above it is given up, its queue is full, or no thread can be started.
    pub fn start(&self, lane: &Path, work: impl FnOnce() + Send + 'static) -> Result<(), Stuck> {
        let mut state = self.0.lock();
        if lane.ancestors().any(|it| state.lanes.get(it).is_some_and(Lane::is_stuck)) {
            return Err(Stuck);
        }
        let this = state.lanes.entry(lane.to_owned()).or_default();
        if this.waiting.len() >= MOST_WAITING {
            return Err(Stuck);
        }
        this.waiting.push_back(Box::new(work));
        if this.is_busy || this.waiting.len() > 1 {
            // The lane's thread takes it after its current work.
            return Ok(());
        }
        state.ready.push_back(lane.to_owned());
        if state.threads >= MOST_THREADS {
            return Ok(());
        }
        state.threads += 1;
        let readers = self.clone();
        let started = std::thread::Builder::new().name("reader".to_owned()).spawn(move || readers.work());
        if let Err(error) = started {
            tracing::error!(%error, "no thread to read with");
            state.threads -= 1;
            if state.threads == 0 {
                state.ready.pop_back();
                state.lanes.remove(lane);
                return Err(Stuck);
            }
        }
        Ok(())
    }

    /// Runs `work` in a lane and waits for the result.
    ///
    /// Dropping the future cancels the work, and gives the lane up if the work does not end soon after.
    ///
    /// Returns `None` if the work panicked.
    ///
    /// # Errors
    ///
    /// [`Stuck`] if the lane is given up.
    pub async fn run<T: Send + 'static>(
        &self,
        lane: &Path,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, Stuck> {
        let budget = Budget::default();
        let (done, result) = oneshot::channel();
        let (works, has_begun) = (budget.clone(), Arc::new(AtomicBool::new(false)));
        let begun = Arc::clone(&has_begun);
        let _waits = Waits { readers: self, lane, budget, has_begun };
        // The send fails if the future was dropped meanwhile.
        self.start(lane, move || {
            begun.store(true, Ordering::Relaxed);
            let made = works.run(|| unless_cancelled(work));
            begun.store(false, Ordering::Relaxed);
            drop(made.map(|made| done.send(made)));
        })?;
        Ok(result.await.ok())
    }

    /// Runs `work` in a lane and waits for the result, for at most `limit`.
    ///
    /// Dropping the future cancels the work but does not give the lane up: a caller that asks often has moved
    /// on to its next request by then.
    ///
    /// # Errors
    ///
    /// [`Stuck`] if the work took longer or panicked, or the lane was given up already.
    pub async fn run_within<T: Send + 'static>(
        &self,
        lane: &Path,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stuck> {
        let budget = Budget::default();
        let (done, result) = oneshot::channel();
        let works = budget.clone();
        let _cancel = budget.cancel_on_drop();
        // The send fails if the future was dropped meanwhile.
        let work = move || unless_cancelled(work);
        self.start(lane, move || drop(works.run(work).map(|made| done.send(made))))?;
        match timeout(limit, result).await {
            Ok(made) => made.map_err(|_| Stuck),
            Err(_) => {
                self.give_up(lane);
                Err(Stuck)
            }
        }
    }

    /// Like [`Self::run_within`], but blocks the calling thread.
    ///
    /// # Errors
    ///
    /// See [`Self::run_within`].
    pub fn within<T: Send + 'static>(
        &self,
        lane: &Path,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stuck> {
        let (done, result) = sync_channel(1);
        // The send fails if the wait has ended, and then the result is useless.
        self.start(lane, move || drop(done.send(work())))?;
        result.recv_timeout(limit).map_err(|_| {
            self.give_up(lane);
            Stuck
        })
    }

    /// Marks a lane as stuck: it rejects work until its running work is done.
    pub fn give_up(&self, lane: &Path) {
        self.give_up_after(lane, Duration::ZERO);
    }

    fn give_up_after(&self, lane: &Path, time: Duration) {
        if let Some(lane) = self.0.lock().lanes.get_mut(lane).filter(|lane| lane.is_busy && !lane.is_stuck())
        {
            lane.stuck_from = Some(Instant::now() + time);
        }
    }

    fn work(&self) {
        let mut state = self.0.lock();
        while let Some((lane, work)) = state.take() {
            drop(state);
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                tracing::error!("a reader failed");
            }
            state = self.0.lock();
            state.end(lane);
        }
        state.threads -= 1;
    }
}

/// A pending wait for work in a lane; gives the lane up if dropped before the end.
struct Waits<'a> {
    readers: &'a Readers,
    lane: &'a Path,
    budget: Budget,
    /// Whether a thread is running the work.
    has_begun: Arc<AtomicBool>,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.budget.cancel();
        if self.has_begun.load(Ordering::Relaxed) {
            self.readers.give_up_after(self.lane, CANCEL_TIMEOUT);
        }
    }
}

/// Runs `work`, unless it was cancelled while queued.
fn unless_cancelled<T>(work: impl FnOnce() -> T) -> T {
    charge(1);
    work()
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
