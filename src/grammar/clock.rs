//! CPU time of the current thread.

use std::time::Duration;

/// A point in the thread's CPU time, so that load on the machine does not make a parse time out.
///
/// On other systems than Unix this is wall time.
#[cfg(unix)]
pub(super) struct Clock(Duration);

#[cfg(not(unix))]
pub(super) struct Clock(std::time::Instant);

#[cfg(unix)]
impl Clock {
    pub(super) fn now() -> Self {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        // The clock starts at zero, so neither part is negative.
        let parts = (u64::try_from(now.tv_sec).unwrap_or(0), u32::try_from(now.tv_nsec).unwrap_or(0));
        Self(Duration::new(parts.0, parts.1))
    }

    pub(super) fn elapsed(&self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}

#[cfg(not(unix))]
impl Clock {
    pub(super) fn now() -> Self {
        Self(std::time::Instant::now())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
