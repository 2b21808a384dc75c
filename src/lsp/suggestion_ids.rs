//! The numbers of suggestions, by which editors report what the user did with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers suggestions of every kind, and calls and progress bars with them.
#[derive(Debug, Clone)]
pub(super) struct SuggestionIds(Arc<AtomicU64>);

impl Default for SuggestionIds {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(1)))
    }
}

impl SuggestionIds {
    /// A number that was not used before.
    pub(super) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}
