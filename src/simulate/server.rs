//! What all connections of a simulator share.

use std::{
    fs::File,
    io::Write as _,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{
    bill::Rates,
    fault::Fault,
    request::{Create, Refusal},
    script::{Performance, Script},
    stats::Stats,
    tokens::PromptCache,
};

/// The model that `GET …/models` always lists; requests may name any.
pub const MODEL: &str = "tandem-simulator";

/// The model that serves, where a fault lets another one serve than was asked for.
pub const ANOTHER_MODEL: &str = "another-model";

/// How a server is to behave.
pub struct Options {
    /// The address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Allows addresses that other machines can reach.
    pub allow_remote: bool,
    /// Time from a request to its first token.
    pub ttft: Duration,
    /// Output tokens per second after the first; 0 means as fast as possible.
    pub tokens_per_second: u32,
    /// Input tokens that are read per second; 0 means as fast as possible.
    ///
    /// With a speed it is like a small model on a small machine, served by llama.cpp: it works on one request
    /// at a time, still has what it read last, need not read that again, reports its times, and cannot fill
    /// in the middle.
    pub reads_per_second: u32,
    /// Whether it caches as newer models do: only what ends at a breakpoint.
    ///
    /// The service sets one at the end of each prompt unless the request says otherwise.
    pub breakpoints: bool,
    /// What it bills.
    pub rates: Rates,
    /// Prepared replies.
    pub script: Script,
    /// What is to go wrong with every connection and reply.
    pub faults: Vec<Fault>,
    /// Further models that `GET …/models` lists.
    pub models: Vec<String>,
    /// When all listed models end, as the list says (`shutdown_date`).
    pub ends_at: Option<SystemTime>,
    /// Models that there are no more: requests for them get 400.
    pub retired: Vec<String>,
    /// The model that every response names, whatever was asked for.
    pub serve_as: Option<String>,
    /// A socket older than this answers every request with
    /// `websocket_connection_limit_reached`; the real service does so after 60 minutes.
    pub connection_life: Option<Duration>,
    /// The key that clients must bear; others get 401.
    pub api_key: Option<String>,
    /// A file that receives every text frame from clients that asks for an answer, one a line.
    pub record: Option<PathBuf>,
}

impl Default for Options {
    /// A free loopback port, as fast as possible, no script and no faults.
    fn default() -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            allow_remote: false,
            ttft: Duration::ZERO,
            tokens_per_second: 0,
            reads_per_second: 0,
            breakpoints: false,
            rates: Rates::default(),
            script: Script::default(),
            faults: Vec::new(),
            connection_life: None,
            models: Vec::new(),
            ends_at: None,
            retired: Vec::new(),
            serve_as: None,
            api_key: None,
            record: None,
        }
    }
}

/// What all connections share.
pub(super) struct Server {
    pub(super) options: Options,
    pub(super) script: Performance,
    pub(super) faults: Mutex<Vec<Fault>>,
    pub(super) stats: Stats,
    pub(super) cache: Mutex<PromptCache>,
    pub(super) record: Option<Mutex<File>>,
    pub(super) started: SystemTime,
    pub(super) ids: AtomicU64,
    /// Held by the request that a small machine works on.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl Server {
    /// Whether it is like llama.cpp with a small model.
    pub(super) fn is_small(&self) -> bool {
        self.options.reads_per_second > 0
    }

    /// Lets a request pass unless its model is one that there is no more.
    pub(super) fn admit(&self, create: Create) -> Result<Create, Refusal> {
        if !self.options.retired.contains(&create.model) {
            return Ok(create);
        }
        let message = format!("The model '{}' does not exist or you do not have access to it.", create.model);
        Err(Refusal::new("model_not_found", message, "model"))
    }

    /// A new identifier. It holds the start of the server, so that one from before a
    /// restart is not taken for new.
    pub(super) fn next_id(&self, kind: &str) -> String {
        let started = self.started.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos();
        format!("{kind}_{started:x}{:06x}", self.ids.fetch_add(1, Relaxed))
    }

    /// Whether something goes wrong in this way just now.
    pub(super) fn has_fault(&self, fault: Fault) -> bool {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).contains(&fault)
    }

    /// The ways in which something goes wrong just now.
    pub(super) fn faults(&self) -> Vec<Fault> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn cache(&self) -> MutexGuard<'_, PromptCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a client's frame to the record, as one line.
    pub(super) fn record(&self, frame: &str) {
        let Some(record) = &self.record else { return };
        let line = if frame.contains(['\n', '\r']) {
            // Line breaks in JSON are white space; what is not JSON is kept as a JSON string.
            let value = serde_json::from_str(frame).unwrap_or_else(|_| serde_json::Value::from(frame));
            format!("{value}\n")
        } else {
            format!("{frame}\n")
        };
        // One unbuffered write per frame: a reader always sees whole lines.
        let written = record.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        if let Err(error) = written {
            tracing::error!(%error, "the record cannot be written");
        }
    }
}
