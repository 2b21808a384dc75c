//! The errors of a plan.

use std::fmt;

use super::steps::MOST_STEPS;
use crate::edit::Refusal;
use crate::text::{Printable, printable};

/// Characters that are quoted of an answer that is not a plan.
const SAID_CHARACTERS: usize = 120;

/// An error of a plan.
///
/// Each has a stable code for machines and a clause for people and models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanError {
    /// The answer is empty.
    Empty,
    /// The answer is chat, or something else that is neither a plan nor a patch.
    NoPlan {
        /// The beginning of the answer.
        said: Printable,
    },
    /// The answer ends in the middle.
    CutOff,
    /// The answer contains several different plans.
    Several,
    /// A line cannot be parsed.
    Line {
        /// The line, from 1.
        line: usize,
        /// The error.
        why: String,
    },
    /// The answer's JSON is invalid.
    Json {
        /// The error.
        why: String,
    },
    /// There are no steps.
    NoSteps,
    /// There are more steps than a plan may have.
    TooManySteps {
        /// The number of steps.
        steps: usize,
    },
    /// Two steps have the same number.
    SameNumber {
        /// The number.
        number: u32,
    },
    /// A text cannot be a path.
    NotAPath {
        /// The step.
        step: u32,
        /// The text.
        path: String,
    },
    /// A step does not state its intent.
    NoIntent {
        /// The step.
        step: u32,
    },
    /// The local gear is chosen for work that only a model can do.
    NeedsModel {
        /// The step.
        step: u32,
    },
    /// A step depends on one that is not in the plan.
    UnknownStep {
        /// The step.
        step: u32,
        /// The missing step's number.
        after: u32,
    },
    /// The dependencies of steps form a cycle.
    Cycle {
        /// The steps of the cycle, in order.
        steps: Vec<u32>,
    },
    /// Several steps claim one path: the same change twice, or contradicting changes.
    SamePath {
        /// The path.
        path: String,
        /// The steps.
        steps: Vec<u32>,
    },
    /// A step changes a file that does not exist.
    Absent {
        /// The step.
        step: u32,
        /// The path.
        path: String,
    },
    /// A step creates a file that exists already.
    Exists {
        /// The step.
        step: u32,
        /// The path.
        path: String,
    },
    /// A step's file cannot be read.
    NotRead {
        /// The step.
        step: u32,
        /// The reason.
        why: String,
    },
    /// A step's path may not be changed, or clashes with another's.
    Path {
        /// The step.
        step: u32,
        /// The reason.
        refusal: Refusal,
    },
}

impl PlanError {
    /// The error for an answer that is not a plan.
    pub(super) fn no_plan(answer: &str) -> Self {
        let words = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut said = Printable::from(words.as_str()).shortened(SAID_CHARACTERS).into_string();
        if words.chars().nth(SAID_CHARACTERS).is_some() {
            said.push('…');
        }
        Self::NoPlan { said: said.into() }
    }

    /// A stable name for counting and for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NoPlan { .. } => "no-plan",
            Self::CutOff => "cut-off",
            Self::Several => "several-plans",
            Self::Line { .. } => "line",
            Self::Json { .. } => "bad-json",
            Self::NoSteps => "no-steps",
            Self::TooManySteps { .. } => "too-many-steps",
            Self::SameNumber { .. } => "same-number",
            Self::NotAPath { .. } => "not-a-path",
            Self::NoIntent { .. } => "no-intent",
            Self::NeedsModel { .. } => "needs-model",
            Self::UnknownStep { .. } => "unknown-step",
            Self::Cycle { .. } => "circle",
            Self::SamePath { .. } => "same-path",
            Self::Absent { .. } => "absent",
            Self::Exists { .. } => "exists",
            Self::NotRead { .. } => "not-read",
            Self::Path { refusal, .. } => refusal.code(),
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the answer is empty"),
            Self::NoPlan { said } => write!(f, "the answer has neither a plan nor a patch: `{said}`"),
            Self::CutOff => f.write_str("the plan was cut off"),
            Self::Several => f.write_str("the answer has several plans, and they differ"),
            Self::Line { line, why } => write!(f, "line {line}: {why}"),
            Self::Json { why } => write!(f, "the JSON is no plan: {why}"),
            Self::NoSteps => f.write_str("the plan has no steps"),
            Self::TooManySteps { steps } => {
                write!(f, "the plan has {steps} steps, and {MOST_STEPS} are allowed; ask for less at a time")
            }
            Self::SameNumber { number } => write!(f, "two steps have the number {number}"),
            Self::NotAPath { step, path } => write!(f, "step {step}: `{}` is no path", printable(path)),
            Self::NoIntent { step } => write!(f, "step {step} does not say what is to be done"),
            Self::NeedsModel { step } => {
                write!(f, "step {step} needs a model; give it the gear `fast` or `deep`")
            }
            Self::UnknownStep { step, after } => {
                write!(f, "step {step} comes after step {after}, which is not in the plan")
            }
            Self::Cycle { steps } => match steps.as_slice() {
                [step] => write!(f, "step {step} waits for itself"),
                steps => write!(f, "{} wait for each other", numbers(steps)),
            },
            Self::SamePath { path, steps } => {
                write!(f, "{} want the same path, `{}`; a file has one step", numbers(steps), printable(path))
            }
            Self::Absent { step, path } => write!(f, "step {step}: there is no file `{}`", printable(path)),
            Self::Exists { step, path } => {
                write!(f, "step {step}: `{}` is there already", printable(path))
            }
            Self::NotRead { step, why } => write!(f, "step {step}: {}", printable(why)),
            Self::Path { step, refusal } => write!(f, "step {step}: {refusal}"),
        }
    }
}

fn numbers(steps: &[u32]) -> String {
    let shown: Vec<String> = steps.iter().map(u32::to_string).collect();
    format!("steps {}", shown.join(", "))
}

/// All errors of a plan; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanErrors(pub Vec<PlanError>);

impl PlanErrors {
    /// Whether the plan would change protected or outside paths, as opposed to a mistake.
    pub fn is_unsafe(&self) -> bool {
        let is_unsafe = |error: &PlanError| {
            matches!(
                error,
                PlanError::Path { refusal: Refusal::OutsideRoot { .. } | Refusal::Protected { .. }, .. }
            )
        };
        self.0.iter().any(is_unsafe)
    }

    /// Whether the answer contains no plan at all.
    pub fn is_no_plan(&self) -> bool {
        matches!(self.0.first(), None | Some(PlanError::Empty | PlanError::NoPlan { .. }))
    }

    /// The first code, for counting.
    pub fn code(&self) -> &'static str {
        self.0.first().map_or("no-plan", PlanError::code)
    }
}

impl From<PlanError> for PlanErrors {
    fn from(error: PlanError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for PlanErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for PlanErrors {}
