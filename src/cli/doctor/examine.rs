//! The examination: runs the checks in the order in which a request depends on them.

mod wire;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::editors::{Places, editors};
use super::findings::{
    Budget, Candidate, Check, Config, Findings, Gear, KeyState, Lease, Listed, MeasuredSpeed, Mistake,
    Policy, Problem,
};
use crate::assist::plan::{Sandbox, missing_program};
use crate::cli::environment;
use crate::cli::local_servers as local;
use crate::cli::settings;
use crate::compare::duel::Duel;
use crate::compare::trial::Trial;
use crate::config::{self, Endpoint, Role, Settings, Wire};
use crate::grammar;
use crate::lsp::DuelFile;
use crate::model::gears::CANARY;
use crate::model::leases::LeaseNews;
use crate::model::probe::Listing;
use crate::model::usage::{Meter, Terms, cost, default_folder, price_at, today};
use crate::model::{ErrorKind, ModelError, Usage, capability, connect_to, identity, probe, retirement};
use crate::text::Day;
use crate::text::nearest;
use wire::{Probed, WireProbe, wires_of};

/// The inputs of the examination.
pub(super) struct Examination {
    path: Option<PathBuf>,
    settings: Arc<Settings>,
    problems: Vec<Mistake>,
    policy: Option<Policy>,
    meter: Arc<Meter>,
    requests: u32,
}

/// The estimated requests, tokens and cost of the examination.
pub(super) struct Bill {
    pub(super) requests: u64,
    pub(super) tokens: u64,
    /// The cost of the models with a known price.
    pub(super) dollars: f64,
    pub(super) unpriced: bool,
}

/// The `verify` command, and the sandbox that confines it on this machine.
async fn check(settings: &Settings) -> Option<Check> {
    let verify = settings.verify.as_ref()?;
    let sandbox = match verify.sandbox {
        true => tokio::task::spawn_blocking(Sandbox::available).await.ok().flatten(),
        false => None,
    };
    // A relative path is one in the project, which may not be the current folder.
    let is_in_project =
        verify.command.first().is_some_and(|it| it.contains('/') && Path::new(it).is_relative());
    let is_there = is_in_project || Sandbox::program(verify, Path::new("")).is_some();
    Some(Check {
        command: verify.shown(),
        problem: (!is_there).then(|| missing_program(verify)),
        sandbox: sandbox.map(|it| it.describe(verify)),
        wants_sandbox: verify.sandbox,
    })
}

impl Examination {
    /// Reads the configuration.
    pub(super) fn begin(path: Option<PathBuf>, requests: u32) -> anyhow::Result<Self> {
        let folders = [std::env::current_dir()?];
        settings::refresh_policy(Duration::ZERO);
        let loaded = settings::read(path.as_deref(), &[], &folders, true);
        let settings = Arc::clone(loaded.settings.everywhere());
        let policy = settings.policy.as_deref().map(|report| Policy {
            report: report.json(),
            line: report.line(SystemTime::now()),
            rules: report.rules().collect(),
            problem: loaded.problems.iter().find(|it| it.is_of_policy()).map(ToString::to_string),
        });
        // Problems of a candidate are reported with the candidate, and those of the policy with it.
        let problems = loaded.problems.iter().filter(|it| !it.is_of_candidate() && !it.is_of_policy());
        let mistake =
            |it: &config::Problem| Mistake { what: it.to_string(), keeps_models_off: it.keeps_models_off() };
        let problems = problems.map(mistake).collect();
        let meter = Arc::new(settings::meter(&settings));
        Ok(Self { path, settings, problems, policy, meter, requests })
    }

    /// The candidates of each gear, with the wires over which each will be asked.
    fn plan(&self) -> Vec<(&'static str, &Endpoint, Vec<Wire>)> {
        let gears = self.gears().into_iter();
        gears
            .flat_map(|(gear, role)| role.candidates.iter().map(move |it| (gear, it, wires_of(it))))
            .collect()
    }

