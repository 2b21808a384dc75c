//! Probing of candidates in the background: first of untried ones, later of those that were passed
//! over.

use std::sync::{Arc, Weak};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::{Candidate, Notice, Shared};
use crate::model::health::{Blame, Standing, blame};
use crate::model::limits::PROBE_AFTER;
use crate::model::probe::{self, Finding, ListedModel};
use crate::model::retirement;
use crate::model::speed::Assumption;
use crate::model::usage::today;
use crate::model::{ErrorKind, ModelError, capability};
use crate::text::Day;

impl Shared {
    /// Probes the candidate that is due.
    async fn look_at(self: Arc<Self>, candidate: usize) {
        let asked = &self.candidates[candidate];
        let Candidate { endpoint, model, .. } = asked;
        let refused = matches!(self.state.lock().health.standing(candidate), Standing::Refused(_));
        let listed = probe::list(endpoint).await;
        let is_not_listed = listed == Finding::NotListed;
        if let Finding::Listed(model) = &listed {
            self.take_listed(candidate, model).await;
        }
        let connected = self.state.lock().known[candidate].connected;
        tracing::debug!(gear = self.gear, model = endpoint.model, ?listed, "looked for a model");
        let found = match listed {
            // A listed model may be asked. One that was refused has to answer first.
            Finding::Listed(_) if !refused => Ok(()),
            // The wire may be reachable even if the list is not.
            Finding::Unreachable(error) if !connected => Err(error),
            Finding::Listed(_) | Finding::NotListed | Finding::NoList if self.meter.capped().is_none() => {
                self.meter.asked(self.gear, probe::JOB, endpoint);
                match probe::usage_of(&**model, asked.stream(probe::request())).await {
                    Ok(usage) => {
                        self.ended(candidate, probe::JOB, &usage);
                        Ok(())
                    }
                    Err(error) => Err(error),
                }
            }
            _ => Ok(()),
        };
        match found {
            Ok(()) => {
                if self.state.lock().health.answered(candidate) {
                    self.over(candidate);
                    self.tell(Notice::Changed);
                }
                model.warm();
            }
            // A model that is not listed and refuses the smallest request does not exist.
            Err(ModelError::Refused { provider, kind, status, param, message, retry_after })
                if is_not_listed
                    && matches!(
                        kind,
                        ErrorKind::NotFound
                            | ErrorKind::Invalid
                            | ErrorKind::UnsupportedField
                            | ErrorKind::UnsupportedModel
                    ) =>
            {
                let kind = ErrorKind::UnsupportedModel;
                let error = ModelError::Refused { provider, kind, status, param, message, retry_after };
                self.failed(candidate, &error, false);
            }
            Err(error)
                if blame(&error) == Blame::Request && !self.state.lock().health.refuses_all(candidate) =>
            {
                // It accepts requests, only not this one.
                self.state.lock().health.answered(candidate);
            }
            Err(error) => self.failed(candidate, &error, false),
        }
    }
}

impl Shared {
    /// Applies the data that the provider lists for a candidate.
    async fn take_listed(&self, candidate: usize, model: &ListedModel) {
        {
            let known = &mut self.state.lock().known[candidate];
            known.window = model.window;
            if capability::is_small_server(&model.owner) {
                known.speed.assume(&Assumption::SMALL_SERVER);
            }
        }
        let Some(shutdown) = model.shutdown else { return };
        let name = self.candidates[candidate].endpoint.model.clone();
        // A file records whether this was reported this week.
        let text = tokio::task::spawn_blocking(move || retirement::due(&name, shutdown, Day(today())));
        if let Ok(Some(text)) = text.await {
            self.tell(Notice::Say { cause: format!("{} retires", self.cause(candidate)), text });
        }
    }
}

/// Probes candidates as long as the fallback exists.
pub(super) async fn watch_over(shared: Weak<Shared>, look: Arc<Notify>) {
    tokio::time::sleep(PROBE_AFTER).await;
    loop {
        let next = {
            let Some(shared) = shared.upgrade() else { return };
            let due = shared.state.lock().health.due(Instant::now().into_std());
            if let Some(candidate) = due {
                shared.look_at(candidate).await;
                continue;
            }
            shared.state.lock().health.next_due()
        };
        let wait = async {
            match next {
                Some(at) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = wait => {}
            () = look.notified() => {}
        }
    }
}
