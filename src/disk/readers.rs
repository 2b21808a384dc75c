//! Threads that wait for disks, so that nothing else has to.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::budget::{Budget, charge};

/// Threads at most. A thread ends when there is nothing to read.
const MOST_THREADS: usize = 64;
/// Works that wait in one lane at most: with more, its disk does not answer.
const MOST_WAITING: usize = 1_000;
/// How long work that is cancelled may take to end before its disk is taken for one that does not answer.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

/// The disk does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its disk does not answer")]
pub struct Stuck;

/// What the files of a workspace folder are read for. None of these waits for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The names in the folder's files.
    Index,
    /// What bears on a place of an open file.
    Related,
    /// A request of the user's.
    Request,
    /// What the next key may need, which is left out where it does not come soon.
    Aside,
}

impl Purpose {
    /// The lane for this purpose in a folder.
    ///
    /// A folder that is given up is so for all that lies below it, which no lane of a purpose is.
    pub fn lane(self, folder: &Path) -> PathBuf {
        folder.join(match self {
            Self::Index => "*index*",
            Self::Related => "*related*",
            Self::Request => "*request*",
            Self::Aside => "*aside*",
        })
    }
}

/// Runs what reads files, each in the lane of its folder.
///
/// Cheap to clone; clones share the threads.
///
/// A lane has one thread at most, so however much is asked of a disk that does not answer, it holds one
/// thread for each lane, and what is in other folders is read by other threads. Once a caller has [given
/// up](Self::give_up) on a lane, that lane and all below it take no work until the disk is back.
#[derive(Clone, Default)]
pub struct Readers(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    lanes: HashMap<PathBuf, Lane>,
    /// The lanes that have work and no thread.
    ready: VecDeque<PathBuf>,
    threads: usize,
}

#[derive(Default)]
struct Lane {
    waiting: VecDeque<Work>,
    /// Whether a thread works in it.
    is_busy: bool,
    /// From when on it takes no work, since a caller gave up on what that thread does.
    stuck_from: Option<Instant>,
}

impl Lane {
    fn is_stuck(&self) -> bool {
        self.stuck_from.is_some_and(|from| from <= Instant::now())
    }
}

type Work = Box<dyn FnOnce() + Send>;

impl State {
    /// The next work whose lane is free.
    fn take(&mut self) -> Option<(PathBuf, Work)> {
        let path = self.ready.pop_front()?;
        let lane = self.lanes.get_mut(&path)?;
        lane.is_busy = true;
        Some((path, lane.waiting.pop_front()?))
    }

    /// The work in a lane is done.
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
    /// Has `work` done in a lane.
    ///
    /// # Errors
    ///
    /// [`Stuck`] if the lane, or one of a folder above, is given up, too much waits in it, or there is no thread
    /// to be had.
    pub fn start(&self, lane: &Path, work: impl FnOnce() + Send + 'static) -> Result<(), Stuck> {
        let mut state = self.lock();
        if lane.ancestors().any(|it| state.lanes.get(it).is_some_and(Lane::is_stuck)) {
            return Err(Stuck);
        }
        let this = state.lanes.entry(lane.to_owned()).or_default();
        if this.waiting.len() >= MOST_WAITING {
            return Err(Stuck);
        }
        this.waiting.push_back(Box::new(work));
        if this.is_busy || this.waiting.len() > 1 {
            // A thread takes it when it is done with what it has.
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

    /// Does `work` in a lane and waits for it.
    ///
    /// Dropped before that, it cancels the work, and gives the lane up if that has not ended soon after.
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
        // Nothing waits for it if it was dropped meanwhile.
        self.start(lane, move || {
            begun.store(true, Ordering::Relaxed);
            let made = works.run(|| unless_cancelled(work));
            begun.store(false, Ordering::Relaxed);
            drop(made.map(|made| done.send(made)));
        })?;
        Ok(result.await.ok())
    }

    /// Does `work` in a lane and waits for it, for so long at most.
    ///
    /// Dropped before that, it cancels the work, and the lane is taken for as good as it was: whoever asks often
    /// asks for the next thing by then.
    ///
    /// # Errors
    ///
    /// [`Stuck`] if it took longer, or the lane is given up already, or the work panicked.
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
        // Nothing waits for it if it was dropped meanwhile.
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

    /// As [`Self::run_within`], and the thread that asks stands still meanwhile.
    ///
    /// # Errors
    ///
    /// As [`Self::run_within`].
    pub fn within<T: Send + 'static>(
        &self,
        lane: &Path,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stuck> {
        let (done, result) = sync_channel(1);
        // It fails if the wait has ended, and then the result is of no use.
        self.start(lane, move || drop(done.send(work())))?;
        result.recv_timeout(limit).map_err(|_| {
            self.give_up(lane);
            Stuck
        })
    }

    /// The work in a lane has taken too long: no more is taken until it is done.
    pub fn give_up(&self, lane: &Path) {
        self.give_up_after(lane, Duration::ZERO);
    }

    fn give_up_after(&self, lane: &Path, time: Duration) {
        if let Some(lane) = self.lock().lanes.get_mut(lane).filter(|lane| lane.is_busy && !lane.is_stuck()) {
            lane.stuck_from = Some(Instant::now() + time);
        }
    }

    fn work(&self) {
        let mut state = self.lock();
        while let Some((lane, work)) = state.take() {
            drop(state);
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                tracing::error!("a reader failed");
            }
            state = self.lock();
            state.end(lane);
        }
        state.threads -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A wait for work in a lane, which gives the lane up when it is dropped before its end.
struct Waits<'a> {
    readers: &'a Readers,
    lane: &'a Path,
    budget: Budget,
    /// Whether a thread works on it.
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

/// Does work, unless it was cancelled while it waited for its turn.
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

    /// Longer than any of this takes.
    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(1);

    /// Readers with a lane whose work does not end before the sender says so.
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

    /// Drops a wait for work once that has begun. The work ends when the sender says so.
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
        assert_eq!(readers.lock().threads, 1);
    }

