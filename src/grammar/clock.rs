//! How long this thread has worked.

use std::time::Duration;

/// A moment of the thread's own time, so that what else the machine does makes no text too slow to be parsed.
///
/// Elsewhere than on Unix, what the thread waited counts, too.
#[cfg(unix)]
pub(super) struct Clock(Duration);

#[cfg(not(unix))]
pub(super) struct Clock(std::time::Instant);

#[cfg(unix)]
impl Clock {
    pub(super) fn now() -> Self {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        // It counts up from zero.
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
