//! The duel that a configuration asks for: between which models, and within which limits.

use super::duel::{Duel, Limits};
use crate::config::{Endpoint, Settings};

/// The fast model and its canary.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What both are called.
    pub names: [String; 2],
    /// When it ends.
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

    /// What its figures are kept under.
    pub fn identity(&self) -> String {
        self.identities.join("\n")
    }

    /// What is known of it, in one line.
    pub fn line(&self, duel: &Duel) -> String {
        duel.line(&self.limits, self.both())
    }

    /// What both are called.
    pub fn both(&self) -> [&str; 2] {
        [&self.names[0], &self.names[1]]
    }

    /// Whether both are the same models as another one's, asked in the same way.
    pub fn is_same(&self, other: &Self) -> bool {
        self.identities == other.identities
    }
}
