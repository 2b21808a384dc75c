//! The errors of a plan.

use std::fmt;

use super::steps::MOST_STEPS;
use crate::edit::Refusal;
use crate::text::{Printable, coded, printable};

/// Characters that are quoted of an answer that is not a plan.
const SAID_CHARACTERS: usize = 120;

coded! {
    /// An error of a plan.
    ///
    /// Each has a stable code for machines and a clause for people and models.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    pub enum PlanError {
        /// The answer is empty.
        #[error("the answer is empty")]
        Empty = "empty",
        /// The answer is chat, or something else that is neither a plan nor a patch.
        #[error("the answer has neither a plan nor a patch: `{0}`")]
        NoPlan(Printable) = "no-plan",
        /// The answer ends in the middle.
        #[error("the plan was cut off")]
        CutOff = "cut-off",
        /// The answer contains several different plans.
        #[error("the answer has several plans, and they differ")]
        Several = "several-plans",
        /// A line cannot be parsed.
        #[error("line {line}: {why}")]
        Line {
            /// The line, from 1.
            line: usize,
            /// The error.
            why: String,
        } = "line",
        /// The answer's JSON is invalid.
        #[error("the JSON is no plan: {0}")]
        Json(String) = "bad-json",
        /// There are no steps.
        #[error("the plan has no steps")]
        NoSteps = "no-steps",
        /// There are more steps than a plan may have.
        #[error("the plan has {0} steps, and {MOST_STEPS} are allowed; ask for less at a time")]
        TooManySteps(usize) = "too-many-steps",
        /// Two steps have the same number.
        #[error("two steps have the number {0}")]
        SameNumber(u32) = "same-number",
        /// A text cannot be a path.
        #[error("step {step}: `{}` is no path", printable(.path))]
        NotAPath {
            /// The step.
            step: u32,
            /// The text.
            path: String,
        } = "not-a-path",
        /// A step does not state its intent.
        #[error("step {0} does not say what is to be done")]
        NoIntent(u32) = "no-intent",
        /// The local gear is chosen for work that only a model can do.
        #[error("step {0} needs a model; give it the gear `fast` or `deep`")]
        NeedsModel(u32) = "needs-model",
        /// A step depends on a step that the plan lacks.
        #[error("step {step} comes after step {after}, which is not in the plan")]
        UnknownStep {
            /// The step.
            step: u32,
            /// The missing step's number.
            after: u32,
        } = "unknown-step",
        /// The dependencies of steps form a cycle.
        #[error("{}", cycle(.0))]
        Cycle(Vec<u32>) = "circle",
        /// Several steps claim one path: the same change twice, or contradicting changes.
        #[error("{} want the same path, `{}`; a file has one step", numbers(.steps), printable(.path))]
        SamePath {
            /// The path.
            path: String,
            /// The steps.
            steps: Vec<u32>,
        } = "same-path",
        /// A step changes a file that does not exist.
        #[error("step {step}: there is no file `{}`", printable(.path))]
        Absent {
            /// The step.
            step: u32,
            /// The path.
            path: String,
        } = "absent",
        /// A step creates a file that exists already.
        #[error("step {step}: `{}` is there already", printable(.path))]
        Exists {
            /// The step.
            step: u32,
            /// The path.
            path: String,
        } = "exists",
        /// A step's file cannot be read.
        #[error("step {step}: {}", printable(.why))]
        NotRead {
            /// The step.
            step: u32,
            /// The reason.
            why: String,
        } = "not-read",
        /// A step's path may not be changed, or clashes with another's.
        #[error("step {step}: {refusal}")]
        Path {
            /// The step.
            step: u32,
            /// The reason.
            refusal: Refusal,
        },
    } match {
        Self::Path { refusal, .. } => refusal.code(),
    }
}

impl PlanError {
    pub(super) fn no_plan(answer: &str) -> Self {
        let words = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut said = Printable::from(words.as_str()).shortened(SAID_CHARACTERS).into_string();
        if words.chars().nth(SAID_CHARACTERS).is_some() {
            said.push('…');
        }
        Self::NoPlan(said.into())
    }
}

fn cycle(steps: &[u32]) -> String {
    match steps {
        [step] => format!("step {step} waits for itself"),
        steps => format!("{} wait for each other", numbers(steps)),
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
        matches!(self.0.first(), None | Some(PlanError::Empty | PlanError::NoPlan(_)))
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