    #[test]
    fn a_folder_that_is_back_is_read_again() {
        let (readers, release) = stuck("/work/hung");
        release.send(()).unwrap();
        while readers.lock().threads > 0 {
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
                _ = released.lock().unwrap().recv();
                done.send(()).unwrap();
            };
            readers.start(&PathBuf::from(format!("/{at}")), work).unwrap();
        }
        assert_eq!(readers.lock().threads, MOST_THREADS);
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
        while readers.lock().threads > 0 {
            std::thread::yield_now();
        }
        assert_eq!(readers.within(lane, LONG, || 7), Ok(7));
    }

    #[test]
    fn so_many_works_wait_in_one_lane_at_most() {
        let (readers, release) = stuck("/work/hung");
        readers.lock().lanes.get_mut(Path::new("/work/hung")).unwrap().stuck_from = None;
        let start = || readers.start(Path::new("/work/hung"), || {});
        // One waits already.
        assert_eq!((0..2 * MOST_WAITING).filter(|_| start().is_ok()).count(), MOST_WAITING - 1);
        assert_eq!(readers.within(Path::new("/work/other"), LONG, || 7), Ok(7));
        release.send(()).unwrap();
        while readers.lock().threads > 0 {
            std::thread::yield_now();
        }
        assert!(readers.lock().lanes.is_empty());
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
        assert!(!readers.lock().lanes[lane].is_stuck());
        assert_eq!(readers.run_within(lane, SHORT, || 7).await, Err(Stuck));
        assert!(readers.lock().lanes[lane].is_stuck());
        release.send(()).unwrap();
        while readers.lock().threads > 0 {
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
        // What comes next waits for its end, and is not refused.
        assert_eq!(readers.run(lane, || 7).await, Ok(Some(7)));
    }

    #[tokio::test]
    async fn a_lane_whose_cancelled_work_does_not_end_is_given_up() {
        let (readers, lane) = (Readers::default(), Path::new("/work"));
        let release = dropped(|work| readers.run(lane, work)).await;
        let stuck_from = readers.lock().lanes[lane].stuck_from.unwrap();
        assert!(stuck_from <= Instant::now() + CANCEL_TIMEOUT);
        let skipped = readers.run(lane, || panic!("it was cancelled before its turn"));
        assert!(timeout(SHORT, skipped).await.is_err());
        readers.lock().lanes.get_mut(lane).unwrap().stuck_from = Some(Instant::now());
        assert_eq!(readers.run(lane, || 7).await, Err(Stuck));
        release.send(()).unwrap();
        while readers.lock().threads > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(readers.run(lane, || 7).await, Ok(Some(7)));
    }
}
