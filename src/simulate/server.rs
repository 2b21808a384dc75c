//! The state and the options that all connections of a simulator share.

use std::{
    fs::File,
    io::Write as _,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{
    bill::Rates,
    fault::Fault,
    prompt_cache::PromptCache,
    request::{Create, Refusal},
    script::{ActiveScript, Script},
    stats::Stats,
};
use crate::lock::Mutex;

/// The model that `GET …/models` always lists; requests may name any.
pub const MODEL: &str = "tandem-simulator";

/// The model that serves if a fault substitutes the requested one.
pub const ANOTHER_MODEL: &str = "another-model";

/// The options of a server.
pub struct Options {
    /// The address to listen on; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Whether addresses that other machines can reach are allowed.
    pub allow_remote: bool,
    /// Time from a request to its first token.
    pub ttft: Duration,
    /// Output tokens per second after the first; 0 means as fast as possible.
    pub tokens_per_second: u32,
    /// Input tokens read per second; 0 means as fast as possible.
    ///
    /// With any other value the server behaves like llama.cpp with a small model on a small machine: it serves one
    /// request at a time, caches the newest prompt exactly, reports its timings, and does not support
    /// fill-in-the-middle.
    pub reads_per_second: u32,
    /// Whether only prefixes that end at a breakpoint are cached, as with newer models.
    ///
    /// The service sets one at the end of each prompt unless the request says otherwise.
    pub breakpoints: bool,
    /// The token prices.
    pub rates: Rates,
    /// Prepared replies.
    pub script: Script,
    /// The faults of every connection and reply.
    pub faults: Vec<Fault>,
    /// Additional models that `GET …/models` lists.
    pub models: Vec<String>,
    /// The end of life of all listed models (`shutdown_date` in the list).
    pub ends_at: Option<SystemTime>,
    /// Models that no longer exist: requests for them get 400.
    pub retired: Vec<String>,
    /// The model that every response names, regardless of the requested one.
    pub serve_as: Option<String>,
    /// A socket older than this answers every request with
    /// `websocket_connection_limit_reached`; the real service does so after 60 minutes.
    pub connection_life: Option<Duration>,
    /// The key that clients must send; without it they get 401.
    pub api_key: Option<String>,
    /// A file to which every text frame that asks for an answer is appended, one per line.
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

/// The state that all connections share.
pub(super) struct Server {
    pub(super) options: Options,
    pub(super) script: ActiveScript,
    pub(super) faults: Mutex<Vec<Fault>>,
    pub(super) stats: Stats,
    pub(super) cache: Mutex<PromptCache>,
    pub(super) record: Option<Mutex<File>>,
    pub(super) started: SystemTime,
    pub(super) ids: AtomicU64,
    /// Held by the request that is being served if requests are served one at a time.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl Server {
    /// Whether the server behaves like llama.cpp with a small model.
    pub(super) fn emulates_llama_cpp(&self) -> bool {
        self.options.reads_per_second > 0
    }

    /// Accepts a request unless its model is retired.
    pub(super) fn admit(&self, create: Create) -> Result<Create, Refusal> {
        if !self.options.retired.contains(&create.model) {
            return Ok(create);
        }
        let message = format!("The model '{}' does not exist or you do not have access to it.", create.model);
        Err(Refusal::new("model_not_found", message, "model"))
    }

    /// Returns a new identifier. It contains the server's start time, so that identifiers from before a restart are
    /// not mistaken for new ones.
    pub(super) fn next_id(&self, kind: &str) -> String {
        let started = self.started.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos();
        format!("{kind}_{started:x}{:06x}", self.ids.fetch_add(1, Relaxed))
    }

    /// Whether the server currently has this fault.
    pub(super) fn has_fault(&self, fault: Fault) -> bool {
        self.faults.lock().contains(&fault)
    }

    /// The current faults of the server.
    pub(super) fn faults(&self) -> Vec<Fault> {
        self.faults.lock().clone()
    }

    /// Appends a client's frame to the record file as one line.
    pub(super) fn record(&self, frame: &str) {
        let Some(record) = &self.record else { return };
        let line = if frame.contains(['\n', '\r']) {
            // Line breaks in JSON are white space; a frame that is not JSON is recorded as a JSON string.
            let value = serde_json::from_str(frame).unwrap_or_else(|_| serde_json::Value::from(frame));
            format!("{value}\n")
        } else {
            format!("{frame}\n")
        };
        // One unbuffered write per frame, so that readers always see whole lines.
        let written = record.lock().write_all(line.as_bytes());
        if let Err(error) = written {
            tracing::error!(%error, "the record cannot be written");
        }
    }
}
