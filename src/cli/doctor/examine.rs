//! The examination itself: each thing looked at, in the order in which a request meets it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::editors::{Places, editors};
use super::findings::{
    Budget, Candidate, Config, Findings, Gear, Key, Listed, Measured, MeasuredSpeed, Problem, Quota,
};
use crate::cli::environment;
use crate::cli::limits::CONNECT_TIMEOUT;
use crate::cli::local_servers as local;
use crate::config::{self, Day, Endpoint, FimDialect, Keys, Role, Settings, Sources, Wire};
use crate::disk::Readers;
use crate::grammar;
use crate::model::identity::{self, Observed};
use crate::model::retirement;
use crate::model::usage::{DayFiles, Meter, Terms, cost, default_folder, price_of, today};
use crate::model::{Listener, ModelError, Usage, WireEvent, capability, connect_to, probe};
use crate::text::nearest;

/// About what one small request takes: its instructions, and the least that may be asked
/// for.
const SMALL: Usage = Usage {
    model: None,
    tier: None,
    input_tokens: 30,
    cached_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 16,
    truncated: false,
    unexplained: false,
    bytes_up: 0,
    times: None,
    first_token: None,
    total: Duration::ZERO,
};

/// What there is to look at.
pub(super) struct Examination {
    path: Option<PathBuf>,
    settings: Arc<Settings>,
    problems: Vec<String>,
    meter: Arc<Meter>,
    requests: u32,
}

/// What the examination will take, about.
pub(super) struct Bill {
    pub(super) requests: u64,
    pub(super) tokens: u64,
    /// Of those whose price is known.
    pub(super) dollars: f64,
    pub(super) unpriced: bool,
}

impl Examination {
    /// Reads the configuration.
    ///
    /// # Errors
    ///
    /// There is no current folder.
    pub(super) fn begin(path: Option<PathBuf>, requests: u32) -> anyhow::Result<Self> {
        let folders = [std::env::current_dir()?];
        let variable = |name: &str| std::env::var(name).ok();
        let sources = Sources {
            file: path.as_deref(),
            editor: &[],
            folders: &folders,
            variable: &variable,
            readers: &Readers::default(),
        };
        let loaded = config::load(&sources, &mut Keys::default(), true);
        let settings = Arc::clone(loaded.settings.everywhere());
        // Why a candidate is left out stands with the candidate.
        let problems = loaded.problems.iter().filter(|it| !it.is_of_candidate());
        let problems = problems.map(ToString::to_string).collect();
        let files = default_folder().map(|folder| DayFiles::new(&folder));
        let meter = Meter::new(settings.budget, settings.prices.clone(), files);
        Ok(Self { path, settings, problems, meter: Arc::new(meter), requests })
    }

    /// What will be asked: by gear, each candidate over each of its wires.
    fn plan(&self) -> Vec<(&'static str, &Endpoint, Vec<Wire>)> {
        let gears = [("fast", &self.settings.fast), ("deep", &self.settings.deep)];
        let candidates =
            gears.into_iter().flat_map(|(gear, role)| role.candidates.iter().map(move |it| (gear, it)));
        candidates.map(|(gear, endpoint)| (gear, endpoint, wires(endpoint))).collect()
    }

    /// What that will take, about.
    pub(super) fn bill(&self) -> Bill {
        let mut bill = Bill { requests: 0, tokens: 0, dollars: 0.0, unpriced: false };
        for (gear, endpoint, wires) in self.plan() {
            let requests = wires.len() as u64 * u64::from(self.requests_of(gear));
            bill.requests += requests;
            bill.tokens += requests * (SMALL.input_tokens + SMALL.output_tokens);
            match price_of(&self.settings.prices, &endpoint.model) {
                Some(price) => {
                    bill.dollars += requests as f64 * cost(&SMALL, &price, Terms::of(endpoint, today()));
                }
                None => bill.unpriced |= requests > 0,
            }
        }
        bill
    }

    /// A model that thinks takes its time: one answer says enough.
    fn requests_of(&self, gear: &str) -> u32 {
        if gear == "deep" { self.requests.min(1) } else { self.requests }
    }

    pub(super) async fn run(self, places: &[local::Place]) -> Findings {
        let mut gears = Vec::new();
        for (name, role) in [("fast", &self.settings.fast), ("deep", &self.settings.deep)] {
            gears.push(self.gear(name, role).await);
        }
        let roles = [&self.settings.fast, &self.settings.deep];
        let used: Vec<String> =
            roles.iter().flat_map(|role| role.candidates.iter().map(|it| it.base_url.clone())).collect();
        let local = local::look(places, &used).await;
        // Writing the day down is a file's work.
        let meter = Arc::clone(&self.meter);
        if tokio::task::spawn_blocking(move || meter.flush()).await.is_err() {
            tracing::warn!("what was spent was not written down");
        }
        let totals = self.meter.totals();
        Findings {
            version: env!("CARGO_PKG_VERSION"),
            config: Config {
                exists: self.path.as_deref().is_some_and(std::path::Path::exists),
                path: self.path.map(|path| path.display().to_string()),
                problems: self.problems,
                remarks: unknown_languages(&self.settings),
            },
            gears,
            local,
            editors: Places::of_user().map(|it| editors(&it)).unwrap_or_default(),
            budget: Budget {
                here: totals.session,
                today: totals.day,
                caps: caps(&self.settings.budget),
                reached: self.meter.capped(),
            },
        }
    }

