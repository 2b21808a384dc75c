//! The candidates of a gear as one model: the first that answers serves, and a refusal moves down the fallback.
//!
//! The preferred candidate is asked optimistically, before anything is known of it. Meanwhile a task in the background
//! finds out, and later tries those again that were passed over. A call that fails before its first text is made again
//! with the next candidate; after that its error is the caller's. Everything that is spent passes through here, and is
//! counted.

mod fallback_stream;
mod report;
mod watch;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::candidates::Candidates;
use super::health::{Blame, blame};
use super::hedge::Hedged;
use super::identity::{self, Observed, Swap};
use super::limits::{QUOTAS, RATES, RATES_NEEDED};
use super::usage::Meter;
use super::{ChunkStream, Listener, Model, ModelError, Request, Urgency, Usage, WireEvent, capability};
use crate::config::{Endpoint, Role};

use fallback_stream::FallbackStream;
pub use report::{Report, State};
use watch::watch_over;

/// What is to be shown at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Something that is shown in the status is different.
    Changed,
    /// Something to be said to the user, once for each `cause`.
    Say {
        /// The same for all that is the same to the user.
        cause: String,
        /// Whole sentences.
        text: String,
    },
    /// What was said under this cause no longer holds.
    Over {
        /// As in [`Notice::Say`].
        cause: String,
    },
}

/// Takes notices. Called from wherever they come up: it must not block.
pub type Notices = Arc<dyn Fn(Notice) + Send + Sync>;

/// The candidates of one gear.
pub struct Fallback {
    shared: Arc<Shared>,
}

struct Shared {
    gear: &'static str,
    candidates: Vec<Candidate>,
    meter: Arc<Meter>,
    notices: Notices,
    state: Mutex<Progress>,
    /// Candidate when there may be something new to find out.
    look: Arc<Notify>,
}

struct Candidate {
    endpoint: Endpoint,
    model: Arc<dyn Model>,
}

struct Progress {
    health: Candidates,
    known: Vec<Known>,
    /// What was said of swaps: once in a session for each pair.
    said: BTreeSet<String>,
    /// Whether the background task runs.
    watched: bool,
}

/// What was seen of one candidate.
#[derive(Debug, Clone, Default)]
struct Known {
    served: Option<String>,
    tier: Option<String>,
    degraded: Option<Swap>,
    first_token: Option<Duration>,
    total: Option<Duration>,
    rate: Option<f64>,
    rates: VecDeque<f64>,
    quotas: BTreeMap<String, String>,
    /// Of HTTP, where that is the wire.
    version: Option<String>,
    /// What the last connection took.
    connect: Option<Duration>,
    pinned: Option<String>,
    /// Whether its wire ever connected.
    connected: bool,
}

impl Fallback {
    /// The candidates of a role, reached by `connect`; `None` if it has none.
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
                let model = match role.hedge {
                    Some(after) => Arc::new(Hedged::new(model, after)) as Arc<dyn Model>,
                    None => model,
                };
                Candidate { endpoint: endpoint.clone(), model }
            };
            Shared {
                gear,
                candidates: role.candidates.iter().enumerate().map(candidate).collect(),
                meter,
                notices,
                state: Mutex::new(Progress {
                    health: Candidates::new(count),
                    known: vec![Known::default(); count],
                    said: BTreeSet::new(),
                    watched: false,
                }),
                look: Arc::new(Notify::new()),
            }
        });
        Some(Self { shared })
    }

    /// What the user set for the candidates that has no effect with them, one clause each.
    pub fn ignored_settings(&self) -> Vec<String> {
        self.shared
            .candidates
            .iter()
            .flat_map(|candidate| capability::ignored_settings(&candidate.endpoint))
            .collect()
    }

    /// How the gear stands.
    pub fn report(&self) -> Report {
        self.shared.report()
    }
}

impl Model for Fallback {
    fn name(&self) -> String {
        self.shared.candidates[self.shared.lock().health.turn().unwrap_or(0)].endpoint.model.clone()
    }

    fn warm(&self) {
        let turn = self.shared.lock().health.turn().unwrap_or(0);
        self.shared.candidates[turn].model.warm();
        let watch = !std::mem::replace(&mut self.shared.lock().watched, true);
        if watch {
            tokio::spawn(watch_over(Arc::downgrade(&self.shared), Arc::clone(&self.shared.look)));
        }
    }

