//! The numbers of suggestions, under which editors report the user's reactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Assigns numbers to suggestions of every kind, and to calls and progress bars.
#[derive(Debug, Clone)]
pub(super) struct SuggestionIds(Arc<AtomicU64>);

impl Default for SuggestionIds {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(1)))
    }
}

impl SuggestionIds {
    /// A number that has not been used before.
    pub(super) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// The number that comes next.
    pub(super) fn upcoming(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Leaves out all numbers below this one.
    pub(super) fn begin_at(&self, number: u64) {
        self.0.fetch_max(number, Ordering::Relaxed);
    }
}
