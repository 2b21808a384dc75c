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
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Longer than any test takes.
    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(1);

    /// Readers with a lane whose work runs until the sender releases it.
    fn stuck(lane: &str) -> (Readers, Sender<()>) {
        let readers = Readers::default();
        let (release, released): (_, Receiver<()>) = channel();
        let (begun, has_begun) = channel();
        let wait = move || {
            begun.send(()).unwrap();
            _ = released.recv();
        };
        readers.start(Path::new(lane), wait).unwrap();
        has_begun.recv_timeout(LONG).unwrap();
        assert_eq!(readers.within(Path::new(lane), SHORT, || ()), Err(Stuck));
        (readers, release)
    }

    /// Drops a wait once its work has begun. The work runs until the sender releases it.
    async fn dropped<T>(wait: impl FnOnce(Work) -> T) -> Sender<()>
    where
        T: Future,
    {
        let (release, released) = channel::<()>();
        let (begun, has_begun) = oneshot::channel();
        let work = move || {
            begun.send(()).unwrap();
            _ = released.recv();
        };
        tokio::select! {
            _ = wait(Box::new(work)) => unreachable!(),
            begun = has_begun => begun.unwrap(),
        }
        release
    }

    #[test]
    fn a_stuck_folder_keeps_no_other_one() {
        let (readers, _release) = stuck("/work/hung");
        for lane in ["/work", "/work/other", "/elsewhere"] {
            assert_eq!(readers.within(Path::new(lane), LONG, || 7), Ok(7), "{lane}");
        }
    }

    #[test]
    fn what_is_in_or_below_a_stuck_folder_is_refused_at_once() {
        let (readers, _release) = stuck("/work/hung");
        for lane in ["/work/hung", "/work/hung/below"] {
            assert_eq!(readers.within(Path::new(lane), LONG, || 7), Err(Stuck), "{lane}");
        }
        assert_eq!(readers.0.lock().threads, 1);
    }

    #[test]
    fn a_folder_that_is_back_is_read_again() {
        let (readers, release) = stuck("/work/hung");
        release.send(()).unwrap();
        while readers.0.lock().threads > 0 {
            std::thread::yield_now();
        }
        assert_eq!(readers.within(Path::new("/work/hung"), LONG, || 7), Ok(7));
    }

    #[test]
    fn all_stuck_folders_together_take_no_more_threads_than_there_are() {
        let readers = Readers::default();
        let (release, released) = channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let (done, count) = channel();
        for at in 0..2 * MOST_THREADS {
            let (released, done) = (Arc::clone(&released), done.clone());
            let work = move || {
                _ = released.lock().recv();
                done.send(()).unwrap();
            };
            readers.start(&PathBuf::from(format!("/{at}")), work).unwrap();
        }
        assert_eq!(readers.0.lock().threads, MOST_THREADS);
        drop(release);
        for _ in 0..2 * MOST_THREADS {
            count.recv_timeout(LONG).unwrap();
        }
    }

    #[test]
    fn work_that_panics_gives_its_lane_back() {
        let readers = Readers::default();
        let lane = Path::new("/work");
        assert_eq!(readers.within(lane, LONG, || panic!("on purpose")), Err::<(), _>(Stuck));
        while readers.0.lock().threads > 0 {
            std::thread::yield_now();
        }
        assert_eq!(readers.within(lane, LONG, || 7), Ok(7));
    }

    #[test]
    fn so_many_works_wait_in_one_lane_at_most() {
        let (readers, release) = stuck("/work/hung");
        readers.0.lock().lanes.get_mut(Path::new("/work/hung")).unwrap().stuck_from = None;
        let start = || readers.start(Path::new("/work/hung"), || {});
        // One waits already.
        assert_eq!((0..2 * MOST_WAITING).filter(|_| start().is_ok()).count(), MOST_WAITING - 1);
        assert_eq!(readers.within(Path::new("/work/other"), LONG, || 7), Ok(7));
        release.send(()).unwrap();
        while readers.0.lock().threads > 0 {
            std::thread::yield_now();
        }
        assert!(readers.0.lock().lanes.is_empty());
    }

    #[test]
    fn purposes_of_a_folder_do_not_wait_for_each_other() {
        let hung = Purpose::Index.lane(Path::new("/work"));
        let (readers, _release) = stuck(hung.to_str().unwrap());
        for purpose in [Purpose::Related, Purpose::Request] {
            assert_eq!(readers.within(&purpose.lane(Path::new("/work")), LONG, || 7), Ok(7), "{purpose:?}");
        }
        assert_eq!(readers.within(&hung, LONG, || 7), Err(Stuck));
        assert_eq!(readers.within(&Purpose::Index.lane(Path::new("/other")), LONG, || 7), Ok(7));
    }

    #[tokio::test]
    async fn only_work_that_takes_too_long_gives_its_lane_up() {
        let (readers, lane) = (Readers::default(), Path::new("/work"));
        let release = dropped(|work| readers.run_within(lane, LONG, work)).await;
        assert!(!readers.0.lock().lanes[lane].is_stuck());
        assert_eq!(readers.run_within(lane, SHORT, || 7).await, Err(Stuck));
        assert!(readers.0.lock().lanes[lane].is_stuck());
        release.send(()).unwrap();
        while readers.0.lock().threads > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(readers.run_within(lane, LONG, || 7).await, Ok(7));
    }

    #[tokio::test]
    async fn a_wait_that_is_dropped_cancels_its_work() {
        let readers = Readers::default();
        let lane = Path::new("/work");
        assert_eq!(readers.run(lane, || 7).await, Ok(Some(7)));
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let endless = readers.run(lane, move || {
            begun.send(()).unwrap();
            loop {
                crate::budget::charge(1);
            }
        });
        tokio::select! {
            _ = endless => unreachable!(),
            begun = has_begun => begun.unwrap(),
        }
        // The next work waits for its end, and is not refused.
        assert_eq!(readers.run(lane, || 7).await, Ok(Some(7)));
    }

    #[tokio::test]
    async fn a_lane_whose_cancelled_work_does_not_end_is_given_up() {
        let (readers, lane) = (Readers::default(), Path::new("/work"));
        let release = dropped(|work| readers.run(lane, work)).await;
        let stuck_from = readers.0.lock().lanes[lane].stuck_from.unwrap();
        assert!(stuck_from <= Instant::now() + CANCEL_TIMEOUT);
        let skipped = readers.run(lane, || panic!("it was cancelled before its turn"));
        assert!(timeout(SHORT, skipped).await.is_err());
        readers.0.lock().lanes.get_mut(lane).unwrap().stuck_from = Some(Instant::now());
        assert_eq!(readers.run(lane, || 7).await, Err(Stuck));
        release.send(()).unwrap();
        while readers.0.lock().threads > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(readers.run(lane, || 7).await, Ok(Some(7)));
    }
}
