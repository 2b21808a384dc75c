//! Measures the wires of a candidate by a few small requests over each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::cli::doctor::findings::{Measured, Quota};
use crate::cli::limits::CONNECT_TIMEOUT;
use crate::config::{Endpoint, FimDialect, Wire};
use crate::lock::Mutex;
use crate::model::identity::{self, Observed};
use crate::model::usage::Meter;
use crate::model::{Listener, ModelError, WireEvent, connect_to, probe};

/// The parameters of a few small requests over one wire.
pub(super) struct WireProbe<'a> {
    pub(super) meter: &'a Arc<Meter>,
    pub(super) gear: &'static str,
    pub(super) endpoint: &'a Endpoint,
    pub(super) wire: Wire,
    pub(super) requests: u32,
    /// Whether the server has answered already, so that a connection is worth waiting for.
    pub(super) is_there: bool,
}

/// The result of the requests over one wire.
pub(super) struct Probed {
    pub(super) measured: Measured,
    /// Describes the model or tier that answered instead of the requested one.
    pub(super) swapped: Option<String>,
    /// The first error, which ends the requests.
    pub(super) outcome: Result<(), ModelError>,
}

impl WireProbe<'_> {
    /// Makes the requests, after waiting for the connection if the server is there.
    pub(super) async fn run(self) -> Probed {
        let Self { meter, gear, endpoint, wire, requests, is_there } = self;
        let heard: Arc<Mutex<Heard>> = Arc::default();
        let listener: Listener = {
            let heard = Arc::clone(&heard);
            Arc::new(move |event| heard.lock().note(event))
        };
        let heard = || heard.lock().clone();
        let model = connect_to(Endpoint { wire, ..endpoint.clone() }, listener);
        model.warm();
        let began = Instant::now();
        while is_there && heard().connect.is_none() && began.elapsed() < CONNECT_TIMEOUT {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let (mut first, mut total) = (Vec::new(), Vec::new());
        let mut swapped = None;
        let mut outcome = Ok(());
        for _ in 0..requests {
            if let Some(why) = meter.refused() {
                outcome = Err(ModelError::Capped(why));
                break;
            }
            meter.asked(gear, probe::JOB, endpoint);
            match probe::ask(&*model).await {
                Ok(usage) => {
                    meter.answered(gear, probe::JOB, endpoint, &usage);
                    first.extend(usage.first_token);
                    total.push(usage.total);
                    let swap = identity::swap(Observed {
                        asked: &endpoint.model,
                        served: usage.model.as_deref(),
                        asked_tier: endpoint.service_tier.as_deref(),
                        served_tier: usage.tier.as_deref(),
                        ..Observed::default()
                    });
                    swapped = swapped.or(swap.map(|it| it.to_string()));
                }
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        let Heard { connect, version, quotas, pinned } = heard();
        // Measurements over another wire are not valid for this one.
        let is_other = pinned.is_some();
        let measured = Measured {
            wire: wire_name(endpoint, wire),
            http_version: version.filter(|_| !is_other),
            requests: if is_other { 0 } else { u32::try_from(total.len()).unwrap_or(u32::MAX) },
            connect_ms: connect.filter(|_| !is_other).map(milliseconds),
            first_token_ms: median(first).filter(|_| !is_other),
            total_ms: median(total).filter(|_| !is_other),
            quotas: quotas.into_iter().map(|(name, used)| Quota { name, used }).collect(),
            problem: outcome.as_ref().err().map(ToString::to_string).or(pinned),
        };
        Probed { measured, swapped, outcome }
    }
}

/// The wires to measure: the configured one, and HTTP in addition to a WebSocket.
///
/// The comparison with HTTP shows the benefit of the WebSocket.
pub(super) fn wires_of(endpoint: &Endpoint) -> Vec<Wire> {
    match endpoint.wire {
        // A model trained to predict edits has a separate endpoint, regardless of the wire.
        wire if endpoint.edit_dialect.is_some() => vec![wire],
        Wire::ResponsesWebsocket => vec![Wire::ResponsesWebsocket, Wire::ResponsesSse],
        wire => vec![wire],
    }
}

fn wire_name(endpoint: &Endpoint, wire: Wire) -> &'static str {
    match wire {
        _ if endpoint.edit_dialect.is_some() => "HTTP, next edits",
        Wire::ResponsesWebsocket => "WebSocket",
        Wire::ResponsesSse => "HTTP",
        Wire::Chat => "HTTP, chat",
        Wire::Anthropic => "HTTP, Messages",
        Wire::Fim(FimDialect::Completions | FimDialect::Continuation) => "HTTP, completions",
        Wire::Fim(FimDialect::Infill) => "HTTP, infill",
        Wire::Fim(FimDialect::Mistral) => "HTTP, FIM",
        Wire::Lsp => "language server",
    }
}

/// The events of a wire apart from its answers.
#[derive(Debug, Clone, Default)]
struct Heard {
    connect: Option<Duration>,
    /// The HTTP version of the latest response.
    version: Option<String>,
    quotas: BTreeMap<String, String>,
    /// Why another wire was used.
    pinned: Option<String>,
}

impl Heard {
    fn note(&mut self, event: WireEvent) {
        match event {
            WireEvent::Connected(took) => self.connect = self.connect.or(Some(took)),
            WireEvent::Http { version, connected } => {
                self.connect = self.connect.or(connected);
                self.version = Some(version);
            }
            WireEvent::Quota { pool, what } => drop(self.quotas.insert(pool, what)),
            WireEvent::Pinned(why) => self.pinned = Some(why),
            _ => {}
        }
    }
}

fn median(mut durations: Vec<Duration>) -> Option<f64> {
    durations.sort();
    durations.get(durations.len() / 2).copied().map(milliseconds)
}

/// Milliseconds, rounded to a tenth.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e4).round() / 10.0
}
