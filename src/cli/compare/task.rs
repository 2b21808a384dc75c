//! A task of a comparison, and the forecast of its cost.

use crate::compare::places::HeldOutPosition;
use crate::compare::result::{Answer, Pair};
use crate::text::hash::fnv64;

/// A position in a commit at which both models are asked.
pub(super) struct Task {
    pub(super) commit: String,
    pub(super) path: String,
    pub(super) language: String,
    pub(super) place: HeldOutPosition,
}

impl Task {
    /// A unique key.
    pub(super) fn key(&self) -> String {
        format!("{:016x}", fnv64(&format!("{}\n{}\n{}", self.commit, self.path, self.place.cursor)))
    }

    /// Pairs the task with the answers of A and B.
    pub(super) fn pair(&self, answers: [Answer; 2]) -> Pair {
        let HeldOutPosition { text, cursor, written } = &self.place;
        let line = text[..*cursor].rfind('\n').map_or(0, |at| at + 1);
        Pair {
            commit: self.commit.clone(),
            path: self.path.clone(),
            language: self.language.clone(),
            before: text[line..*cursor].to_owned(),
            written: written.clone(),
            answers,
        }
    }
}

/// The expected tokens and dollars of one answer; no dollars without a price.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Forecast {
    pub(super) tokens: u64,
    pub(super) dollars: Option<f64>,
}
