//! Finding out about candidates in the background: those of which nothing is known, and
//! later those that were passed over.

use std::sync::{Arc, Weak};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::{Candidate, Notice, Shared};
use crate::config::Day;
use crate::model::health::{Blame, Standing, blame};
use crate::model::limits::PROBE_AFTER;
use crate::model::probe::{self, Finding, ListedModel};
use crate::model::retirement;
use crate::model::usage::today;
use crate::model::{ErrorKind, ModelError, capability};

impl Shared {
    /// Finds out about the candidate that is due.
    async fn look_at(self: Arc<Self>, candidate: usize) {
        let Candidate { endpoint, model } = &self.candidates[candidate];
        let refused = matches!(self.lock().health.standing(candidate), Standing::Refused(_));
        let listed = probe::list(endpoint).await;
        let is_not_listed = listed == Finding::NotListed;
        if let Finding::Listed(model) = &listed {
            self.take_listed(candidate, model).await;
        }
        let connected = self.lock().known[candidate].connected;
        tracing::debug!(gear = self.gear, model = endpoint.model, ?listed, "looked for a model");
        let found = match listed {
            // Being listed is enough to be asked; for one that was refused, only an answer is.
            Finding::Listed(_) if !refused => Ok(()),
            // The wire may be reached where the list is not.
            Finding::Unreachable(error) if !connected => Err(error),
            Finding::Listed(_) | Finding::NotListed | Finding::NoList if self.meter.capped().is_none() => {
                self.meter.asked(self.gear);
                match probe::ask(&**model).await {
                    Ok(usage) => {
                        self.ended(candidate, &usage);
                        Ok(())
                    }
                    Err(error) => Err(error),
                }
            }
            _ => Ok(()),
        };
        match found {
            Ok(()) => {
                if self.lock().health.answered(candidate) {
                    self.over(candidate);
                    self.tell(Notice::Changed);
                }
                model.warm();
            }
            // A model that is not on the list, and does not take the smallest request, is not there.
            Err(ModelError::Refused { provider, status, param, message, retry_after, .. })
                if is_not_listed =>
            {
                let kind = ErrorKind::UnsupportedModel;
                let error = ModelError::Refused { provider, kind, status, param, message, retry_after };
                self.failed(candidate, &error, false);
            }
            Err(error) if blame(&error) == Blame::Request => {
                // It takes requests, if not this one.
                self.lock().health.answered(candidate);
            }
            Err(error) => self.failed(candidate, &error, false),
        }
    }
}

impl Shared {
    /// Takes what the provider's list says of a candidate.
    async fn take_listed(&self, candidate: usize, model: &ListedModel) {
        {
            let known = &mut self.lock().known[candidate];
            known.window = model.window;
            if let Some(assumed) = capability::assumption_of_server(&model.owner) {
                known.speed.assume(&assumed);
            }
        }
        let Some(shutdown) = model.shutdown else { return };
        let name = self.candidates[candidate].endpoint.model.clone();
        // Whether it was said this week is written in a file.
        let text = tokio::task::spawn_blocking(move || retirement::due(&name, shutdown, Day(today())));
        if let Ok(Some(text)) = text.await {
            self.tell(Notice::Say { cause: format!("{} retires", self.cause(candidate)), text });
        }
    }
}

/// Finds out about candidates for as long as the fallback lives.
pub(super) async fn watch_over(shared: Weak<Shared>, look: Arc<Notify>) {
    tokio::time::sleep(PROBE_AFTER).await;
    loop {
        let next = {
            let Some(shared) = shared.upgrade() else { return };
            let due = shared.lock().health.due(Instant::now().into_std());
            if let Some(candidate) = due {
                shared.look_at(candidate).await;
                continue;
            }
            shared.lock().health.next_due()
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
