//! The cost of a process, read from `/proc`.
//!
//! Every reading is an error on systems other than Linux.

use std::collections::HashMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// The processor time of a process, to the nanosecond: the sum over its threads.
///
/// The kernel's own total has a resolution of a hundredth of a second. A thread that has ended keeps the time of the
/// last reading.
pub(crate) struct CpuClock {
    process: u32,
    threads: HashMap<String, Duration>,
}

impl CpuClock {
    pub(crate) fn new(process: u32) -> Self {
        Self { process, threads: HashMap::new() }
    }

    /// Processor time used since the process began.
    pub(crate) fn read(&mut self) -> Result<Duration> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process)).context("no /proc here")?;
        for task in tasks {
            let task = task?;
            // A thread may end between the listing and the reading.
            let Ok(schedule) = fs::read_to_string(task.path().join("schedstat")) else { continue };
            let running = schedule.split(' ').next().unwrap_or_default().parse().unwrap_or_default();
            self.threads
                .insert(task.file_name().to_string_lossy().into_owned(), Duration::from_nanos(running));
        }
        Ok(self.threads.values().sum())
    }

    /// Waits until the process has been idle for a quarter of a second, then reads.
    pub(crate) fn settle(&mut self) -> Result<Duration> {
        const STEP: Duration = Duration::from_millis(50);
        const NOISE: Duration = Duration::from_micros(300);
        let start = Instant::now();
        let (mut last, mut quiet) = (self.read()?, 0);
        while quiet < 5 {
            if start.elapsed() > Duration::from_secs(60) {
                bail!("the server is still busy after a minute");
            }
            thread::sleep(STEP);
            let now = self.read()?;
            quiet = if now.saturating_sub(last) > NOISE { 0 } else { quiet + 1 };
            last = now;
        }
        Ok(last)
    }
}

/// Memory in use, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    /// All resident pages.
    pub(crate) resident: u64,
    /// Anonymous pages: memory that the process allocated.
    pub(crate) private: u64,
    /// All pages, each shared page divided among the processes that share it.
    pub(crate) proportional: u64,
}

/// Reads the memory of a process.
pub(crate) fn memory(process: u32) -> Result<Memory> {
    Ok(Memory {
        resident: kilobytes(&format!("/proc/{process}/status"), "VmRSS:")? * 1024,
        private: kilobytes(&format!("/proc/{process}/status"), "RssAnon:")? * 1024,
        proportional: kilobytes(&format!("/proc/{process}/smaps_rollup"), "Pss:")? * 1024,
    })
}

fn kilobytes(path: &str, field: &str) -> Result<u64> {
    let file = fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    let line = file.lines().find_map(|line| line.strip_prefix(field));
    let line = line.with_context(|| format!("{path} has no {field}"))?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Processor time of the whole machine and of this process with its ended children, in clock ticks.
#[derive(Clone, Copy)]
pub(crate) struct Machine {
    busy: u64,
    all: u64,
    own: u64,
}

impl Machine {
    pub(crate) fn now() -> Result<Self> {
        let stat = fs::read_to_string("/proc/stat")?;
        let line =
            stat.lines().next().and_then(|line| line.strip_prefix("cpu ")).context("odd /proc/stat")?;
        // user, nice, system, idle, iowait, irq, softirq, steal; the guest times after them are in user.
        let ticks: Vec<u64> = line.split_whitespace().take(8).flat_map(str::parse).collect();
        let all = ticks.iter().sum();
        let idle: u64 = ticks.iter().skip(3).take(2).sum();
        let own = fs::read_to_string("/proc/self/stat")?;
        let own = own.rsplit_once(") ").context("odd /proc/self/stat")?.1;
        // Fields 14 to 17: own user and system time, then those of the children waited for.
        let own = own.split(' ').skip(11).take(4).flat_map(str::parse::<u64>).sum();
        Ok(Self { busy: all - idle, all, own })
    }

    /// The share of the machine (0 to 1) that other processes used since `before`.
    pub(crate) fn share_of_others(self, before: Self) -> f64 {
        let others = (self.busy - before.busy).saturating_sub(self.own.saturating_sub(before.own));
        others as f64 / (self.all - before.all).max(1) as f64
    }
}

/// The load averages in the format of the system.
pub(crate) fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
