//! What users are shown of a policy.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::moment::{SECONDS_A_DAY, shown};
use crate::text::words::counted;

/// The policy of this machine, and what it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyReport {
    /// Where it is from.
    pub url: String,
    /// The policy that applies; `None` if there is none.
    pub applied: Option<AppliedPolicy>,
    /// Whether it is up to date.
    pub state: PolicyState,
    /// The settings that it changes.
    pub narrowed: Vec<Narrowed>,
}

/// A policy that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppliedPolicy {
    /// Its number, which rises with each change.
    pub serial: u64,
    /// When it was issued.
    pub issued: SystemTime,
    /// When it ends.
    pub expires: SystemTime,
}

/// Whether a policy is up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyState {
    /// It is the one that the server has.
    Fresh,
    /// The server is away; when it last answered, and why it does not.
    Kept(SystemTime, String),
    /// What the server has is refused, for this reason.
    Refused(String),
    /// It has ended, or this machine's clock is wrong.
    Invalid(String),
    /// There is none, for this reason.
    Missing(String),
}

/// A setting that a policy changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrowed {
    /// The setting's name.
    pub setting: String,
    /// What it is now.
    pub effect: String,
    /// The name of the rule in the policy.
    pub rule: String,
}

impl Narrowed {
    pub(super) fn new(setting: &str, effect: impl Into<String>, rule: &str) -> Self {
        Self { setting: setting.to_owned(), effect: effect.into(), rule: rule.to_owned() }
    }
}

impl PolicyState {
    /// Its name for machines.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Kept(..) => "kept",
            Self::Refused(_) => "refused",
            Self::Invalid(_) => "invalid",
            Self::Missing(_) => "missing",
        }
    }

    /// The reason, in a clause about the policy.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Fresh => None,
            Self::Kept(_, why) | Self::Refused(why) | Self::Invalid(why) | Self::Missing(why) => Some(why),
        }
    }
}

impl PolicyReport {
    /// One line about its origin, its age and its state.
    pub fn line(&self, now: SystemTime) -> String {
        let which = self.applied.map_or_else(|| "none applies".to_owned(), |it| it.shown(now));
        let state = match &self.state {
            PolicyState::Fresh => "up to date".to_owned(),
            PolicyState::Kept(since, why) => format!("kept since {}: {why}", shown(*since)),
            PolicyState::Refused(why) => format!("what its server has now is refused: {why}"),
            PolicyState::Invalid(why) | PolicyState::Missing(why) => why.clone(),
        };
        format!("{}: {which}; {state}", self.url)
    }

    /// A line for each setting that it changes.
    pub fn rules(&self) -> impl Iterator<Item = String> {
        self.narrowed
            .iter()
            .map(|Narrowed { setting, effect, rule }| format!("{setting}: {effect} (`{rule}`)"))
    }

    /// The same for machines, with times in milliseconds since 1970.
    pub fn json(&self) -> Value {
        let milliseconds =
            |it: SystemTime| it.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() * 1_000;
        let narrowed = self.narrowed.iter();
        let narrowed = narrowed.map(|Narrowed { setting, effect, rule }| {
            json!({ "setting": setting, "effect": effect, "rule": rule })
        });
        json!({
            "url": self.url,
            "serial": self.applied.map(|it| it.serial),
            "issued": self.applied.map(|it| milliseconds(it.issued)),
            "expires": self.applied.map(|it| milliseconds(it.expires)),
            "state": self.state.name(),
            "why": self.state.why(),
            "narrowed": narrowed.collect::<Vec<_>>(),
        })
    }
}

impl AppliedPolicy {
    /// Its number, its age, and its end.
    pub(super) fn shown(self, now: SystemTime) -> String {
        let days = now.duration_since(self.issued).unwrap_or_default().as_secs() / SECONDS_A_DAY;
        let age = if days == 0 { "today".to_owned() } else { format!("{} ago", counted(days, "day")) };
        format!("serial {}, issued {age}, ends {}", self.serial, shown(self.expires))
    }
}
