//! Reports of requests to a collector of the user's own, over OTLP.
//!
//! A report has names, times, numbers of tokens and costs, and no text of prompts or answers. Without a configured
//! collector, nothing is reported. Reports are sent in the background; a request never waits for one. What waits at
//! the end of the process is sent by [`finish`].

mod exporter;
mod otlp;
mod report;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};

use super::background_tasks::BackgroundTasks;
use crate::config::Endpoint;
use exporter::Exporter;
pub(super) use report::RequestReport;

/// Reports that wait to be sent, at most. Further ones are counted and dropped.
const WAITING_REPORTS: usize = 1_024;

/// The time that all collectors have at the end of the process.
const FINISH_WITHIN: Duration = Duration::from_secs(2);

/// The background tasks of this process.
static EXPORTERS: BackgroundTasks = BackgroundTasks::new();

/// Sends all reports that wait, and ends the background tasks; for the end of a process.
pub async fn finish() {
    if !EXPORTERS.finish(FINISH_WITHIN).await {
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

impl Telemetry {
    /// Starts to report to a collector; `None` outside a runtime.
    pub(super) fn start(collector: &Endpoint) -> Option<Self> {
        let runtime = Handle::try_current().ok()?;
        let (reports, waiting) = mpsc::channel(WAITING_REPORTS);
        let (lost, end) = (Arc::new(AtomicU64::new(0)), Arc::new(Notify::new()));
        let exporter = Exporter::new(collector.clone(), Arc::clone(&lost));
        let task = runtime.spawn(exporter.run(waiting, Arc::clone(&end)));
        EXPORTERS.push(end, task);
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
