//! A task of a comparison, and the forecast of its cost.

use std::path::PathBuf;

use crate::compare::places::HeldOutPosition;
use crate::compare::result::{Answer, Pair};
use crate::replay::RecordedCompletion;
use crate::text::hash::fnv64;

/// A position in a commit, or in a recorded text, at which both models are asked.
pub(super) struct Task {
    /// The commit, or the session.
    pub(super) cluster: String,
    pub(super) path: String,
    pub(super) language: String,
    pub(super) place: HeldOutPosition,
    /// The recorded request, and the folder that the path is relative to.
    pub(super) recorded: Option<(Box<RecordedCompletion>, PathBuf)>,
}

impl Task {
    /// A unique key.
    pub(super) fn key(&self) -> String {
        let time = self.recorded.as_ref().map_or_else(String::new, |(it, _)| format!("\n{}", it.time));
        format!("{:016x}", fnv64(&format!("{}\n{}\n{}{time}", self.cluster, self.path, self.place.cursor)))
    }

    /// Pairs the task with the answers of A and B.
    pub(super) fn pair(&self, answers: [Answer; 2]) -> Pair {
        let HeldOutPosition { text, cursor, written } = &self.place;
        let line = text[..*cursor].rfind('\n').map_or(0, |at| at + 1);
        Pair {
            cluster: self.cluster.clone(),
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
    /// The number of requests.
    pub(super) requests: usize,
    /// The estimated tokens of a request.
    pub(super) input: f64,
    pub(super) tokens: f64,
    pub(super) dollars: Option<f64>,
}

impl Forecast {
    /// Corrects the forecast by what the first answers took: tokenizers and the length of answers depend on the
    /// model.
    pub(super) fn by(self, measured: &AnswerCosts) -> Self {
        if measured.input == 0 {
            return self;
        }
        let share = self.input / measured.input as f64;
        let dollars = self.dollars.map(|_| measured.dollars * share);
        Self { tokens: measured.tokens as f64 * share, dollars, ..self }
    }
}

/// What the answers of one side took so far.
#[derive(Debug, Default)]
pub(super) struct AnswerCosts {
    pub(super) answers: usize,
    /// The estimated tokens of their requests.
    input: usize,
    tokens: u64,
    dollars: f64,
}

impl AnswerCosts {
    pub(super) fn add(&mut self, answer: &Answer, input: usize) {
        self.answers += 1;
        self.input += input;
        self.tokens += answer.tokens;
        self.dollars += answer.dollars.unwrap_or_default();
    }
}
