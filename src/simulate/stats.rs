//! Counters of the server's work, for benchmarks and tests.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::Serialize;

/// The counters of a running server.
#[derive(Debug, Default)]
pub(super) struct Stats {
    pub(super) connections: AtomicU64,
    pub(super) connections_open: AtomicU64,
    pub(super) requests: AtomicU64,
    pub(super) responses_completed: AtomicU64,
    pub(super) responses_abandoned: AtomicU64,
    pub(super) bytes_received: AtomicU64,
    pub(super) input_tokens: AtomicU64,
    pub(super) cached_tokens: AtomicU64,
    pub(super) output_tokens_generated: AtomicU64,
    pub(super) output_tokens_delivered: AtomicU64,
    pub(super) cache_write_tokens: AtomicU64,
    pub(super) nanodollars: AtomicU64,
}

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

impl Stats {
    pub(super) fn snapshot(&self) -> StatsSnapshot {
        StatsSnapshot {
            connections: self.connections.load(Relaxed),
            connections_open: self.connections_open.load(Relaxed),
            requests: self.requests.load(Relaxed),
            responses_completed: self.responses_completed.load(Relaxed),
            responses_abandoned: self.responses_abandoned.load(Relaxed),
            bytes_received: self.bytes_received.load(Relaxed),
            input_tokens: self.input_tokens.load(Relaxed),
            cached_tokens: self.cached_tokens.load(Relaxed),
            output_tokens_generated: self.output_tokens_generated.load(Relaxed),
            output_tokens_delivered: self.output_tokens_delivered.load(Relaxed),
            cache_write_tokens: self.cache_write_tokens.load(Relaxed),
            nanodollars: self.nanodollars.load(Relaxed),
        }
    }

    /// Counts a connection, which is open until the returned guard is dropped.
    pub(super) fn connected(&self) -> Connected<'_> {
        self.connections.fetch_add(1, Relaxed);
        self.connections_open.fetch_add(1, Relaxed);
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
        self.stats.connections_open.fetch_sub(1, Relaxed);
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
        let counter =
            if self.completed { &self.stats.responses_completed } else { &self.stats.responses_abandoned };
        counter.fetch_add(1, Relaxed);
    }
}
