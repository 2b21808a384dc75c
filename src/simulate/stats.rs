//! Counters of the server's work, for benchmarks and tests.

use std::sync::MutexGuard;

use serde::Serialize;

use crate::lock::Mutex;

/// The counters at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StatsSnapshot {
    /// TCP connections accepted.
    pub connections: u64,
    /// TCP connections that are open.
    pub connections_open: u64,
    /// Requests received over sockets and HTTP, including refused ones, but not warm-ups (`generate: false`) over
    /// sockets.
    pub requests: u64,
    /// Answers that ran to their terminal event.
    pub responses_completed: u64,
    /// Answers whose client disconnected before the terminal event.
    pub responses_abandoned: u64,
    /// Bytes of requests received: text frames and bodies.
    pub bytes_received: u64,
    /// Input tokens of all requests, including cached ones.
    pub input_tokens: u64,
    /// Input tokens read from the prompt cache.
    pub cached_tokens: u64,
    /// Output tokens generated, whether delivered or not.
    pub output_tokens_generated: u64,
    /// Output tokens handed to the network.
    pub output_tokens_delivered: u64,
    /// Input tokens written to the prompt cache.
    pub cache_write_tokens: u64,
    /// The cost of all finished responses, in billionths of a US dollar.
    pub nanodollars: u64,
}

/// The counters of a running server.
#[derive(Debug, Default)]
pub(super) struct Stats(Mutex<StatsSnapshot>);

impl Stats {
    pub(super) fn counters(&self) -> MutexGuard<'_, StatsSnapshot> {
        self.0.lock()
    }

    /// Counts a connection, which is open until the returned guard is dropped.
    pub(super) fn connected(&self) -> Connected<'_> {
        let mut counters = self.counters();
        counters.connections += 1;
        counters.connections_open += 1;
        Connected { stats: self }
    }

    /// Tracks one response from its start; it counts as abandoned unless [`Running::complete`] is called.
    pub(super) fn run(&self) -> Running<'_> {
        Running { stats: self, completed: false }
    }
}

/// The guard of an open connection.
pub(super) struct Connected<'a> {
    stats: &'a Stats,
}

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        self.stats.counters().connections_open -= 1;
    }
}

/// The guard of a response in progress.
pub(super) struct Running<'a> {
    stats: &'a Stats,
    completed: bool,
}

impl Running<'_> {
    pub(super) fn complete(mut self) {
        self.completed = true;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut counters = self.stats.counters();
        match self.completed {
            true => counters.responses_completed += 1,
            false => counters.responses_abandoned += 1,
        }
    }
}
