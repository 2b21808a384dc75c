//! The duel that a configuration asks for: its models and its limits.

use super::duel::{Duel, Limits};
use crate::config::{Endpoint, Settings};

/// A duel between the fast model and its canary.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The display names of the model and the canary.
    pub names: [String; 2],
    /// The limits of the duel.
    pub limits: Limits,
    identities: [String; 2],
}

impl Trial {
    /// The duel of these settings, if there is a canary.
    pub fn of(settings: &Settings) -> Option<Self> {
        let canary = settings.canary.as_ref()?;
        let both = [settings.fast.candidates.first()?, canary.role.candidates.first()?];
        let is_same = both[0].model == both[1].model;
        let name = |it: &Endpoint| match is_same {
            true => format!("{}/{}", it.provider, it.model),
            false => it.model.clone(),
        };
        let max_p95_ms = canary.max_p95.map(|it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX));
        let limits = Limits { max_refused: canary.max_refused, max_p95_ms, dollars: canary.dollars };
        Some(Self { names: both.map(name), limits, identities: both.map(Endpoint::identity) })
    }

    /// The key under which the state of the duel is stored.
    pub fn identity(&self) -> String {
        self.identities.join("\n")
    }

    /// The state of the duel in one line.
    pub fn line(&self, duel: &Duel) -> String {
        duel.line(&self.limits, self.both())
    }

    /// The display names of the model and the canary.
    pub fn both(&self) -> [&str; 2] {
        [&self.names[0], &self.names[1]]
    }

    /// Whether the other trial has the same models, asked in the same way.
    pub fn is_same(&self, other: &Self) -> bool {
        self.identities == other.identities
    }
}
