//! Counts and failures.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::io::{self, Write as _};
use std::time::Duration;

/// The number of failures that ends the run: later ones rarely add information.
const ENOUGH: usize = 20;

#[derive(Default)]
pub(crate) struct Report {
    seed: u64,
    counts: BTreeMap<String, u64>,
    latencies: BTreeMap<&'static str, Vec<Duration>>,
    pub(crate) passed: u64,
    failures: Vec<String>,
}

impl Report {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    pub(crate) fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, what: &str, number: usize) {
        *self.counts.entry(what.to_owned()).or_default() += number as u64;
    }

    pub(crate) fn took(&mut self, what: &'static str, time: Duration) {
        self.latencies.entry(what).or_default().push(time);
    }

    /// Counts a check; `what` is only called if it failed. Returns whether it passed.
    pub(crate) fn check<T: Display>(&mut self, passed: bool, what: impl FnOnce() -> T) -> bool {
        if passed {
            self.passed += 1;
        } else {
            self.fail(what());
        }
        passed
    }

    /// Records a failure and prints it.
    pub(crate) fn fail(&mut self, what: impl Display) {
        let failure = format!("seed {}: {what}", self.seed);
        // A failed write of progress does not stop the run; the failure is kept either way.
        drop(writeln!(io::stderr(), "FAILED {failure}"));
        self.failures.push(failure);
    }

    pub(crate) fn failed(&self) -> usize {
        self.failures.len()
    }

    pub(crate) fn is_enough(&self) -> bool {
        self.failures.len() >= ENOUGH
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, count) in &self.counts {
            writeln!(f, "{count:>9}  {what}")?;
        }
        for (what, times) in &self.latencies {
            let mut times = times.clone();
            times.sort_unstable();
            let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
            let (middle, slow) = (at(50), at(99));
            writeln!(f, "{what}: p50 {middle:.0} ms, p99 {slow:.0} ms of {}", times.len())?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failed())
    }
}
