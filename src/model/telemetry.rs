//! Reports of requests to a collector of the user's own, over OTLP.
//!
//! A report has names, times, numbers of tokens and costs, and no text of prompts or answers. Without a configured
//! collector, nothing is reported. Reports are sent in the background; a request never waits for one. What waits at
//! the end of the process is sent by [`finish`].

mod exporter;
mod otlp;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::config::{Endpoint, Wire};
use exporter::Exporter;

/// Reports that wait to be sent, at most. Further ones are counted and dropped.
const WAITING_REPORTS: usize = 1_024;

/// The time that all collectors have at the end of the process.
const FINISH_WITHIN: Duration = Duration::from_secs(2);

/// The background tasks of this process, each with the signal that ends it.
static EXPORTERS: Mutex<Vec<(Arc<Notify>, JoinHandle<()>)>> = Mutex::new(Vec::new());

/// Sends all reports that wait, and ends the background tasks; for the end of a process.
pub async fn finish() {
    let exporters = std::mem::take(&mut *EXPORTERS.lock().unwrap_or_else(PoisonError::into_inner));
    exporters.iter().for_each(|(end, _)| end.notify_one());
    let all = exporters.into_iter().map(|(_, task)| task);
    if timeout(FINISH_WITHIN, futures_util::future::join_all(all)).await.is_err() {
        tracing::warn!("the last reports were not sent in time");
    }
}

/// The connection to a collector.
#[derive(Debug)]
pub(super) struct Telemetry {
    collector: Endpoint,
    reports: mpsc::Sender<RequestReport>,
    lost: Arc<AtomicU64>,
}

/// One request that has ended, in the terms of the semantic conventions for generative AI.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequestReport {
    /// When the request ended.
    pub(super) ended: SystemTime,
    /// The time from the request to its end; `None` if it was abandoned.
    pub(super) duration: Option<Duration>,
    /// The time from the request to the first text.
    pub(super) first_text: Option<Duration>,
    /// The gear that was asked.
    pub(super) gear: &'static str,
    /// `chat` or `text_completion`.
    pub(super) operation: &'static str,
    /// The provider's name in the settings.
    pub(super) provider: String,
    /// The base URL of the provider's API.
    pub(super) base_url: String,
    /// The model that was requested.
    pub(super) model: String,
    /// The model that answered, as named by the server.
    pub(super) response_model: Option<String>,
    pub(super) input_tokens: u64,
    pub(super) cached_tokens: u64,
    pub(super) output_tokens: u64,
    /// The cost in US dollars, if the price is known.
    pub(super) dollars: Option<f64>,
    /// The kind of failure.
    pub(super) error: Option<String>,
}

impl RequestReport {
    /// A report of a request that ends now, without what only its answer shows.
    pub(super) fn of(gear: &'static str, endpoint: &Endpoint) -> Self {
        Self {
            ended: SystemTime::now(),
            duration: None,
            first_text: None,
            gear,
            operation: if matches!(endpoint.wire, Wire::Fim(_)) { "text_completion" } else { "chat" },
            provider: endpoint.provider.clone(),
            base_url: endpoint.base_url.clone(),
            model: endpoint.model.clone(),
            response_model: None,
            input_tokens: 0,
            cached_tokens: 0,
            output_tokens: 0,
            dollars: None,
            error: None,
        }
    }
}

impl Telemetry {
    /// Starts to report to a collector; `None` outside a runtime.
    pub(super) fn start(collector: &Endpoint) -> Option<Self> {
        let runtime = Handle::try_current().ok()?;
        let (reports, waiting) = mpsc::channel(WAITING_REPORTS);
        let (lost, end) = (Arc::new(AtomicU64::new(0)), Arc::new(Notify::new()));
        let exporter = Exporter::new(collector.clone(), Arc::clone(&lost));
        let task = runtime.spawn(exporter.run(waiting, Arc::clone(&end)));
        EXPORTERS.lock().unwrap_or_else(PoisonError::into_inner).push((end, task));
        Some(Self { collector: collector.clone(), reports, lost })
    }

    /// Whether it reports to this collector.
    pub(super) fn is_to(&self, collector: &Endpoint) -> bool {
        self.collector == *collector
    }

    /// Hands a report to the background task.
    pub(super) fn report(&self, report: RequestReport) {
        if self.reports.try_send(report).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}
