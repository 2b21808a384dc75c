//! The usage of a process by day: counted by all its sessions, and written to the day's file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::Tally;
use super::day::{DayFiles, DayUsage, today};
use crate::lock::Mutex;

/// Delay from a count to the write of the day's file, which then includes everything counted
/// meanwhile.
const WRITE_AFTER: Duration = Duration::from_secs(2);
/// How long a process waits at its end for the usage of its last requests, which servers name after the text.
const FINISH_WITHIN: Duration = Duration::from_secs(1);

/// The counts of this process, for [`finish`].
static COUNTS: Mutex<Vec<Weak<DayCount>>> = Mutex::new(Vec::new());

/// Counts what is still running, and writes what is not yet written; for the end of a process.
///
/// A count is also written when it is dropped, but the tasks that hold it may outlive the process's last statement.
pub async fn finish() {
    let counts = std::mem::take(&mut *COUNTS.lock());
    for count in counts.iter().filter_map(Weak::upgrade) {
        if timeout(FINISH_WITHIN, count.settled()).await.is_err() {
            tracing::warn!("the usage of the last requests is not known yet, and is not counted");
        }
        if spawn_blocking(move || count.flush_unwritten()).await.is_err() {
            tracing::warn!("what was spent today was not written down: the writer failed");
        }
    }
}

/// The usage of a process by day.
#[derive(Debug)]
pub(super) struct DayCount {
    counts: Mutex<DayCounts>,
    files: Option<DayFiles>,
    /// Whether a write is already scheduled.
    writing: AtomicBool,
    /// Notified when a reservation ends.
    released: Notify,
}

#[derive(Debug, Default)]
struct DayCounts {
    /// The usage of this process by day. A clock that is set back leads to a day once more.
    own: BTreeMap<u64, DayUsage>,
    /// The days whose usage is not yet written.
    unwritten: BTreeSet<u64>,
    /// A day, and the usage of the other processes on it as last read.
    others: (u64, Tally),
    /// The jobs of running requests and what these may take, by their numbers.
    reserved: BTreeMap<u64, (&'static str, Tally)>,
    last_reserved: u64,
}

impl DayCount {
    pub(super) fn new(files: Option<DayFiles>) -> Arc<Self> {
        let day = today();
        let others = (day, files.as_ref().map_or_else(Tally::default, |files| files.others(day)));
        let counts = DayCounts { others, ..DayCounts::default() };
        let count = Self {
            counts: Mutex::new(counts),
            files,
            writing: AtomicBool::default(),
            released: Notify::new(),
        };
        let count = Arc::new(count);
        let mut all = COUNTS.lock();
        all.retain(|it| it.strong_count() > 0);
        all.push(Arc::downgrade(&count));
        count
    }

    /// DayCounts for a job and a model, if they are known.
    pub(super) fn count(self: &Arc<Self>, part: Option<(&'static str, &str)>, tally: &Tally) {
        {
            let mut counts = self.counts.lock();
            let day = today();
            counts.own.entry(day).or_default().add(part, tally);
            counts.unwritten.insert(day);
        }
        self.write_soon();
    }

    /// The usage of today.
    pub(super) fn today(&self) -> Tally {
        self.with_reserved().0
    }

    /// The usage of today, and what running requests may take.
    pub(super) fn with_reserved(&self) -> (Tally, Tally) {
        let counts = self.counts.lock();
        let (day, mut sum, mut running) = (today(), Tally::default(), Tally::default());
        let own = counts.own.get(&day).map(|it| &it.sum);
        // An older day's count is not part of today's, even if nothing was counted since.
        let others = (counts.others.0 == day).then_some(&counts.others.1);
        own.into_iter().chain(others).for_each(|it| sum.add(it));
        counts.reserved.values().for_each(|(_, it)| running.add(it));
        (sum, running)
    }

    /// Reserves the tally of a request with as much output as the job's answers have taken today. Returns its number.
    pub(super) fn reserve(
        &self,
        job: &'static str,
        most: u64,
        tally: impl FnOnce(u64) -> Tally,
    ) -> (u64, Tally) {
        let mut counts = self.counts.lock();
        let models = counts.own.get(&today()).and_then(|it| it.jobs.get(job));
        let sum = |part: fn(&Tally) -> u64| models.into_iter().flatten().map(|(_, it)| part(it)).sum::<u64>();
        // Those that run have no output yet.
        let running = counts.reserved.values().filter(|(it, _)| *it == job).count();
        let answered = sum(|it| it.requests).saturating_sub(running as u64).max(1);
        let usual = Some(sum(|it| it.output_tokens).div_ceil(answered)).filter(|it| *it > 0);
        let tally = tally(usual.unwrap_or(most).min(most));
        counts.last_reserved += 1;
        let number = counts.last_reserved;
        counts.reserved.insert(number, (job, tally));
        (number, tally)
    }

    /// Ends a reservation.
    pub(super) fn release(&self, number: u64) {
        self.counts.lock().reserved.remove(&number);
        self.released.notify_one();
    }

    /// Waits until no request is running.
    async fn settled(&self) {
        while !self.counts.lock().reserved.is_empty() {
            self.released.notified().await;
        }
    }

    fn flush_unwritten(&self) {
        if !self.counts.lock().unwritten.is_empty() {
            self.flush();
        }
    }

    /// Writes what is not written yet, and reads what other processes have spent today. Blocks on the disk.
    pub(super) fn flush(&self) {
        let Some(files) = &self.files else { return };
        let (day, due) = (today(), {
            let counts = &mut *self.counts.lock();
            let days = std::mem::take(&mut counts.unwritten);
            days.into_iter().filter_map(|day| Some((day, counts.own.get(&day)?.clone()))).collect::<Vec<_>>()
        });
        for (day, usage) in due {
            if let Err(error) = files.write(day, &usage) {
                tracing::warn!(%error, "what was spent on a day cannot be written down");
                self.counts.lock().unwritten.insert(day);
            }
        }
        let others = files.others(day);
        self.counts.lock().others = (day, others);
    }

    /// Off the hot path, and at most once per interval.
    fn write_soon(self: &Arc<Self>) {
        if self.files.is_none() || self.writing.swap(true, Ordering::Relaxed) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            self.writing.store(false, Ordering::Relaxed);
            return;
        };
        let day = Arc::downgrade(self);
        runtime.spawn(async move {
            tokio::time::sleep(WRITE_AFTER).await;
            let Some(day) = day.upgrade() else { return };
            day.writing.store(false, Ordering::Relaxed);
            if spawn_blocking(move || day.flush()).await.is_err() {
                tracing::warn!("what was spent today was not written down: the writer failed");
            }
        });
    }
}

impl Drop for DayCount {
    fn drop(&mut self) {
        self.flush_unwritten();
    }
}
