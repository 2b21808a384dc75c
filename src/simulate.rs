//! A server that speaks the Responses protocol on this machine, with no model behind it.
//!
//! It serves demonstrations, tests and benchmarks: the transport from the editor to the model and back is the real one, at
//! a pace that can be set, with faults that can be ordered. What it says is not a model's work. A [`Script`] may
//! prepare replies; everything else is answered by a small embedded engine (`engine`), which reads this project's own
//! prompts, continues lines by analogy with the buffer, obeys `rename A to B`, and otherwise answers `NO_EDITS` or the
//! text unchanged.
//!
//! What it does of the protocol:
//!
//! * `GET …/responses` with an upgrade: a WebSocket with `response.create` frames, lanes (`stream_id`), warm-up
//!   (`generate: false`) and `previous_response_id`, which is good on its connection only, for the newest response of
//!   each lane. Nothing is stored, whatever `store` says.
//! * `POST …/responses`: server-sent events with `stream: true`, one object without.
//! * `POST …/chat/completions`, `…/completions` with a suffix, `…/fim/completions` and `…/infill`, streamed or whole, each
//!   in its own shape (`dialect`).
//! * `GET …/models`, and `GET …/simulator/stats` with counters.
//!
//! Usage figures are an estimate, see `tokens`. Requests are read as strictly as the real service reads them, and
//! answered with every field that strict clients require.

mod dialect;
mod engine;
mod event;
mod fault;
mod http;
mod pace;
mod request;
mod response;
mod script;
mod socket;
mod stats;
#[cfg(test)]
mod tests;
mod tokens;

use std::{
    fs::File,
    io::{self, Write as _},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::{
    net::TcpListener,
    task::{JoinHandle, JoinSet},
};

pub use self::{
    fault::{Fault, UnknownFault},
    script::{Script, ScriptError},
    stats::StatsSnapshot,
};
use self::{
    request::{Create, Refusal},
    script::Performance,
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
    /// Prepared replies.
    pub script: Script,
    /// What is to go wrong with every connection and reply.
    pub faults: Vec<Fault>,
    /// Further models that `GET …/models` lists.
    pub models: Vec<String>,
    /// Models that there are no more: requests for them get 400.
    pub retired: Vec<String>,
    /// The model that every response names, whatever was asked for.
    pub serve_as: Option<String>,
    /// A socket older than this answers every request with `websocket_connection_limit_reached`; the real service does
    /// so after 60 minutes.
    pub connection_life: Option<Duration>,
    /// The key that clients must bear; others get 401.
    pub api_key: Option<String>,
    /// A file that receives every text frame from clients, one a line.
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
            script: Script::default(),
            faults: Vec::new(),
            connection_life: None,
            models: Vec::new(),
            retired: Vec::new(),
            serve_as: None,
            api_key: None,
            record: None,
        }
    }
}

/// A running server. It stops, with all its connections, when dropped.
pub struct Simulator {
    address: SocketAddr,
    server: Arc<Server>,
    accepting: JoinHandle<()>,
}

/// Binds the address and serves it in a task of the current runtime.
///
/// # Errors
///
/// The address cannot be bound, or is not a loopback address and `allow_remote` is not set (kind
/// [`InvalidInput`](io::ErrorKind::InvalidInput)); the record file cannot be created.
pub async fn start(options: Options) -> io::Result<Simulator> {
    if !options.listen.ip().is_loopback() && !options.allow_remote {
        let message = format!(
            "{} can be reached from other machines, which must be allowed explicitly",
            options.listen
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let record = options.record.as_ref().map(File::create).transpose()?;
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;
    let mut options = options;
    let script = Performance::of(std::mem::take(&mut options.script));
    let faults = Mutex::new(std::mem::take(&mut options.faults));
    let server = Arc::new(Server {
        options,
        script,
        faults,
        stats: Stats::default(),
        cache: Mutex::default(),
        record: record.map(Mutex::new),
        started: SystemTime::now(),
        ids: AtomicU64::new(0),
    });
    let accepting = tokio::spawn(accept(Arc::clone(&server), listener));
    Ok(Simulator { address, server, accepting })
}

impl Simulator {
    /// The base URL for clients: `http://ADDRESS/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Ends the faults that the server was started with; what a script orders goes on.
    pub fn mend(&self) {
        self.set_faults(Vec::new());
    }

    /// Goes wrong in these ways from now on, and in no other.
    pub fn set_faults(&self, faults: Vec<Fault>) {
        *self.server.faults.lock().unwrap_or_else(PoisonError::into_inner) = faults;
    }

    /// The counters now.
    pub fn stats(&self) -> StatsSnapshot {
        self.server.stats.snapshot()
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What all connections share.
struct Server {
    options: Options,
    script: Performance,
    faults: Mutex<Vec<Fault>>,
    stats: Stats,
    cache: Mutex<PromptCache>,
    record: Option<Mutex<File>>,
    started: SystemTime,
    ids: AtomicU64,
}

/// Accepts connections. They are tasks of this one, so that they end with it.
async fn accept(server: Arc<Server>, listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((tcp, _)) => {
                if let Err(error) = tcp.set_nodelay(true) {
                    tracing::debug!(%error, "TCP_NODELAY");
                }
                connections.spawn(http::serve(Arc::clone(&server), tcp));
            }
            Err(error) => {
                // Out of file descriptors, as a rule: wait for some to come back.
                tracing::warn!(%error, "accept");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

impl Server {
    /// Lets a request pass unless its model is one that there is no more.
    fn admit(&self, create: Create) -> Result<Create, Refusal> {
        if !self.options.retired.contains(&create.model) {
            return Ok(create);
        }
        let message = format!("The model '{}' does not exist or you do not have access to it.", create.model);
        Err(Refusal::new("model_not_found", message, "model"))
    }

    /// A new identifier. It holds the start of the server, so that one from before a restart is not taken for new.
    fn next_id(&self, kind: &str) -> String {
        let started = self.started.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos();
        format!("{kind}_{started:x}{:06x}", self.ids.fetch_add(1, Relaxed))
    }

    /// Whether something goes wrong in this way just now.
    fn has_fault(&self, fault: Fault) -> bool {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).contains(&fault)
    }

    /// The ways in which something goes wrong just now.
    fn faults(&self) -> Vec<Fault> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn cache(&self) -> MutexGuard<'_, PromptCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a client's frame to the record, as one line.
    fn record(&self, frame: &str) {
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
