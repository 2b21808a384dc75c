//! Sends reports in batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep_until};

use super::otlp::{self, Batch};
use super::report::RequestReport;
use crate::config::Endpoint;
use crate::model::http::client;

/// The time for which reports are collected before they are sent.
const INTERVAL: Duration = Duration::from_secs(10);
/// Reports of one batch, at most.
const BATCH_REPORTS: usize = 256;
/// The time that the collector has for one batch.
const SEND_WITHIN: Duration = Duration::from_secs(10);

/// The background task of one collector.
pub(super) struct Exporter {
    collector: Endpoint,
    client: Option<reqwest::Client>,
    lost: Arc<AtomicU64>,
    /// When the reports of the next batch begin.
    since: SystemTime,
    /// Whether the last batch was refused: a failure is logged once.
    is_failing: bool,
}

impl Exporter {
    pub(super) fn new(collector: Endpoint, lost: Arc<AtomicU64>) -> Self {
        Self { collector, client: None, lost, since: SystemTime::now(), is_failing: false }
    }

    /// Sends reports until no more can come, or until the signal to end.
    pub(super) async fn run(mut self, mut waiting: mpsc::Receiver<RequestReport>, end: Arc<Notify>) {
        let mut reports = Vec::new();
        let mut deadline = Instant::now();
        let mut is_open = true;
        while is_open {
            let is_empty = reports.is_empty();
            let is_due = tokio::select! {
                // What came before the signal is sent.
                biased;
                next = waiting.recv() => {
                    if is_empty {
                        deadline = Instant::now() + INTERVAL;
                    }
                    is_open = next.is_some();
                    reports.extend(next);
                    !is_open || reports.len() == BATCH_REPORTS
                }
                () = end.notified() => {
                    is_open = false;
                    true
                }
                () = sleep_until(deadline), if !is_empty => true,
            };
            if is_due && !reports.is_empty() {
                self.send(&std::mem::take(&mut reports)).await;
            }
        }
    }

    async fn send(&mut self, reports: &[RequestReport]) {
        let now = SystemTime::now();
        let requester = self.collector.requester.clone();
        let batch = Batch { reports, since: self.since, until: now, requester: &requester };
        self.since = now;
        let sent = async {
            self.post("/v1/traces", &otlp::traces(&batch)).await?;
            self.post("/v1/metrics", &otlp::metrics(&batch)).await
        };
        let sent = sent.await;
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            tracing::warn!(lost, "reports were dropped, since the collector takes them too slowly");
        }
        match sent {
            Ok(()) => self.is_failing = false,
            Err(why) if !self.is_failing => {
                self.is_failing = true;
                tracing::warn!(%why, "the collector of telemetry does not take reports; they are dropped");
            }
            Err(_) => {}
        }
    }

    async fn post(&mut self, path: &str, body: &Value) -> Result<(), String> {
        let client = match &self.client {
            Some(client) => client.clone(),
            None => {
                let client = client::once(&self.collector).await.map_err(|error| error.to_string())?;
                self.client.insert(client).clone()
            }
        };
        let asking = client.post(self.collector.url(path).expose()).header(CONTENT_TYPE, "application/json");
        let response = asking.body(body.to_string()).timeout(SEND_WITHIN).send().await;
        let response = response.map_err(|error| self.collector.hide(&client::words(error)).to_string())?;
        let status = response.status();
        // The connection is kept only if the response is read to its end.
        let said = client::whole(response).await.unwrap_or_default();
        match status.is_success() {
            true => Ok(()),
            false => {
                Err(self.collector.hide(&format!("{status}: {}", String::from_utf8_lossy(&said))).to_string())
            }
        }
    }
}
