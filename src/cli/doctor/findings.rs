//! The doctor's findings as plain data, for `--json` and for the printed report.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::cli::local_servers::LocalServer;
use crate::model::leases::LeaseReport;
use crate::model::usage::Tally;
use crate::model::{ErrorKind, ModelError};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Findings {
    pub(super) version: &'static str,
    pub(super) config: Config,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) policy: Option<Policy>,
    pub(super) gears: Vec<Gear>,
    /// The state of the canary's duel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) canary: Option<String>,
    pub(super) local: Vec<LocalServer>,
    pub(super) editors: Vec<Editor>,
    pub(super) budget: Budget,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verify: Option<Check>,
}

/// The user's command that checks changes of many files.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Check {
    pub(super) command: String,
    /// Why it cannot be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
    /// The sandbox that confines it, and from what; `None` if there is none.
    pub(super) sandbox: Option<String>,
    /// Whether the settings ask for a sandbox.
    pub(super) wants_sandbox: bool,
}

/// The company's policy.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Policy {
    /// The same object as in `tandem/status`.
    #[serde(flatten)]
    pub(super) report: serde_json::Value,
    #[serde(skip)]
    pub(super) line: String,
    /// The settings that it changes, and the rules.
    #[serde(skip)]
    pub(super) rules: Vec<String>,
    /// Why it does not apply as it should.
    pub(super) problem: Option<String>,
}

/// The configuration file and its problems.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Config {
    pub(super) path: Option<String>,
    pub(super) exists: bool,
    pub(super) problems: Vec<Mistake>,
    /// Probable misspellings, which do not count as problems.
    pub(super) remarks: Vec<String>,
}

/// A mistake in the configuration; serialized as its text.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Mistake {
    pub(super) what: String,
    /// Whether no model is asked until it is corrected.
    #[serde(skip)]
    pub(super) keeps_models_off: bool,
}

/// A gear and its candidates, the preferred one first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Gear {
    pub(super) name: &'static str,
    pub(super) candidates: Vec<Candidate>,
}

/// One model of one provider.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate {
    pub(super) provider: String,
    pub(super) model: String,
    pub(super) url: Option<String>,
    pub(super) key: Option<KeyState>,
    /// How it is reached: `TLS` or `no TLS`, with the certificates and the proxy.
    pub(super) road: Option<String>,
    /// Whether the provider lists the model.
    pub(super) listed: Option<Listed>,
    /// When the provider retires the model, if that is soon.
    pub(super) retires: Option<String>,
    /// The measurements per wire.
    pub(super) wires: Vec<Measured>,
    /// The speed, for small local servers.
    pub(super) speed: Option<MeasuredSpeed>,
    /// Describes the model or tier that answered instead of the requested one.
    pub(super) swapped: Option<String>,
    /// Settings that have no effect.
    pub(super) in_vain: Vec<String>,
    /// Why it cannot be asked or did not answer.
    pub(super) problem: Option<Problem>,
    /// Whether it was asked, and answered.
    pub(super) answers: bool,
    /// Whether it was reached but not asked, as requested, and has no known problem.
    pub(super) only_reached: bool,
}

/// Whether there is a key. Never contains the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum KeyState {
    Present,
    /// A token that expires, instead of a key.
    Token,
    NotNeeded,
    /// No key is configured, and the server refuses requests without one.
    Missing,
}

/// Whether a provider lists a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Listed {
    Yes,
    No,
    NoList,
}

/// A problem and the next step to fix it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct Problem {
    pub(in crate::cli) what: String,
    pub(in crate::cli) next_step: String,
}

/// The measurements of a wire: medians, in milliseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Measured {
    pub(super) wire: &'static str,
    /// The HTTP version, such as `HTTP/2.0`; WebSockets always start with HTTP/1.1.
    pub(super) http_version: Option<String>,
    pub(super) requests: u32,
    /// Time to the end of the handshake, including TLS.
    pub(super) connect_ms: Option<f64>,
    pub(super) first_token_ms: Option<f64>,
    pub(super) total_ms: Option<f64>,
    /// The provider's rate limits for this model.
    pub(super) quotas: Vec<Quota>,
    pub(super) problem: Option<String>,
}

/// The speed of a model, and its consequences.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MeasuredSpeed {
    pub(super) tokens_read_per_second: f64,
    pub(super) tokens_written_per_second: f64,
    /// What to expect, in words.
    pub(super) expectation: String,
}

/// A rate limit, in the provider's words.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Quota {
    pub(super) name: String,
    pub(super) used: String,
}

/// An editor on this machine.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Editor {
    pub(super) name: &'static str,
    /// Whether Tandem is installed in it.
    pub(super) has_plugin: bool,
    /// Settings that get in its way. They do not count as problems, since they may be intended.
    pub(super) remarks: Vec<Problem>,
}

/// The spending and its caps.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Budget {
    pub(super) here: Tally,
    pub(super) today: Tally,
    pub(super) caps: Vec<String>,
    pub(super) reached: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lease: Option<Lease>,
}

/// The lease of a company's budget.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lease {
    /// The same object as in `tandem/status`.
    #[serde(flatten)]
    pub(super) report: serde_json::Value,
    #[serde(skip)]
    pub(super) line: String,
    /// Why no lease is held, if the database or the settings are the cause.
    pub(super) problem: Option<String>,
}

impl Lease {
    pub(super) fn of(report: &LeaseReport) -> Self {
        Self { report: report.json(end_of), line: report.line(), problem: report.why.clone() }
    }
}

/// The end of a duration that starts now, in milliseconds since the Unix epoch (1970).
fn end_of(duration: Duration) -> u64 {
    let end = SystemTime::now() + duration;
    end.duration_since(UNIX_EPOCH).map_or(0, |it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX))
}

