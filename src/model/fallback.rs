//! The candidates of a gear as one model: the first candidate that answers serves, and a refusal
//! moves on to the next.
//!
//! The preferred candidate is asked optimistically, before anything is known about it. Meanwhile a
//! background task probes it, and later retries candidates that were passed over. A call that fails
//! before its first text is repeated with the next candidate; after that, the caller gets the
//! error. All usage passes through here and is counted.

mod call_times;
mod fallback_stream;
mod outage;
mod report;
mod shared;
mod watch;

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Weak};

use futures_util::future::{BoxFuture, join_all};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::candidates::Candidates;
use super::identity;
use super::request::Form;
use super::usage::Meter;
use super::{
    ChunkStream, Listener, Model, ModelError, News, Pace, Request, RequestKind, Urgency, capability,
};
use crate::config::{EditDialect, Endpoint, Role, Wire};
use crate::lock::Mutex;

use call_times::CallTimes;
use fallback_stream::FallbackStream;
pub use report::{Report, Standings, State};
use shared::{Candidate, CandidateStats, Progress, Shared};
pub use shared::{Notice, Notices};
use watch::watch_over;

/// The candidates of one gear.
pub struct Fallback {
    shared: Arc<Shared>,
}

impl Fallback {
    /// Creates the fallback of a role, whose candidates are reached by `connect`; `None` if the role has none.
    pub fn new(
        gear: &'static str,
        role: &Role,
        connect: impl Fn(Endpoint, Listener) -> Arc<dyn Model>,
        meter: Arc<Meter>,
        notices: Notices,
    ) -> Option<Self> {
        if role.candidates.is_empty() {
            return None;
        }
        let count = role.candidates.len();
        let shared = Arc::new_cyclic(|shared: &Weak<Shared>| {
            let candidate = |(at, endpoint): (usize, &Endpoint)| {
                let shared = Weak::clone(shared);
                let listener: Listener = Arc::new(move |event| {
                    if let Some(shared) = shared.upgrade() {
                        shared.heard(at, event);
                    }
                });
                let model = connect(endpoint.clone(), listener);
                // A second request would cancel the first one to a language server.
                let hedge = role.hedge.filter(|_| endpoint.wire != Wire::Lsp);
                Candidate { endpoint: endpoint.clone(), model, hedge }
            };
            Shared {
                gear,
                candidates: role.candidates.iter().enumerate().map(candidate).collect(),
                meter,
                notices,
                state: Mutex::new(Progress {
                    health: Candidates::new(count),
                    known: role.candidates.iter().map(CandidateStats::new).collect(),
                    said: BTreeSet::new(),
                    watched: false,
                }),
                peer: Mutex::new(Weak::new()),
                look: Arc::new(Notify::new()),
            }
        });
        Some(Self { shared })
    }

    /// Sets the other gear, which may use the same servers, so that failures of both are reported together.
    pub(super) fn set_peer(&self, peer: Option<&Self>) {
        self.shared.set_peer(peer.map_or_else(Weak::new, |it| Arc::downgrade(&it.shared)));
    }

    /// The user's settings for the candidates that have no effect, one clause each.
    pub fn ignored_settings(&self) -> Vec<String> {
        self.shared
            .candidates
            .iter()
            .flat_map(|candidate| capability::ignored_settings(&candidate.endpoint))
            .collect()
    }

    /// Inherits the measured speeds of the same models from another fallback.
    pub(super) fn inherit(&self, other: &Self) {
        let is_same = |a: &Endpoint, b: &Endpoint| a.base_url == b.base_url && a.model == b.model;
        for (at, candidate) in self.shared.candidates.iter().enumerate() {
            let theirs = &other.shared;
            let found = theirs.candidates.iter().position(|it| is_same(&it.endpoint, &candidate.endpoint));
            if let Some(found) = found {
                let speed = theirs.state.lock().known[found].speed.clone();
                self.shared.state.lock().known[at].speed.inherit(&speed);
            }
        }
    }

    fn turn(&self, health: &Candidates, kind: RequestKind) -> usize {
        let answers = |at: &usize| capability::answers(&self.shared.candidates[*at].endpoint, kind);
        let standing = health.order(true).into_iter().find(answers);
        standing.or_else(|| health.active()).unwrap_or(0)
    }

    fn shown_name(&self, candidate: usize) -> String {
        identity::shown(&self.shared.candidates[candidate].endpoint.model).to_owned()
    }