    fn gears(&self) -> Vec<(&'static str, &Role)> {
        let canary = self.settings.canary.iter().map(|it| (CANARY, &it.role));
        [("fast", &self.settings.fast), ("deep", &self.settings.deep)].into_iter().chain(canary).collect()
    }

    /// Estimates the cost of the examination.
    pub(super) fn bill(&self) -> Bill {
        let mut bill = Bill { requests: 0, tokens: 0, dollars: 0.0, unpriced: false };
        // The approximate size of a small request: its instructions, and the smallest output limit.
        let small = Usage { input_tokens: 30, output_tokens: 16, ..Usage::default() };
        // A language server is started, and asked nothing.
        for (gear, endpoint, wires) in self.plan().into_iter().filter(|it| it.1.wire != Wire::Lsp) {
            let requests = wires.len() as u64 * u64::from(self.requests_of(gear));
            bill.requests += requests;
            bill.tokens += requests * (small.input_tokens + small.output_tokens);
            match price_at(&self.settings.prices, endpoint, None) {
                Some(price) => {
                    bill.dollars += requests as f64 * cost(&small, &price, Terms::of(endpoint, today()));
                }
                None => bill.unpriced |= requests > 0,
            }
        }
        bill
    }

    /// The number of requests per wire: at most one for the deep gear, since reasoning models are slow.
    fn requests_of(&self, gear: &str) -> u32 {
        if gear == "deep" { self.requests.min(1) } else { self.requests }
    }