    async fn gear(&self, name: &'static str, role: &Role) -> Gear {
        let mut candidates = Vec::new();
        for endpoint in &role.candidates {
            candidates.push(self.candidate(name, endpoint).await);
        }
        candidates.extend(role.left_out.iter().map(|it| Candidate {
            provider: it.provider.clone(),
            model: it.model.clone(),
            problem: Some(Problem {
                what: it.why.clone(),
                next_step: match &it.variable {
                    Some(variable) => environment::how_to_set(variable),
                    None => "correct it in the configuration, or remove the candidate".to_owned(),
                },
            }),
            ..Candidate::default()
        }));
        Gear { name, candidates }
    }

    async fn candidate(&self, gear: &'static str, endpoint: &Endpoint) -> Candidate {
        let mut found = Candidate {
            provider: endpoint.provider.clone(),
            model: endpoint.model.clone(),
            url: Some(endpoint.base_url.clone()),
            key: Some(if endpoint.key.is_some() { Key::Present } else { Key::NotNeeded }),
            road: Some(road(endpoint)),
            in_vain: capability::ignored_settings(endpoint),
            ..Candidate::default()
        };
        let mut is_small_server = false;
        let listed = match probe::listed(endpoint).await {
            Ok(Some(models)) => {
                let is_there = models.iter().any(|it| identity::is_same(&endpoint.model, &it.name));
                found.listed = Some(if is_there { Listed::Yes } else { Listed::No });
                is_small_server = models.iter().any(|it| capability::is_small_server(&it.owner));
                let shutdown = models
                    .iter()
                    .find(|it| identity::is_same(&endpoint.model, &it.name))
                    .and_then(|it| it.shutdown);
                found.retires = shutdown.and_then(|day| retirement::clause(day, Day(today())));
                models.into_iter().map(|it| it.name).collect()
            }
            Ok(None) => {
                found.listed = Some(Listed::NoList);
                Vec::new()
            }
            Err(error) => {
                found.problem = Some(Problem::of(&error, &endpoint.provider, &[]));
                Vec::new()
            }
        };
        let (requests, is_there) = (self.requests_of(gear), found.problem.is_none());
        if requests == 0 {
            // Reachable and not known to be missing is all that can be said.
            found.answers = found.problem.is_none() && found.listed != Some(Listed::No);
            return found;
        }
        for wire in wires(endpoint) {
            let asking = (requests, is_there);
            let (measured, swapped, outcome) = self.measure(gear, endpoint, wire, asking).await;
            found.swapped = found.swapped.or(swapped);
            if wire == endpoint.wire {
                found.answers = outcome.is_ok();
                found.problem = outcome.err().map(|error| Problem::of(&error, &endpoint.provider, &listed));
            }
            found.wires.push(measured);
        }
        if found.answers && is_small_server {
            found.speed = self.speed(gear, endpoint).await;
        }
        found
    }

    /// How fast a model is that costs nothing to ask. One more request, somewhat longer than the others.
    async fn speed(&self, gear: &'static str, endpoint: &Endpoint) -> Option<MeasuredSpeed> {
        let model = connect_to(endpoint.clone(), Arc::new(|_| {}));
        self.meter.asked(gear);
        match probe::pace(&*model, endpoint).await {
            Ok((pace, usage)) => {
                self.meter.answered(gear, endpoint, &usage);
                Some(MeasuredSpeed {
                    tokens_read_per_second: pace.reading.round(),
                    tokens_written_per_second: pace.writing.round(),
                    expectation: pace.expectation(),
                })
            }
            Err(error) => {
                tracing::debug!(%error, "the speed was not measured");
                None
            }
        }
    }

