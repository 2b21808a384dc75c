//! The number of requests that wait for a call, and the time since the last one left.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long an unseen call continues without a waiting request.
///
/// The request after the next key may use its text. Neovim sends a request 200 ms after a key.
pub const GRACE: Duration = Duration::from_millis(300);
/// The value of [`WaiterCount::left`] while a request waits, or before the first request.
const NOT_LEFT: u64 = u64::MAX;

/// The requests that wait for one call.
///
/// Shared between the session and the requests without a lock, so that a request may end at any time, even
/// while the session is locked.
#[derive(Debug)]
pub struct WaiterCount {
    begun: Instant,
    /// How long the call continues without a waiting request.
    grace: Duration,
    waiting: AtomicUsize,
    /// When the last request left, in microseconds since `begun`.
    left: AtomicU64,
}

impl WaiterCount {
    pub(super) fn new(now: Instant, grace: Duration) -> Self {
        Self { begun: now, grace, waiting: AtomicUsize::new(0), left: AtomicU64::new(NOT_LEFT) }
    }

    /// Adds a waiting request.
    pub fn join(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.left.store(NOT_LEFT, Ordering::Relaxed);
    }

    /// Removes a waiting request.
    pub fn leave(&self, now: Instant) {
        if self.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
            let elapsed = now.saturating_duration_since(self.begun).as_micros();
            self.left.store(u64::try_from(elapsed).unwrap_or(NOT_LEFT - 1), Ordering::Relaxed);
        }
    }

    /// Whether no request waits and the last one left longer ago than the call's grace period.
    pub(super) fn is_lost(&self, now: Instant) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        let since_left = || now.saturating_duration_since(self.begun + Duration::from_micros(left));
        left != NOT_LEFT && self.waiting.load(Ordering::Relaxed) == 0 && since_left() > self.grace
    }
}
