//! The usage of a process by day: counted by all its sessions, and written to the day's file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Tally;
use super::day::{DayFiles, DayUsage, today};
use crate::lock::Mutex;

/// Delay from a count to the write of the day's file, which then includes everything counted
/// meanwhile.
const WRITE_AFTER: Duration = Duration::from_secs(2);

/// The usage of a process by day.
#[derive(Debug)]
pub(super) struct DayCount {
    counts: Mutex<DayCounts>,
    files: Option<DayFiles>,
    /// Whether a write is already scheduled.
    writing: AtomicBool,
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
    pub(super) fn new(files: Option<DayFiles>) -> Self {
        let day = today();
        let others = (day, files.as_ref().map_or_else(Tally::default, |files| files.others(day)));
        let counts = DayCounts { others, ..DayCounts::default() };
        Self { counts: Mutex::new(counts), files, writing: AtomicBool::new(false) }
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
            if tokio::task::spawn_blocking(move || day.flush()).await.is_err() {
                tracing::warn!("what was spent today was not written down: the writer failed");
            }
        });
    }
}

impl Drop for DayCount {
    fn drop(&mut self) {
        if !self.counts.lock().unwritten.is_empty() {
            self.flush();
        }
    }
}