    pub(super) async fn run(self, places: &[local::DefaultAddress]) -> Findings {
        self.meter.lease_from(self.settings.lease.as_ref(), &(Arc::new(|_| ()) as LeaseNews));
        if let Some(lease) = self.meter.awaited_lease() {
            lease.settled().await;
        }
        let mut gears = Vec::new();
        for (name, role) in self.gears() {
            gears.push(self.gear(name, role).await);
        }
        let used: Vec<String> = self.plan().iter().map(|(_, it, _)| it.base_url.clone()).collect();
        let local = local::look(places, &used).await;
        // Saving the day's spending blocks on a file.
        let meter = Arc::clone(&self.meter);
        if tokio::task::spawn_blocking(move || meter.flush()).await.is_err() {
            tracing::warn!("what was spent was not written down");
        }
        let totals = self.meter.totals();
        let verify = check(&self.settings).await;
        Findings {
            version: env!("CARGO_PKG_VERSION"),
            config: Config {
                exists: self.path.as_deref().is_some_and(std::path::Path::exists),
                path: self.path.map(|path| path.display().to_string()),
                problems: self.problems,
                remarks: unknown_languages(&self.settings),
            },
            policy: self.policy,
            gears,
            canary: duel(&self.settings),
            local,
            editors: Places::of_user().map(|it| editors(&it)).unwrap_or_default(),
            budget: Budget {
                here: totals.session,
                today: totals.day,
                caps: caps(&self.settings.budget),
                reached: self.meter.capped(),
                lease: self.meter.lease().as_ref().map(Lease::of),
            },
            verify,
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
            key: Some(key_state(endpoint, false)),
            road: Some(road(endpoint)),
            in_vain: capability::ignored_settings(endpoint),
            ..Candidate::default()
        };
        let mut is_small_server = false;
        let listed = match probe::listed(endpoint).await {
            Ok(Listing::Models(models)) => {
                let is_there = models.iter().any(|it| identity::is_same(&endpoint.model, &it.name));
                found.listed = Some(if is_there { Listed::Yes } else { Listed::No });
                is_small_server = models.iter().any(|it| capability::is_small_server(&it.owner));
                let shutdown = models
                    .iter()
                    .find(|it| identity::is_same(&endpoint.model, &it.name))
                    .and_then(|it| it.shutdown);
                found.retires = shutdown.and_then(|day| retirement::clause(day, Day(today())));
                // The other models, to suggest alternatives.
                let others = models.into_iter().filter(|it| !identity::is_same(&endpoint.model, &it.name));
                others.map(|it| it.name).collect()
            }
            // A server that refuses the list also refuses the requests below, or else it does not matter.
            Ok(list @ (Listing::None | Listing::Refused(_))) => {
                found.key = Some(key_state(endpoint, matches!(list, Listing::Refused(_))));
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
            // Without requests, only reachability and the list are known.
            found.only_reached = found.problem.is_none() && found.listed != Some(Listed::No);
            return found;
        }
        for wire in wires_of(endpoint) {
            let probe = WireProbe { meter: &self.meter, gear, endpoint, wire, requests, is_there };
            let Probed { measured, swapped, outcome } = probe.run().await;
            found.swapped = found.swapped.or(swapped);
            if wire == endpoint.wire {
                found.answers = outcome.is_ok();
                let refuses_key = outcome.as_ref().is_err_and(|error| error.kind().is_of_key());
                found.key = Some(key_state(endpoint, refuses_key));
                found.problem = outcome.err().map(|error| problem(&error, endpoint, &listed));
            }
            found.wires.push(measured);
        }
        let is_late = |token: &config::Token| token.known().issued.as_ref().is_some_and(|it| it.is_late);
        if found.answers && endpoint.token.as_ref().is_some_and(is_late) {
            let late = "the token had ended when it came, by this machine's clock, which may be wrong";
            found.in_vain.push(late.to_owned());
        }
        if found.answers && is_small_server {
            found.speed = self.speed(gear, endpoint).await;
        }
        found
    }

    /// Measures the speed of a model that is free of charge, by one more, somewhat longer request.
    async fn speed(&self, gear: &'static str, endpoint: &Endpoint) -> Option<MeasuredSpeed> {
        let model = connect_to(endpoint.clone(), Arc::new(|_| {}));
        self.meter.asked(gear, probe::JOB, endpoint);
        match probe::pace(&*model, endpoint).await {
            Ok((pace, usage)) => {
                self.meter.answered(gear, probe::JOB, endpoint, &usage);
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
}

fn key_state(endpoint: &Endpoint, is_refused: bool) -> KeyState {
    match endpoint.key {
        _ if endpoint.token.is_some() => KeyState::Token,
        Some(_) => KeyState::Present,
        None if is_refused => KeyState::Missing,
        None => KeyState::NotNeeded,
    }
}

/// The state of the canary's duel in one line.
fn duel(settings: &Settings) -> Option<String> {
    let trial = Trial::of(settings)?;
    let mut duel = Duel::default();
    if let Some(Err(error)) = default_folder().map(|folder| DuelFile::new(&folder, &trial).read(&mut duel)) {
        return Some(format!("what is known of the canary cannot be read: {error}"));
    }
    Some(trial.line(&duel))
}

/// Remarks on languages in the settings that are probably misspelled. Unknown ids are fine: editors may have more.
fn unknown_languages(settings: &Settings) -> Vec<String> {
    let unknown = settings.languages.keys().filter(|id| grammar::by_language_id(id).is_none());
    let remark = |id: &String| {
        let guess = nearest(id, grammar::language_ids())?;
        Some(format!("languages.{id}: no grammar has this `languageId`; did you mean `{guess}`?"))
    };
    unknown.filter_map(remark).collect()
}

/// Describes the failure of a model to answer, with the next step.
fn problem(error: &ModelError, endpoint: &Endpoint, listed: &[String]) -> Problem {
    let problem = Problem::of(error, &endpoint.provider, listed);
    match error.kind() {
        ErrorKind::Unauthorized if endpoint.token.is_some() => Problem {
            next_step: format!(
                "check that the token is one for `providers.{}.base_url` (its audience and scope); sign in again, \
                 and check this machine's clock",
                endpoint.provider
            ),
            ..problem
        },
        _ => problem,
    }
}

/// Describes the connection to an endpoint, without secrets.
fn road(endpoint: &Endpoint) -> String {
    if endpoint.wire == Wire::Lsp {
        return "a program on this machine".to_owned();
    }
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
