//! Threads that wait for disks, so that nothing else has to.

use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Threads at most. A thread ends when there is nothing to read.
const MOST_THREADS: usize = 64;

/// The disk does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its disk does not answer")]
pub struct Stuck;

/// Runs what reads files, each in the lane of its folder.
///
/// Cheap to clone; clones share the threads.
///
/// A lane has one thread at most, so however much is asked of a disk that does not answer, it holds one
/// thread for each folder, and what is in other folders is read by other threads. Once a caller has [given
/// up](Self::give_up) on a lane, that lane and all below it take no work until the disk is back.
#[derive(Clone, Default)]
pub struct Readers(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    waiting: VecDeque<(PathBuf, Work)>,
    /// The lanes that have a thread.
    busy: HashSet<PathBuf>,
    /// Those of them that a caller gave up on.
    stuck: HashSet<PathBuf>,
    threads: usize,
}

type Work = Box<dyn FnOnce() + Send>;

impl State {
    /// The first work whose lane is free.
    fn take(&mut self) -> Option<(PathBuf, Work)> {
        let at = self.waiting.iter().position(|(lane, _)| !self.busy.contains(lane))?;
        let (lane, work) = self.waiting.remove(at)?;
        self.busy.insert(lane.clone());
        Some((lane, work))
    }
}

impl Readers {
    /// Has `work` done in the lane of a folder.
    ///
    /// # Errors
    ///
    /// [`Stuck`] if the lane, or one of a folder above, is given up, or there is no thread to be had.
    pub fn start(&self, lane: &Path, work: impl FnOnce() + Send + 'static) -> Result<(), Stuck> {
        let mut state = self.lock();
        if lane.ancestors().any(|it| state.stuck.contains(it)) {
            return Err(Stuck);
        }
        state.waiting.push_back((lane.to_owned(), Box::new(work)));
        if state.threads >= MOST_THREADS || state.busy.contains(lane) {
            // A thread takes it when it is done with what it has.
            return Ok(());
        }
        state.threads += 1;
        let readers = self.clone();
        let started = std::thread::Builder::new().name("reader".to_owned()).spawn(move || readers.work());
        if let Err(error) = started {
            tracing::error!(%error, "no thread to read with");
            state.threads -= 1;
            if state.threads == 0 {
                state.waiting.pop_back();
                return Err(Stuck);
            }
        }
        Ok(())
    }

    /// Does `work` in the lane of a folder and waits for it, for so long at most.
    ///
    /// # Errors
    ///
    /// [`Stuck`] if it took longer, or the lane is given up already.
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
        let mut state = self.lock();
        if state.busy.contains(lane) {
            state.stuck.insert(lane.to_owned());
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
            state.busy.remove(&lane);
            state.stuck.remove(&lane);
        }
        state.threads -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let wait = move || _ = released.recv();
        assert_eq!(readers.within(Path::new(lane), SHORT, wait), Err(Stuck));
        (readers, release)
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
}