    /// The status of the gear.
    pub fn report(&self) -> Report {
        self.shared.report()
    }

    /// The standing of each candidate, in the order in which they are asked.
    pub fn standings(&self) -> Vec<Standings> {
        self.shared.standings()
    }
}

impl Model for Fallback {
    fn name(&self) -> String {
        let turn = self.shared.state.lock().health.active().unwrap_or(0);
        self.shown_name(turn)
    }

    fn name_for(&self, kind: RequestKind) -> String {
        let turn = self.turn(&self.shared.state.lock().health, kind);
        self.shown_name(turn)
    }

    fn warm(&self) {
        let turn = self.shared.state.lock().health.active().unwrap_or(0);
        self.shared.candidates[turn].model.warm();
        let watch = !std::mem::replace(&mut self.shared.state.lock().watched, true);
        if watch {
            tokio::spawn(watch_over(Arc::downgrade(&self.shared), Arc::clone(&self.shared.look)));
        }
    }

    fn is_down(&self) -> bool {
        self.shared.state.lock().health.active().is_none()
    }

    fn why_down(&self) -> Option<String> {
        self.is_down().then(|| self.report().degraded).flatten()
    }

    fn window(&self) -> u32 {
        let state = self.shared.state.lock();
        let turn = state.health.active().unwrap_or(0);
        capability::window(&self.shared.candidates[turn].endpoint, state.known[turn].window)
    }

    fn pace(&self, kind: RequestKind) -> Pace {
        let state = self.shared.state.lock();
        state.known[self.turn(&state.health, kind)].speed.pace()
    }

    fn answers(&self, kind: RequestKind) -> bool {
        self.shared.candidates.iter().any(|candidate| capability::answers(&candidate.endpoint, kind))
    }

    fn edit_dialects(&self) -> Vec<EditDialect> {
        let dialects = self.shared.candidates.iter().filter_map(|it| it.endpoint.edit_dialect);
        dialects.collect::<BTreeSet<EditDialect>>().into_iter().collect()
    }

    fn unread(&self, request: &Request) -> usize {
        let turn = self.turn(&self.shared.state.lock().health, request.kind());
        let prompt = self.shared.prompt(turn, request);
        self.shared.state.lock().known[turn].unread(&prompt)
    }

    fn takes_fim(&self) -> bool {
        (0..self.shared.candidates.len()).any(|candidate| self.shared.code_dialect(candidate).is_some())
    }

    fn takes_documents(&self) -> bool {
        self.shared.candidates.iter().any(|candidate| candidate.model.takes_documents())
    }

    fn offers_variants(&self) -> bool {
        let turn = self.shared.state.lock().health.active().unwrap_or(0);
        self.shared.candidates[turn].model.offers_variants()
    }

    fn end(&self) -> BoxFuture<'static, ()> {
        let ends: Vec<_> = self.shared.candidates.iter().map(|candidate| candidate.model.end()).collect();
        join_all(ends).map(drop).boxed()
    }

    fn tell(&self, news: &News) {
        self.shared.candidates.iter().for_each(|candidate| candidate.model.tell(news));
    }

    fn stream(&self, request: Request) -> ChunkStream {
        let awaited = self.shared.meter.awaited_lease().filter(|_| request.urgency != Urgency::Typing);
        let Some(lease) = awaited else { return begin(&self.shared, request) };
        let shared = Arc::clone(&self.shared);
        // Nobody types on meanwhile, and a refusal would be the end of what was asked for.
        let begun = async move {
            lease.settled().await;
            begin(&shared, request)
        };
        begun.into_stream().flatten().boxed()
    }
}

