//! State shared by the calls of one gear, its wires and its background task: the standing of its
//! candidates, and the observations of each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::config::{Endpoint, FimDialect, Wire};
use crate::lock::Mutex;
use crate::model::candidates::Candidates;
use crate::model::health::{Blame, blame};
use crate::model::hedge::hedged;
use crate::model::identity::{self, Observed, Swap};
use crate::model::limits::{QUOTAS, RATES, RATES_NEEDED};
use crate::model::speed::Speed;
use crate::model::usage::{Meter, Reservation};
use crate::model::{ChunkStream, Claim, Model, ModelError, Request, Usage, WireEvent, capability};

/// A notice to be shown at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The displayed status has changed.
    Changed,
    /// A message for the user, shown once per `cause`.
    Say {
        /// Identifies messages that are the same to the user.
        cause: String,
        /// Complete sentences.
        text: String,
    },
    /// No candidate of a gear answers any more.
    ///
    /// Like [`Notice::Say`], but in addition to the error of the call that found it: a caller that
    /// shows the error need not show this as well.
    NoneAnswers {
        /// As in [`Notice::Say`].
        cause: String,
        /// Complete sentences.
        text: String,
    },
    /// The message with this cause, as in [`Notice::Say`], no longer applies.
    Over(String),
}

/// Receives notices. Called from wherever they arise: it must not block.
pub type Notices = Arc<dyn Fn(Notice) + Send + Sync>;

/// The state of one gear.
pub(super) struct Shared {
    pub(super) gear: &'static str,
    pub(super) candidates: Vec<Candidate>,
    pub(super) meter: Arc<Meter>,
    pub(super) notices: Notices,
    pub(super) state: Mutex<Progress>,
    /// The other gear, which may ask the same servers.
    pub(super) peer: Mutex<Weak<Shared>>,
    /// Notified when a probe may find something new.
    pub(super) look: Arc<Notify>,
}

pub(super) struct Candidate {
    pub(super) endpoint: Endpoint,
    pub(super) model: Arc<dyn Model>,
    /// When a request is sent again if its answer has not begun, if ever.
    pub(super) hedge: Option<Duration>,
}

impl Candidate {
    pub(super) fn stream(&self, request: Request) -> ChunkStream {
        match self.hedge {
            Some(after) => hedged(&self.model, after, request),
            None => self.model.stream(request),
        }
    }
}

pub(super) struct Progress {
    pub(super) health: Candidates,
    pub(super) known: Vec<CandidateStats>,
    /// Swaps that were reported: each pair once per session.
    pub(super) said: BTreeSet<String>,
    /// Whether the background task runs.
    pub(super) watched: bool,
}

/// Observations of one candidate.
#[derive(Debug, Clone)]
pub(super) struct CandidateStats {
    pub(super) speed: Speed,
    /// The dialect in which its server takes code at a cursor.
    ///
    /// `None` unless it was found to differ from the wire's.
    pub(super) code_dialect: Option<FimDialect>,
    /// The last prompt; empty if the model reads so quickly that it does not matter.
    pub(super) last_prompt: Vec<u8>,
    /// The window as listed by its provider: input and output tokens together.
    pub(super) window: Option<u32>,
    /// Whether the server keeps the last prompt cached.
    pub(super) has_cache: bool,
    pub(super) served: Option<String>,
    pub(super) tier: Option<String>,
    pub(super) degraded: Option<Swap>,
    pub(super) first_token: Option<Duration>,
    pub(super) total: Option<Duration>,
    pub(super) rate: Option<f64>,
    pub(super) rates: VecDeque<f64>,
    pub(super) quotas: BTreeMap<String, String>,
    /// The HTTP version, if the wire is HTTP.
    pub(super) version: Option<String>,
    /// Duration of the last connection setup.
    pub(super) connect: Option<Duration>,
    pub(super) pinned: Option<String>,
    /// Whether its wire ever connected.
    pub(super) connected: bool,
}

impl CandidateStats {
    pub(super) fn new(endpoint: &Endpoint) -> Self {
        Self {
            speed: Speed::new(&capability::assumption(endpoint), endpoint.wait),
            code_dialect: None,
            last_prompt: Vec::new(),
            window: None,
            has_cache: true,
            served: None,
            tier: None,
            degraded: None,
            first_token: None,
            total: None,
            rate: None,
            rates: VecDeque::new(),
            quotas: BTreeMap::new(),
            version: None,
            connect: None,
            pinned: None,
            connected: false,
        }
    }

