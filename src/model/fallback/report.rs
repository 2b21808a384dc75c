//! The status of a gear, for display.

use std::time::Duration;

use super::Shared;
use crate::config::{Endpoint, UnavailableCandidate, Wire};
use crate::model::health::Standing;
use crate::model::{ModelError, Pace, identity};
use crate::text::named;

named! {
    /// The state of a gear.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum State {
        /// Nothing is known about its model yet; it is asked nevertheless.
        Starting = "starting",
        /// Its model answers.
        Ready = "ready",
        /// Another model, tier or speed was observed than requested.
        Degraded = "degraded",
        /// None of its models can be reached or answers.
        Offline = "offline",
        /// Its models refuse requests.
        Refused = "refused",
    }
}

/// A gear's state, and the observations of the candidate in use.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The state of the gear.
    pub state: State,
    /// The provider's name in the configuration.
    pub provider: String,
    /// The wire to the endpoint.
    pub wire: Wire,
    /// The requested model.
    pub asked: String,
    /// The model that answered last, as named by the server.
    pub served: Option<String>,
    /// The tier that answered last, as named by the server.
    pub tier: Option<String>,
    /// What is wrong with the last answer, or why there is none, in one sentence.
    pub degraded: Option<String>,
    /// Duration of the last connection setup.
    pub connect: Option<Duration>,
    /// The HTTP version used last, if any.
    pub http_version: Option<String>,
    /// Time from the last request to its first text.
    pub first_token: Option<Duration>,
    /// Time from the last request to the end of its answer.
    pub total: Option<Duration>,
    /// Tokens per second of the last answer that was long enough to measure.
    pub rate: Option<f64>,
    /// The measured speed, if any.
    pub pace: Option<Pace>,
    /// Why another wire or form is used than configured, if so.
    pub pinned: Option<String>,
    /// The quotas that the server reported, as pairs of name and value.
    pub quotas: Vec<(String, String)>,
    /// The candidates that are passed over, each with the reason.
    pub passed_over: Vec<UnavailableCandidate>,
}

/// The standing and the speed of one candidate of a gear.
#[derive(Debug, Clone)]
pub struct Standings {
    /// The candidate.
    pub endpoint: Endpoint,
    /// Whether it is the candidate in use.
    pub has_turn: bool,
    /// Why it is passed over, if so.
    pub why: Option<String>,
    /// Time from a request to its first text: of the last request, else as measured before the settings changed.
    pub first_token: Option<Duration>,
    /// Tokens per second, likewise.
    pub rate: Option<f64>,
}

impl Shared {
    /// All candidates, in the order in which they are asked.
    pub(super) fn standings(&self) -> Vec<Standings> {
        let state = self.state.lock();
        let turn = state.health.active();
        let standing = |(at, candidate): (usize, &super::Candidate)| {
            let known = &state.known[at];
            let pace = known.speed.measured();
            Standings {
                endpoint: candidate.endpoint.clone(),
                has_turn: turn == Some(at),
                why: match state.health.standing(at) {
                    Standing::Unavailable(why) | Standing::Refused(why) => Some(why.to_string()),
                    Standing::Untried | Standing::Answers => None,
                },
                first_token: known.first_token.or(pace.map(|it| it.start)),
                rate: known.rate.or(pace.map(|it| it.writing)),
            }
        };
        self.candidates.iter().enumerate().map(standing).collect()
    }

    /// The URLs that this gear cannot reach now, each with the reason.
    fn out_of_reach(&self) -> Vec<(String, String)> {
        let state = self.state.lock();
        let candidates = self.candidates.iter().enumerate();
        let away = candidates.filter_map(|(at, candidate)| match state.health.standing(at) {
            Standing::Unavailable(why @ ModelError::Offline { .. }) => {
                Some((candidate.endpoint.base_url.clone(), why.to_string()))
            }
            _ => None,
        });
        away.collect()
    }