    fn is_down(&self) -> bool {
        self.shared.lock().health.turn().is_none()
    }

    fn window(&self) -> u32 {
        let turn = self.shared.lock().health.turn().unwrap_or(0);
        capability::window(&self.shared.candidates[turn].endpoint)
    }

    fn stream(&self, request: Request) -> ChunkStream {
        let refused = |error| stream::iter([Err(error)]).boxed();
        if let Some(why) = self.shared.meter.capped() {
            (self.shared.notices)(Notice::Say { cause: "budget".to_owned(), text: format!("Tandem: {why}") });
            (self.shared.notices)(Notice::Changed);
            return refused(ModelError::Capped { why });
        }
        let (order, why_none) = {
            let state = self.shared.lock();
            let order = state.health.order(request.urgency != Urgency::Typing);
            (order, state.health.why_none().cloned())
        };
        let mut order = VecDeque::from(order);
        let Some(first) = order.pop_front() else {
            let none = || ModelError::Closed { provider: self.shared.gear.to_owned() };
            return refused(why_none.unwrap_or_else(none));
        };
        // Kept only if it may be needed once more: a prompt has kilobytes.
        let again = (!order.is_empty()).then(|| request.clone());
        let call = FallbackStream {
            explicit: request.urgency != Urgency::Typing,
            chunks: self.shared.call(first, request),
            shared: Arc::clone(&self.shared),
            candidate: first,
            order,
            again,
            asked_at: Instant::now(),
            begun: false,
        };
        stream::unfold(Some(call), |call| async move { call?.next().await }).boxed()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, notice: Notice) {
        (self.notices)(notice);
    }

    fn call(&self, candidate: usize, request: Request) -> ChunkStream {
        self.meter.asked(self.gear);
        self.candidates[candidate].model.stream(request)
    }

    /// What a candidate's wire tells beside the answers.
    fn heard(self: &Arc<Self>, candidate: usize, event: WireEvent) {
        match event {
            WireEvent::Connected { took } => {
                let news = {
                    let mut state = self.lock();
                    let known = &mut state.known[candidate];
                    known.connected = true;
                    known.connect = Some(took);
                    // Sockets work (again).
                    known.pinned = None;
                    state.health.reached(candidate)
                };
                if news {
                    self.tell(Notice::Changed);
                }
            }
            WireEvent::AbandonedTokens { tokens } => self.meter.abandoned_tokens(self.gear, tokens),
            WireEvent::Abandoned(usage) => self.ended(candidate, &usage),
            WireEvent::Serves { model } => {
                // A name that is the right one is no proof: it may be the one that the request had.
                if !identity::is_same(&self.candidates[candidate].endpoint.model, &model) {
                    self.judge(candidate, Observed { announced: Some(&model), ..Observed::default() });
                }
            }
            WireEvent::Pinned { why } | WireEvent::Adapted { why } => {
                self.lock().known[candidate].pinned = Some(why);
                self.tell(Notice::Changed);
            }
            WireEvent::Quota { pool, what } => {
                let mut state = self.lock();
                let quotas = &mut state.known[candidate].quotas;
                if quotas.len() < QUOTAS || quotas.contains_key(&pool) {
                    quotas.insert(pool, what);
                }
            }
            WireEvent::Http { version, connected } => {
                let mut state = self.lock();
                let known = &mut state.known[candidate];
                known.version = Some(version);
                known.connect = connected.or(known.connect);
            }
        }
    }

    /// The first text of an answer came.
    fn speaks(&self, candidate: usize, after: Duration) {
        let news = {
            let mut state = self.lock();
            state.known[candidate].first_token = Some(after);
            state.health.answered(candidate)
        };
        if news {
            self.tell(Notice::Over { cause: self.cause(candidate) });
            self.tell(Notice::Changed);
        }
    }