/// Begins a call of the candidate whose turn it is.
fn begin(shared: &Arc<Shared>, request: Request) -> ChunkStream {
    let refused = |error| stream::iter([Err(error)]).boxed();
    if let Some(why) = shared.meter.refused() {
        // A lease is there within a moment of the start, and running requests end.
        if shared.meter.awaited_lease().is_none() && shared.meter.capped().is_some() {
            (shared.notices)(Notice::Say { cause: "budget".to_owned(), text: format!("Tandem: {why}") });
        }
        (shared.notices)(Notice::Changed);
        return refused(ModelError::Capped(why));
    }
    let (order, why_none) = {
        let state = shared.state.lock();
        let order = state.health.order(request.urgency != Urgency::Typing);
        (order, state.health.why_none().cloned())
    };
    // Candidates that cannot answer this kind of request are skipped; if none can, the first one reports why.
    let answers = |at: &usize| {
        let endpoint = &shared.candidates[*at].endpoint;
        let form = request.form(endpoint, shared.code_dialect(*at));
        let kind = if matches!(form, Form::Text) { RequestKind::Instruction } else { request.kind() };
        capability::answers(endpoint, kind)
    };
    let mut order = VecDeque::from(order);
    if order.iter().any(answers) {
        order.retain(answers);
    }
    let Some(first) = order.pop_front() else {
        let none = || ModelError::Closed { provider: shared.gear.to_owned() };
        return refused(why_none.unwrap_or_else(none));
    };
    // Kept only if it may be needed again: a prompt has kilobytes.
    let again = (!order.is_empty()).then(|| request.clone());
    let times = CallTimes::begin(shared, first, &request);
    let reserved = shared.reserve(first, &request, times.bytes);
    let call = FallbackStream {
        job: request.job,
        urgency: request.urgency,
        times,
        chunks: shared.call(first, request, &reserved),
        reserved,
        shared: Arc::clone(shared),
        candidate: first,
        order,
        again,
        asked_at: Instant::now(),
        begun: false,
    };
    stream::unfold(Some(call), |call| async move { call?.next().await }).boxed()
}

impl Drop for Fallback {
    fn drop(&mut self) {
        // Wakes the background task, which ends if nothing is left to watch.
        self.shared.look.notify_one();
    }
}

impl std::fmt::Debug for Fallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fallback").field("gear", &self.shared.gear).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::config::Role;
    use crate::model::scripted::ScriptedModel;
    use crate::model::usage::Meter;

    /// Keeps its requests, as a wire does that reads an abandoned answer to its end.
    #[derive(Default)]
    struct Slow(Mutex<Vec<Request>>);

    impl Model for Slow {
        fn name(&self) -> String {
            "slow".to_owned()
        }

        fn warm(&self) {}

        fn stream(&self, request: Request) -> ChunkStream {
            self.0.lock().push(request);
            stream::pending().boxed()
        }
    }

    #[tokio::test]
    async fn abandoned_request_keeps_its_part_of_a_budget_until_it_is_counted() {
        let endpoint = Endpoint { wire: Wire::Chat, ..Endpoint::default() };
        let role = Role { candidates: vec![endpoint], ..Role::default() };
        let (slow, listener) = (Arc::new(Slow::default()), Mutex::new(None));
        let connect = |_, of_wire| {
            *listener.lock() = Some(of_wire);
            Arc::clone(&slow) as _
        };
        let budget = crate::config::Budget { day_tokens: Some(10), ..Default::default() };
        let meter = Arc::new(Meter::new(budget, Default::default(), None));
        let fallback = Fallback::new("fast", &role, connect, Arc::clone(&meter), Arc::new(|_| ())).unwrap();
        let request = Request { max_output_tokens: 20, ..crate::model::probe::request() };
        drop(fallback.stream(request));
        assert_eq!(meter.capped(), None);
        assert!(meter.refused().is_some(), "the wire still reads its answer");
        let usage = crate::model::Usage { output_tokens: 4, ..Default::default() };
        listener.lock().take().unwrap()(crate::model::WireEvent::Abandoned { asker: 0, job: "x", usage });
        slow.0.lock().clear();
        assert_eq!((meter.refused(), meter.totals().day.output_tokens), (None, 4));
    }

    #[test]
    fn kind_of_request_decides_which_model_is_named() {
        let code = Endpoint { model: "code".to_owned(), wire: Wire::Lsp, ..Endpoint::default() };
        let chat = Endpoint { model: "chat".to_owned(), wire: Wire::Chat, ..Endpoint::default() };
        let role = Role { candidates: vec![code, chat], ..Role::default() };
        let connect = |_, _| Arc::new(ScriptedModel::default()) as _;
        let meter = Arc::new(Meter::new(Default::default(), Default::default(), None));
        let fallback = Fallback::new("fast", &role, connect, meter, Arc::new(|_| ())).unwrap();
        let kinds = [RequestKind::Completion, RequestKind::NextEdit, RequestKind::Instruction];
        assert_eq!(kinds.map(|kind| fallback.name_for(kind)), ["code", "chat", "chat"]);
        assert_eq!(fallback.name(), "code");
    }
}