    pub(super) fn report(&self) -> Report {
        // The other gear may already know that this server does not answer.
        let out_of_reach = self.peer().map(|peer| peer.out_of_reach()).unwrap_or_default();
        let state = self.state.lock();
        let candidate = state.health.active().unwrap_or(0);
        let (endpoint, known) = (&self.candidates[candidate].endpoint, &state.known[candidate]);
        let passed_over = |(at, candidate): (usize, &super::Candidate)| match state.health.standing(at) {
            Standing::Unavailable(why) | Standing::Refused(why) => Some(UnavailableCandidate {
                provider: candidate.endpoint.provider.clone(),
                model: identity::shown(&candidate.endpoint.model).to_owned(),
                why: why.to_string(),
                variable: None,
            }),
            Standing::Untried | Standing::Answers => None,
        };
        let of_peer = |endpoint: &Endpoint| out_of_reach.iter().find(|(url, _)| *url == endpoint.base_url);
        let is_left = self.candidates.iter().any(|it| of_peer(&it.endpoint).is_none());
        let known_of_peer = if is_left { None } else { of_peer(endpoint) };
        let (gear, degraded) = match (state.health.standing(candidate), known_of_peer) {
            (Standing::Untried | Standing::Answers, Some((_, why))) => (State::Offline, Some(why.clone())),
            (Standing::Untried, None) => (State::Starting, None),
            (Standing::Answers, None) => match &known.degraded {
                Some(swap) => (State::Degraded, Some(swap.to_string())),
                None => (State::Ready, None),
            },
            (Standing::Unavailable(why), _) => (State::Offline, Some(why.to_string())),
            (Standing::Refused(why), _) => (State::Refused, Some(why.to_string())),
        };
        Report {
            state: gear,
            provider: endpoint.provider.clone(),
            wire: endpoint.wire,
            asked: identity::shown(&endpoint.model).to_owned(),
            served: known.served.as_deref().map(|it| identity::shown(it).to_owned()),
            tier: known.tier.clone(),
            degraded,
            connect: known.connect,
            http_version: known.version.clone(),
            first_token: known.first_token,
            total: known.total,
            rate: known.rate,
            pace: known.speed.measured(),
            pinned: known.pinned.clone().or(known.why_code_dialect(endpoint.wire).map(str::to_owned)),
            quotas: known.quotas.clone().into_iter().collect(),
            passed_over: self.candidates.iter().enumerate().filter_map(passed_over).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::config::Role;
    use crate::lock::Mutex;
    use crate::model::fallback::Fallback;
    use crate::model::scripted::ScriptedModel;
    use crate::model::usage::Meter;
    use crate::model::{Listener, Usage, WireEvent};

    /// A fallback of one candidate, and the listener of its wire.
    fn fallback() -> (Fallback, Listener) {
        let told = Mutex::new(None);
        let role = Role { candidates: vec![Endpoint::default()], ..Role::default() };
        let connect = |_, listener| {
            *told.lock() = Some(listener);
            Arc::new(ScriptedModel::default()) as _
        };
        let meter = Arc::new(Meter::new(Default::default(), Default::default(), None));
        let fallback = Fallback::new("fast", &role, connect, meter, Arc::new(|_| ())).unwrap();
        let listener = told.lock().take().unwrap();
        (fallback, listener)
    }

    #[test]
    fn sockets_that_work_again_are_no_reason_for_http() {
        let (fallback, tell) = fallback();
        tell(WireEvent::Pinned("over HTTP for now".to_owned()));
        assert_eq!(fallback.report().pinned.as_deref(), Some("over HTTP for now"));
        tell(WireEvent::Connected(Duration::from_millis(7)));
        assert_eq!(fallback.report().pinned, None);
    }

    #[test]
    fn abandoned_answer_leaves_the_time_of_the_last_one() {
        let (fallback, tell) = fallback();
        let abandoned = |usage| WireEvent::Abandoned { asker: 0, job: "completion", usage };
        let usage = Usage { model: Some("m".to_owned()), ..Usage::default() };
        tell(abandoned(usage.clone()));
        assert_eq!(fallback.report().total, None);
        let total = Duration::from_millis(9);
        tell(abandoned(Usage { total, ..usage.clone() }));
        tell(abandoned(usage));
        assert_eq!(fallback.report().total, Some(total));
    }
}