    /// The dialect in which the candidate is asked for code at a cursor over a wire.
    ///
    /// `None` if it is asked with instructions.
    ///
    /// A model that reads slowly continues code if its server supports that: instructions cost it a
    /// second, and small models hardly follow them.
    pub(super) fn code_dialect(&self, wire: Wire) -> Option<FimDialect> {
        match wire {
            Wire::Fim(dialect) => Some(self.code_dialect.unwrap_or(dialect)),
            _ => self.code_dialect.filter(|_| !self.speed.pace().is_quick()),
        }
    }

    /// Why code at a cursor is requested in another dialect than the wire's, if so.
    pub(super) fn why_code_dialect(&self, wire: Wire) -> Option<&'static str> {
        let dialect = self.code_dialect(wire)?;
        match (wire, dialect) {
            (Wire::Fim(own), other) if own == other => None,
            (Wire::Fim(_), FimDialect::Continuation) => {
                Some("without the code behind the cursor, since the model cannot fill in the middle")
            }
            (Wire::Fim(_), _) => {
                Some("over `/infill`, since llama.cpp's `/completions` leaves out what is behind the cursor")
            }
            (_, FimDialect::Continuation) => {
                Some("ghost text as code to go on with: slow models do that better than follow instructions")
            }
            _ => Some("ghost text as code to fill in: slow models do that better than follow instructions"),
        }
    }

    /// Bytes of a prompt after its common prefix with the last one.
    pub(super) fn unread(&self, prompt: &[u8]) -> usize {
        let is_kept = |(old, new): &(&u8, &u8)| self.has_cache && old == new;
        prompt.len() - self.last_prompt.iter().zip(prompt).take_while(is_kept).count()
    }
}

impl Shared {
    /// The other gear, if there is one.
    pub(super) fn peer(&self) -> Option<Arc<Self>> {
        self.peer.lock().upgrade()
    }

    pub(super) fn set_peer(&self, peer: Weak<Self>) {
        *self.peer.lock() = peer;
    }

    pub(super) fn tell(&self, notice: Notice) {
        (self.notices)(notice);
    }

    pub(super) fn call(
        &self,
        candidate: usize,
        mut request: Request,
        reserved: &Arc<Reservation>,
    ) -> ChunkStream {
        request.claim = Claim::of(reserved, reserved.input_tokens());
        self.meter.asked(self.gear, request.job, &self.candidates[candidate].endpoint);
        request.fim = request.fim.filter(|_| self.code_dialect(candidate).is_some());
        self.candidates[candidate].stream(request)
    }

    /// Reserves what a request to a candidate may take, whose prompt has these bytes.
    pub(super) fn reserve(&self, candidate: usize, request: &Request, bytes: usize) -> Arc<Reservation> {
        let token_bytes = self.state.lock().known[candidate].speed.pace().token_bytes;
        let input = (bytes as f64 / token_bytes) as u64;
        let endpoint = &self.candidates[candidate].endpoint;
        Arc::new(self.meter.reserve(request.job, endpoint, input, request.max_output_tokens))
    }

    /// The bytes that a candidate reads of a request.
    pub(super) fn prompt(&self, candidate: usize, request: &Request) -> Vec<u8> {
        let code_dialect = self.code_dialect(candidate);
        request.read_bytes(request.form(&self.candidates[candidate].endpoint, code_dialect))
    }

    /// The dialect in which a candidate is asked for code at a cursor.
    ///
    /// `None` if it is asked with instructions.
    pub(super) fn code_dialect(&self, candidate: usize) -> Option<FimDialect> {
        self.state.lock().known[candidate].code_dialect(self.candidates[candidate].endpoint.wire)
    }

