//! The output of setup: lines of text for people, or one JSON object at the end for editors.

use std::fmt::Display;

use serde::Serialize;

use crate::cli::doctor::Problem;
use crate::cli::terminal::{self, BAD, DIM, GOOD, Styled};

/// The outcome of a setup, in the format for editors.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    pub(super) status: Status,
    /// The configuration file.
    pub(super) path: String,
    /// The model's latency in the test, in milliseconds.
    pub(super) answered_ms: Option<u64>,
    /// Whether a typed key was stored in the system's keychain.
    pub(super) in_keychain: bool,
    /// The line for the shell's profile, if a typed key could not be stored.
    pub(super) profile_line: Option<String>,
    /// Notes on cost and privacy.
    pub(super) notes: Vec<String>,
    /// Whether the key was refused, so that the editor should ask for another one.
    pub(super) key_refused: bool,
    /// Why nothing was written.
    pub(super) problem: Option<Problem>,
}

/// The effect on the configuration file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Status {
    /// Nothing was written.
    #[default]
    Failed,
    /// The file was created.
    Written,
    Changed,
    /// The file had the choice already.
    Unchanged,
}

/// Reports the progress and the outcome of a setup.
#[derive(Debug, Default)]
pub(super) struct SetupReport {
    /// Whether the output is one JSON object instead of lines.
    pub(super) is_json: bool,
    pub(super) outcome: Outcome,
}

impl SetupReport {
    /// Prints a line unless the output is JSON.
    pub(super) fn line(&self, text: impl Display) {
        if !self.is_json {
            terminal::prose(&text.to_string());
        }
    }

    /// Prints that a step succeeded unless the output is JSON.
    pub(super) fn good(&self, text: impl Display) {
        if !self.is_json {
            Styled::new(GOOD, "✓").plain(format_args!(" {text}")).print();
        }
    }

    /// Reports missing or invalid input; `text` includes the remedy.
    pub(super) fn wrong(&mut self, text: impl Display) {
        if self.is_json {
            self.outcome.problem = Some(Problem { what: text.to_string(), next_step: String::new() });
        } else {
            terminal::say(text);
        }
    }

    /// Reports that a model does not answer.
    pub(super) fn bad(&mut self, problem: Problem) {
        if self.is_json {
            self.outcome.problem = Some(problem);
        } else {
            let Problem { what, next_step } = problem;
            let text = format_args!(" {what}\n  ");
            Styled::new(BAD, "✗").plain(text).and(DIM, "→ ").plain(next_step).print();
        }
    }

    /// Adds a note on cost or privacy.
    pub(super) fn note(&mut self, text: impl Display) {
        self.line(&text);
        self.outcome.notes.push(text.to_string());
    }
}
