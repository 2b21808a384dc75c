//! What setup says: to people line by line, to editors as one JSON object at the end.

use std::fmt::Display;

use serde::Serialize;

use crate::cli::doctor::Problem;
use crate::cli::terminal::{self, BAD, DIM, GOOD, Styled};

/// What a setup leads to, as editors get it.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    pub(super) status: Status,
    /// The configuration file.
    pub(super) path: String,
    /// How long the model took for the test, in milliseconds.
    pub(super) answered_ms: Option<u64>,
    /// Whether a typed key lies in the system's keychain.
    pub(super) in_keychain: bool,
    /// What to add to the shell's profile, where a typed key could not be stored.
    pub(super) profile_line: Option<String>,
    /// What it costs, and what leaves the machine.
    pub(super) notes: Vec<String>,
    /// Whether the key was refused, so that another one is to be asked for.
    pub(super) key_refused: bool,
    /// Why nothing was written.
    pub(super) problem: Option<Problem>,
}

/// What became of the configuration file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Status {
    /// Nothing was written.
    #[default]
    Failed,
    /// A new file.
    Written,
    Changed,
    /// It had all of it.
    Unchanged,
}

/// What is said during a setup.
#[derive(Debug, Default)]
pub(super) struct SetupReport {
    /// One JSON object in the place of lines.
    pub(super) is_json: bool,
    pub(super) outcome: Outcome,
}

impl SetupReport {
    /// Tells people a line.
    pub(super) fn line(&self, text: impl Display) {
        if !self.is_json {
            terminal::prose(&text.to_string());
        }
    }

    /// Tells people that a step succeeded.
    pub(super) fn good(&self, text: impl Display) {
        if !self.is_json {
            Styled::new(GOOD, "✓").plain(format_args!(" {text}")).print();
        }
    }

    /// Something is missing or wrong, and `text` names the remedy.
    pub(super) fn wrong(&mut self, text: impl Display) {
        if self.is_json {
            self.outcome.problem = Some(Problem { what: text.to_string(), next_step: String::new() });
        } else {
            terminal::say(text);
        }
    }

    /// A model does not answer.
    pub(super) fn bad(&mut self, problem: Problem) {
        if self.is_json {
            self.outcome.problem = Some(problem);
        } else {
            let Problem { what, next_step } = problem;
            let text = format_args!(" {what}\n  ");
            Styled::new(BAD, "✗").plain(text).and(DIM, "→ ").plain(next_step).print();
        }
    }

    /// What it costs, or what leaves the machine.
    pub(super) fn note(&mut self, text: impl Display) {
        self.line(&text);
        self.outcome.notes.push(text.to_string());
    }
}