    /// Handles an event that a candidate's wire reports besides the answers.
    pub(super) fn heard(self: &Arc<Self>, candidate: usize, event: WireEvent) {
        match event {
            WireEvent::Connected(took) => {
                let news = {
                    let mut state = self.state.lock();
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
            WireEvent::AbandonedTokens { tokens, .. } => self.meter.abandoned_tokens(self.gear, tokens),
            WireEvent::Abandoned { job, usage, .. } => self.ended(candidate, job, &usage),
            WireEvent::Serves(model) => {
                // A matching name is not proof: it may be copied from the request.
                if !identity::is_same(&self.candidates[candidate].endpoint.model, &model) {
                    self.judge(candidate, Observed { announced: Some(&model), ..Observed::default() });
                }
            }
            WireEvent::CodeDialect(dialect) => {
                self.state.lock().known[candidate].code_dialect = dialect;
                self.tell(Notice::Changed);
            }
            WireEvent::Pinned(why) => {
                self.state.lock().known[candidate].pinned = Some(why);
                self.tell(Notice::Changed);
            }
            WireEvent::Quota { pool, what } => {
                let mut state = self.state.lock();
                let quotas = &mut state.known[candidate].quotas;
                if quotas.len() < QUOTAS || quotas.contains_key(&pool) {
                    quotas.insert(pool, what);
                }
            }
            WireEvent::Said(text) => {
                let provider = &self.candidates[candidate].endpoint.provider;
                let text = format!("Tandem: the language server of {provider} says: {text}");
                self.tell(Notice::Say { cause: text.clone(), text });
            }
            WireEvent::Http { version, connected } => {
                let mut state = self.state.lock();
                let known = &mut state.known[candidate];
                known.version = Some(version);
                known.connect = connected.or(known.connect);
            }
        }
    }

    pub(super) fn record_first_text(&self, candidate: usize, after: Duration) {
        let news = {
            let mut state = self.state.lock();
            state.known[candidate].first_token = Some(after);
            state.health.answered(candidate)
        };
        if news {
            self.over(candidate);
            self.tell(Notice::Changed);
        }
    }

    /// Records an answer that has ended.
    pub(super) fn ended(&self, candidate: usize, job: &'static str, usage: &Usage) {
        let endpoint = &self.candidates[candidate].endpoint;
        self.meter.answered(self.gear, job, endpoint, usage);
        // An answer that was cut off shows neither the model nor its speed.
        if usage.total.is_zero() && usage.model.is_none() {
            return self.tell(Notice::Changed);
        }
        let writing = usage.first_token.map_or(Duration::ZERO, |first| usage.total.saturating_sub(first));
        let (news, usual) = {
            let mut state = self.state.lock();
            let news = state.health.answered(candidate);
            let known = &mut state.known[candidate];
            known.served = usage.model.clone().or(known.served.take());
            known.tier = usage.tier.clone();
            known.first_token = usage.first_token.or(known.first_token);
            // An abandoned answer has no total time.
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
            self.over(candidate);
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

    /// Compares an answer with what this candidate was asked for, and reports a swap once per
    /// session and pair.
    pub(super) fn judge(&self, candidate: usize, observed: Observed<'_>) {
        let endpoint = &self.candidates[candidate].endpoint;
        let swap = identity::swap(Observed {
            asked: &endpoint.model,
            asked_tier: endpoint.service_tier.as_deref(),
            ..observed
        });
        let (changed, news) = {
            let mut state = self.state.lock();
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

    /// Handles a failure of a candidate before the first text of its answer.
    pub(super) fn failed(&self, candidate: usize, error: &ModelError, explicit: bool) {
        let (moved, turn) = {
            let mut state = self.state.lock();
            let moved = state.health.failed(candidate, error, Instant::now().into_std());
            (moved, state.health.active())
        };
        if moved {
            if let Some(next) = turn {
                self.candidates[next].model.warm();
            }
            self.tell(self.outage(candidate, error));
        } else if blame(error) == Blame::Request
            && !explicit
            // An item that does not fit is nothing to tell the user of.
            && !matches!(error, ModelError::LanguageServer { .. })
        {
            self.report_failed_request(error);
        }
        if blame(error) != Blame::Request {
            self.look.notify_one();
            self.tell(Notice::Changed);
        }
    }

    /// Reports the failure of a background request, which no caller reports.
    pub(super) fn report_failed_request(&self, error: &ModelError) {
        let gear = self.gear;
        let text = format!("Tandem: no answer from the {gear} gear: {error}");
        self.tell(Notice::Say { cause: format!("{gear} request"), text });
    }

    pub(super) fn cause(&self, candidate: usize) -> String {
        format!("{} candidate {candidate}", self.gear)
    }
}

/// The median, if there are enough rates to call it usual.
fn median(rates: &VecDeque<f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = rates.iter().copied().collect();
    sorted.sort_by(f64::total_cmp);
    (sorted.len() >= RATES_NEEDED).then(|| sorted[sorted.len() / 2])
}