    /// An answer ended by itself.
    fn ended(&self, candidate: usize, usage: &Usage) {
        let endpoint = &self.candidates[candidate].endpoint;
        self.meter.answered(self.gear, &endpoint.model, usage);
        // One that was cut off on the way says nothing of who writes, nor how fast.
        if usage.total.is_zero() && usage.model.is_none() {
            return;
        }
        let writing = usage.first_token.map_or(Duration::ZERO, |first| usage.total.saturating_sub(first));
        let (news, usual) = {
            let mut state = self.lock();
            let news = state.health.answered(candidate);
            let known = &mut state.known[candidate];
            known.served = usage.model.clone().or(known.served.take());
            known.tier = usage.tier.clone();
            known.first_token = usage.first_token.or(known.first_token);
            // An abandoned answer has no time.
            known.total = Some(usage.total).filter(|total| !total.is_zero()).or(known.total);
            known.rate = identity::rate(usage.output_tokens, writing).or(known.rate);
            let usual = capability::rate(endpoint).map(f64::from).or_else(|| median(&known.rates));
            if let Some(rate) = identity::rate_at_least(usage.output_tokens, writing) {
                known.rates.push_back(rate);
                if known.rates.len() > RATES {
                    known.rates.pop_front();
                }
            }
            (news, usual)
        };
        if news {
            self.tell(Notice::Over { cause: self.cause(candidate) });
        }
        self.judge(
            candidate,
            Observed {
                served: usage.model.as_deref(),
                served_tier: usage.tier.as_deref(),
                output_tokens: usage.output_tokens,
                writing,
                usual_rate: usual,
                ..Observed::default()
            },
        );
        self.tell(Notice::Changed);
    }

    /// Compares what came with what this candidate was asked for, and says so once in a session and pair.
    fn judge(&self, candidate: usize, observed: Observed<'_>) {
        let endpoint = &self.candidates[candidate].endpoint;
        let swap = identity::swap(Observed {
            asked: &endpoint.model,
            asked_tier: endpoint.service_tier.as_deref(),
            ..observed
        });
        let (changed, news) = {
            let mut state = self.lock();
            let changed = state.known[candidate].degraded != swap;
            let news = swap.as_ref().is_some_and(|swap| state.said.insert(swap.pair()));
            state.known[candidate].degraded = swap.clone();
            (changed, news)
        };
        if let Some(swap) = swap.filter(|_| news) {
            let (gear, provider) = (self.gear, &endpoint.provider);
            self.tell(Notice::Say {
                cause: format!("{gear} {}", swap.pair()),
                text: format!("Tandem: the {gear} gear is not what it should be: {swap} (at {provider})"),
            });
        }
        if changed {
            self.tell(Notice::Changed);
        }
    }

    /// A candidate failed before any text of its answer.
    fn failed(&self, candidate: usize, error: &ModelError, explicit: bool) {
        let (moved, turn) = {
            let mut state = self.lock();
            let moved = state.health.failed(candidate, error, Instant::now().into_std());
            (moved, state.health.turn())
        };
        let gear = self.gear;
        if moved {
            let text = match turn {
                Some(next) => {
                    let Endpoint { model, provider, .. } = &self.candidates[next].endpoint;
                    self.candidates[next].model.warm();
                    format!("Tandem: the {gear} gear asks {model} at {provider} from now on: {error}")
                }
                None if gear == "fast" => {
                    format!(
                        "Tandem: no fast model answers: {error}. The local engine does, until one is back; `tandem doctor` says what to do"
                    )
                }
                None => {
                    format!("Tandem: no {gear} model answers: {error}; `tandem doctor` says what to do")
                }
            };
            self.tell(Notice::Say { cause: self.cause(candidate), text });
        } else if blame(error) == Blame::Request && !explicit {
            self.gave_nothing(error);
        }
        if blame(error) != Blame::Request {
            self.look.notify_one();
            self.tell(Notice::Changed);
        }
    }

    /// A request in the background failed, and no caller will say so.
    fn gave_nothing(&self, error: &ModelError) {
        let gear = self.gear;
        let text = format!("Tandem: no answer from the {gear} gear: {error}");
        self.tell(Notice::Say { cause: format!("{gear} request"), text });
    }

    fn cause(&self, candidate: usize) -> String {
        format!("{} candidate {candidate}", self.gear)
    }
}

impl Drop for Fallback {
    fn drop(&mut self) {
        // Its task looks whether there is anything left to look after.
        self.shared.look.notify_one();
    }
}

impl std::fmt::Debug for Fallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fallback").field("gear", &self.shared.gear).finish_non_exhaustive()
    }
}

/// The middle one, if there are enough to say what is usual.
fn median(rates: &VecDeque<f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = rates.iter().copied().collect();
    sorted.sort_by(f64::total_cmp);
    (sorted.len() >= RATES_NEEDED).then(|| sorted[sorted.len() / 2])
}
