//! How a plan is carried out, as it goes and when it is over.

use super::finding::Finding;
use super::steps::Step;
use super::verification::{Outcome, Verification};
use crate::edit::EditSet;
use crate::route::Gear;

/// What a run of a plan came to.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// The changes of the steps that were done: one set, to be applied whole or not at all.
    pub set: EditSet,
    /// The steps and how they ended, in the plan's order.
    ///
    /// There are none if a model made the whole change at once.
    pub steps: Vec<StepReport>,
    /// What is wrong with the changes taken together.
    pub findings: Vec<Finding>,
    /// What the user's command said of them; `None` if there is none, or it was not asked.
    pub verification: Option<Verification>,
    /// The command that runs the tests among the changed files, to be offered.
    ///
    /// `None` if there are none, or it is not known.
    pub test_command: Option<String>,
    /// Why the run ended before all steps were begun, if it did.
    pub stopped: Option<String>,
    /// What the user should know, a clause each.
    pub notes: Vec<String>,
}

impl Run {
    /// Whether every step was done.
    pub fn is_whole(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.status, Status::Done | Status::Unchanged))
    }

    /// Whether the checks of all files together found nothing wrong.
    ///
    /// A command that could not be run has vouched for nothing.
    pub fn is_sound(&self) -> bool {
        let passed = |it: &Verification| it.outcome == Outcome::Passed;
        self.findings.is_empty() && self.verification.as_ref().is_none_or(passed)
    }
}

/// How one step ended.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// The step.
    pub step: Step,
    /// How it ended.
    pub status: Status,
    /// The gears that were asked, and why what they answered could not be used, in order.
    pub unusable: Vec<(Gear, String)>,
    /// The gear and the model that made the change; `None` if none did.
    pub by: Option<(Gear, Option<String>)>,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Its change is in the set.
    Done,
    /// There was nothing to change.
    Unchanged,
    /// It could not be done.
    Failed {
        /// A stable name for counting.
        code: &'static str,
        /// Why not.
        why: String,
    },
    /// It was not begun, since it comes after a step that was not done.
    Waiting {
        /// That step.
        on: u32,
    },
    /// It was not begun, since the run was stopped.
    NotBegun,
}

impl Status {
    /// A stable name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unchanged => "unchanged",
            Self::Failed { .. } => "failed",
            Self::Waiting { .. } => "waiting",
            Self::NotBegun => "not-begun",
        }
    }
}

/// Something that happens while a plan is carried out.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A stage begins.
    Stage {
        /// Its number, from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// A gear is asked for a step.
    Asked {
        /// The step.
        step: &'a Step,
        /// The gear.
        gear: Gear,
    },
    /// An answer to a step could not be used.
    Unusable {
        /// The step.
        step: &'a Step,
        /// Why not.
        why: &'a str,
    },
    /// What is wrong with the changes goes back to the deep gear.
    Mending {
        /// How often it did, this time counted.
        round: usize,
    },
    /// The user's command runs.
    Verifying {
        /// The command.
        command: &'a str,
        /// The line that it printed last, safe to show; empty at first.
        said: &'a str,
    },
    /// A step ended.
    Ended {
        /// The step.
        step: &'a Step,
        /// How it ended.
        status: &'a Status,
    },
}

/// Sees what happens. It must not wait.
pub type OnEvent<'a> = dyn Fn(Event<'_>) + Send + Sync + 'a;