impl Findings {
    /// Whether every configured gear answers, as far as it was asked.
    pub(super) fn answers(&self) -> bool {
        self.gears.iter().all(Gear::answers)
    }

    /// Whether a model was reached and none was asked.
    pub(super) fn only_reached(&self) -> bool {
        let mut candidates = self.gears.iter().flat_map(|it| &it.candidates);
        candidates.clone().any(|it| it.only_reached) && candidates.all(|it| it.wires.is_empty())
    }

    /// Whether no gear has a candidate, usable or not.
    pub(super) fn has_no_model(&self) -> bool {
        self.gears.iter().all(|gear| gear.candidates.is_empty())
    }

    /// The problems in the order of the report: mistakes in the configuration, the policy, failures of models, a reached
    /// cap. One that has several models, such as a server that is down, counts once.
    pub(super) fn problems(&self) -> Vec<&str> {
        let candidates = self.gears.iter().flat_map(|it| &it.candidates);
        let of_models = candidates.filter_map(|it| it.problem.as_ref()).map(|it| it.what.as_str());
        let mistakes = self.config.problems.iter().map(|it| it.what.as_str());
        let of_policy = self.policy.iter().filter_map(|it| it.problem.as_deref());
        let mut problems: Vec<&str> = Vec::new();
        let of_lease = self.budget.lease.iter().filter_map(|it| it.problem.as_deref());
        let capped = of_lease.chain(self.budget.reached.as_deref());
        let of_check = self.verify.iter().filter_map(|it| it.problem.as_deref());
        for problem in mistakes.chain(of_policy).chain(of_models).chain(of_check).chain(capped) {
            if !is_told(problem, &problems) {
                problems.push(problem);
            }
        }
        problems
    }
}

/// The limit that is reached, and the next step.
pub(super) fn capped(reached: &str) -> (&str, &str) {
    let is_step = |(_, step): &(&str, &str)| ["raise", "wait"].iter().any(|it| step.starts_with(it));
    let parted = reached.split_once("; ").filter(is_step);
    parted.unwrap_or((reached, "raise the cap under `[budget]`, or wait for the next day (UTC)"))
}

/// Whether one of these problems is this one: a mistake or a cap that keeps all models off is quoted with each.
pub(super) fn is_told(problem: &str, before: &[impl AsRef<str>]) -> bool {
    before.iter().map(AsRef::as_ref).any(|it| it.contains(problem) || problem.contains(it))
}

impl Gear {
    fn answers(&self) -> bool {
        self.candidates.is_empty() || self.candidates.iter().any(|it| it.answers || it.only_reached)
    }
}

impl Problem {
    pub(super) fn new(what: impl Into<String>, next_step: impl Into<String>) -> Self {
        Self { what: what.into(), next_step: next_step.into() }
    }

    /// Describes the failure of a model to answer, with the next step.
    ///
    /// `listed` are the models that the provider lists.
    pub(in crate::cli) fn of(error: &ModelError, provider: &str, listed: &[String]) -> Self {
        if let ModelError::Capped(why) = error {
            let (what, next_step) = capped(why);
            return Self::new(what, next_step);
        }
        let next_step = match error.kind() {
            ErrorKind::NoToken if matches!(error, ModelError::LanguageServer { .. }) => {
                "sign in as its documentation says, or ask for ghost text explicitly; no restart is needed"
                    .to_owned()
            }
            _ if matches!(error, ModelError::LanguageServer { .. }) => {
                format!("run the command of `providers.{provider}` in a terminal to see why, or correct it")
            }
            ErrorKind::Unauthorized => {
                format!("check the key that `providers.{provider}` names, or name one with its `api_key_env`")
            }
            ErrorKind::NoToken => format!(
                "mend what `providers.{provider}` has its token from, then try again; no restart is needed"
            ),
            ErrorKind::Forbidden => {
                "ask the provider whether this account, region or network may use it".to_owned()
            }
            ErrorKind::NotFound => format!(
                "set `wire` of `providers.{provider}` to \"responses-sse\" or \"chat\", or correct its `base_url`"
            ),
            ErrorKind::UnsupportedModel if listed.is_empty() => {
                "choose another model in `candidates`".to_owned()
            }
            ErrorKind::UnsupportedModel => {
                let some = listed.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
                let more = if listed.len() > 5 { ", …" } else { "" };
                format!("choose another model in `candidates`; {provider} lists {some}{more}")
            }
            ErrorKind::QuotaUsedUp => "wait until the quota is renewed, or add a second candidate".to_owned(),
            ErrorKind::RateLimited | ErrorKind::Overloaded | ErrorKind::ServerError => {
                "try again later, or add a second candidate as a fallback".to_owned()
            }
            ErrorKind::Offline if error.to_string().contains("`ca_file` ") => {
                "correct the path: it leads to a file of PEM certificates".to_owned()
            }
            // The server answered a TLS handshake with plain HTTP.
            ErrorKind::Offline if error.to_string().contains("InvalidContentType") => format!(
                "this server probably speaks no TLS: begin `providers.{provider}.base_url` with http:// instead of https://"
            ),
            ErrorKind::Offline if error.to_string().contains("certificate") => {
                format!("name your certificates in `providers.{provider}.ca_file` or `ca_file`")
            }
            ErrorKind::Offline => {
                format!(
                    "check the server, its URL in `providers.{provider}.base_url`, and the network or `proxy`"
                )
            }
            ErrorKind::Closed | ErrorKind::IdleTimeout => {
                "if it happens again, try another `wire`; on this machine, a smaller model or less other work"
                    .to_owned()
            }
            _ => "see the provider's words; a setting of this candidate may be at fault".to_owned(),
        };
        Self { what: error.to_string(), next_step }
    }
}
