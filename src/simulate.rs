//! A server that speaks the Responses protocol on this machine, with no model behind it.
//!
//! It serves demonstrations, tests and benchmarks. The transport from the editor to the model and back is real;
//! the pace and the faults are configurable. Replies come from a [`Script`] or, where it has none, from a small
//! embedded engine (`engine`). The engine reads this project's own prompts, continues lines by analogy with the
//! buffer and carries out `rename A to B`. It answers anything else with `NO_EDITS` or the unchanged text.
//!
//! Supported endpoints:
//!
//! * `GET …/responses` with an upgrade: a WebSocket with `response.create` frames, lanes (`stream_id`),
//!   warm-up (`generate: false`) and `previous_response_id`, which is valid only on its own connection and for
//!   the newest response of each lane. Nothing is stored, regardless of `store`.
//! * `POST …/responses`: server-sent events with `stream: true`, otherwise a single object.
//! * `POST …/chat/completions`, `…/completions` with a suffix, `…/fim/completions` and `…/infill`, streamed
//!   or whole, each in its own format (`dialect`).
//! * `POST …/messages` of Anthropic, with its own events, errors and caching at breakpoints (`dialect::messages`).
//! * `POST …/edit/completions`, and `…/completions` with the prompts of models trained to predict edits
//!   ([`crate::trained`]).
//! * [`LanguageServer`]: a language server on standard input and output instead.
//! * `GET …/models`, and `GET …/simulator/stats` with counters.
//!
//! Usage figures are estimates, see `text::tokens`. Requests are validated as strictly as by the real service, and
//! responses have every field that strict clients require.

mod bill;
mod dialect;
mod engine;
mod event;
mod fault;
mod http;
mod language_server;
mod pace;
mod prompt_cache;
mod request;
mod response;
mod script;
mod server;
mod socket;
mod speech;
mod stats;
#[cfg(test)]
mod tests;

use std::{
    fs::File,
    io,
    net::SocketAddr,
    sync::{Arc, atomic::AtomicU64},
    time::{Duration, SystemTime},
};

use tokio::{
    net::TcpListener,
    task::{JoinHandle, JoinSet},
};

pub use self::{
    bill::{Bill, Rates},
    fault::{Fault, UnknownFault},
    language_server::{LanguageServer, ServerFault},
    script::{Script, ScriptError},
    server::{ANOTHER_MODEL, MODEL, Options},
    stats::StatsSnapshot,
};
use self::{script::ActiveScript, server::Server, stats::Stats};

use crate::lock::Mutex;

/// A running server. Dropping it stops the server and closes all connections.
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
    let script = ActiveScript::of(std::mem::take(&mut options.script));
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
        turn: tokio::sync::Mutex::default(),
    });
    let accepting = tokio::spawn(accept(Arc::clone(&server), listener));
    Ok(Simulator { address, server, accepting })
}

impl Simulator {
    /// The base URL for clients: `http://ADDRESS/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Clears the faults that the server was started with; faults of the script stay.
    pub fn clear_faults(&self) {
        self.set_faults(Vec::new());
    }

    /// Replaces the server's faults.
    pub fn set_faults(&self, faults: Vec<Fault>) {
        *self.server.faults.lock() = faults;
    }

    /// Returns a snapshot of the counters.
    pub fn stats(&self) -> StatsSnapshot {
        *self.server.stats.counters()
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts connections and serves each in a child task, so that all end with this one.
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
                // Usually out of file descriptors: wait until some are closed.
                tracing::warn!(%error, "accept");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
