//! The outcome of a request, for `tandem.why` and the log.

use tokio::time::Instant;

use super::clock;
use crate::assist::Origin;
use crate::document::DocumentId;
use crate::job::{Job, Reason};
use crate::session::ghost::Source;
use crate::session::{RequestRecord, Session};

/// A request whose outcome is to be logged.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingOutcome {
    pub(super) job: Job,
    /// The line of the request, from 0.
    line: u32,
    /// Whether the user requested it explicitly.
    pub(super) is_explicit: bool,
    pub(super) started: Instant,
}

/// The gear and model that answered, and the reason for the choice.
#[derive(Debug, Default)]
pub(super) struct Answered {
    route: Option<String>,
    gear: Option<String>,
    model: Option<String>,
    /// The reason why something else was not shown alongside.
    also_refused: Option<Reason>,
}

impl Answered {
    /// Adds the reason why something else was not shown alongside.
    pub(super) fn without(self, also_refused: Option<Reason>) -> Self {
        Self { also_refused: also_refused.filter(Self::is_told), ..self }
    }

    /// Whether a reason means that something is missing from the answer.
    ///
    /// If there was nothing else to show, nothing is missing.
    pub(super) fn is_told(reason: &Reason) -> bool {
        let is_no_news = matches!(
            reason,
            Reason::NothingToAdd
                | Reason::NothingFollows
                | Reason::Unchanged
                | Reason::Superseded
                | Reason::Stale
        );
        !is_no_news && !reason.is_lack_of_model()
    }
}

impl PendingOutcome {
    /// A request that begins now.
    pub(super) fn new(job: Job, line: u32, is_explicit: bool) -> Self {
        Self { job, line, is_explicit, started: Instant::now() }
    }

    /// Logs the outcome for `tandem.why`.
    pub(super) fn finish(self, session: &mut Session, id: &DocumentId, outcome: Result<Answered, Reason>) {
        let (nothing, Answered { route, gear, model, also_refused }) = match outcome {
            Ok(answered) => (None, answered),
            Err(reason) => (Some(reason), Answered::default()),
        };
        let record = RequestRecord {
            at: clock::now(),
            line: self.line,
            job: self.job,
            invoked: self.is_explicit,
            nothing,
            also_refused,
            route,
            gear,
            model,
            milliseconds: clock::milliseconds(self.started.elapsed()),
        };
        session.log_request(id, record);
    }
}

impl From<&Origin> for Answered {
    fn from(origin: &Origin) -> Self {
        Self {
            route: Some(origin.reason.to_string()),
            gear: Some(origin.gear.to_string()),
            model: origin.model.clone(),
            also_refused: None,
        }
    }
}

impl From<Source> for Answered {
    fn from(Source { gear, model }: Source) -> Self {
        Self { route: None, gear: Some(gear), model, also_refused: None }
    }
}