    /// A few small requests over one wire; they wait for a connection if the server is there.
    async fn measure(
        &self,
        gear: &'static str,
        endpoint: &Endpoint,
        wire: Wire,
        (requests, is_there): (u32, bool),
    ) -> (Measured, Option<String>, Result<(), ModelError>) {
        let heard: Arc<Mutex<Heard>> = Arc::default();
        let listener: Listener = {
            let heard = Arc::clone(&heard);
            Arc::new(move |event| heard.lock().unwrap_or_else(PoisonError::into_inner).note(event))
        };
        let heard = || heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let model = connect_to(Endpoint { wire, ..endpoint.clone() }, listener);
        model.warm();
        let began = Instant::now();
        while is_there && heard().connect.is_none() && began.elapsed() < CONNECT_TIMEOUT {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let (mut first, mut total) = (Vec::new(), Vec::new());
        let mut swapped = None;
        let mut outcome = Ok(());
        for _ in 0..requests {
            if let Some(why) = self.meter.capped() {
                outcome = Err(ModelError::Capped { why });
                break;
            }
            self.meter.asked(gear);
            match probe::ask(&*model).await {
                Ok(usage) => {
                    self.meter.answered(gear, endpoint, &usage);
                    first.extend(usage.first_token);
                    total.push(usage.total);
                    let swap = identity::swap(Observed {
                        asked: &endpoint.model,
                        served: usage.model.as_deref(),
                        asked_tier: endpoint.service_tier.as_deref(),
                        served_tier: usage.tier.as_deref(),
                        ..Observed::default()
                    });
                    swapped = swapped.or(swap.map(|it| it.to_string()));
                }
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        let Heard { connect, version, quotas, pinned } = heard();
        // What came over another wire says nothing about this one.
        let is_other = pinned.is_some();
        let measured = Measured {
            wire: wire_name(endpoint, wire),
            http_version: version.filter(|_| !is_other),
            requests: if is_other { 0 } else { u32::try_from(total.len()).unwrap_or(u32::MAX) },
            connect_ms: connect.filter(|_| !is_other).map(milliseconds),
            first_token_ms: median(first).filter(|_| !is_other),
            total_ms: median(total).filter(|_| !is_other),
            quotas: quotas.into_iter().map(|(name, used)| Quota { name, used }).collect(),
            problem: outcome.as_ref().err().map(ToString::to_string).or(pinned),
        };
        (measured, swapped, outcome)
    }
}

/// The languages of the settings that are probably slips. Editors may have others than those that are known here.
fn unknown_languages(settings: &Settings) -> Vec<String> {
    let unknown = settings.languages.keys().filter(|id| grammar::by_language_id(id).is_none());
    let remark = |id: &String| {
        let guess = nearest(id, grammar::language_ids())?;
        Some(format!("languages.{id}: no grammar has this `languageId`; did you mean `{guess}`?"))
    };
    unknown.filter_map(remark).collect()
}

/// What a wire told beside its answers.
#[derive(Debug, Clone, Default)]
struct Heard {
    connect: Option<Duration>,
    /// Of HTTP, the last one.
    version: Option<String>,
    quotas: BTreeMap<String, String>,
    /// Why another wire was used.
    pinned: Option<String>,
}

impl Heard {
    fn note(&mut self, event: WireEvent) {
        match event {
            WireEvent::Connected { took } => self.connect = self.connect.or(Some(took)),
            WireEvent::Http { version, connected } => {
                self.connect = self.connect.or(connected);
                self.version = Some(version);
            }
            WireEvent::Quota { pool, what } => drop(self.quotas.insert(pool, what)),
            WireEvent::Pinned { why } => self.pinned = Some(why),
            _ => {}
        }
    }
}

/// The wires that are measured: the one that is used, and HTTP beside the socket, to see
/// what the socket is worth here.
fn wires(endpoint: &Endpoint) -> Vec<Wire> {
    match endpoint.wire {
        // A model that was trained to predict edits has an endpoint of its own, whatever the wire is.
        wire if endpoint.edit_dialect.is_some() => vec![wire],
        Wire::ResponsesWebsocket => vec![Wire::ResponsesWebsocket, Wire::ResponsesSse],
        wire => vec![wire],
    }
}

fn wire_name(endpoint: &Endpoint, wire: Wire) -> &'static str {
    match wire {
        _ if endpoint.edit_dialect.is_some() => "HTTP, next edits",
        Wire::ResponsesWebsocket => "WebSocket",
        Wire::ResponsesSse => "HTTP",
        Wire::Chat => "HTTP, chat",
        Wire::Fim(FimDialect::Completions | FimDialect::Continuation) => "HTTP, completions",
        Wire::Fim(FimDialect::Infill) => "HTTP, infill",
        Wire::Fim(FimDialect::Mistral) => "HTTP, FIM",
    }
}

/// How an endpoint is reached, without anything secret.
fn road(endpoint: &Endpoint) -> String {
    let secure = endpoint.base_url.starts_with("https") || endpoint.base_url.starts_with("wss");
    let mut road = if secure { "TLS" } else { "no TLS" }.to_owned();
    if let Some(ca_file) = &endpoint.ca_file {
        road += &format!(", certificates of {}", ca_file.display());
    }
    if endpoint.proxy.is_some() {
        road += ", through a proxy";
    }
    road
}

fn caps(budget: &config::Budget) -> Vec<String> {
    let dollars = |name, cap: Option<f64>| cap.map(|cap| format!("{name} ${cap}"));
    let tokens = |name, cap: Option<u64>| cap.map(|cap| format!("{name} {cap}"));
    [
        dollars("session_dollars", budget.session_dollars),
        dollars("day_dollars", budget.day_dollars),
        tokens("session_tokens", budget.session_tokens),
        tokens("day_tokens", budget.day_tokens),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn median(mut durations: Vec<Duration>) -> Option<f64> {
    durations.sort();
    durations.get(durations.len() / 2).copied().map(milliseconds)
}

/// To a tenth.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e4).round() / 10.0
}
