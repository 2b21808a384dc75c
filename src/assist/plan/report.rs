//! Reports on a plan's execution, while it runs and when it has ended.

use super::finding::Finding;
use super::steps::Step;
use super::verification::{Outcome, Verification};
use crate::edit::EditSet;
use crate::route::Gear;
use crate::text::coded;

/// The result of running a plan.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// The changes of the completed steps: one set, to be applied whole or not at all.
    pub set: EditSet,
    /// The steps and their results, in the plan's order.
    ///
    /// Empty if a model made the whole change at once.
    pub steps: Vec<StepReport>,
    /// Problems of the combined changes.
    pub findings: Vec<Finding>,
    /// The result of the user's command; `None` if there is no command, or it was not started.
    pub verification: Option<Verification>,
    /// The command that runs the tests among the changed files, to be offered.
    ///
    /// `None` if there are no such tests, or the command is unknown.
    pub test_command: Option<String>,
    /// Why the run ended before all steps were started, if it did.
    pub stopped: Option<String>,
    /// Notes for the user, a clause each.
    pub notes: Vec<String>,
}

impl Run {
    /// Whether every step is complete.
    pub fn is_whole(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.status, Status::Done | Status::Unchanged))
    }

    /// Whether the checks of all files together found no problem.
    ///
    /// A command that could not be run does not count as a success.
    pub fn is_sound(&self) -> bool {
        let passed = |it: &Verification| it.outcome == Outcome::Passed;
        self.findings.is_empty() && self.verification.as_ref().is_none_or(passed)
    }
}

/// The result of one step.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// The step.
    pub step: Step,
    /// How it ended.
    pub status: Status,
    /// The gears that were asked, each with the reason why its answer was unusable, in order.
    pub unusable: Vec<(Gear, String)>,
    /// The gear and the model that made the change; `None` if none did.
    pub by: Option<(Gear, Option<String>)>,
}

coded! {
    /// The status of a step at the end of a run.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum Status {
        /// Its change is in the set.
        Done = "done",
        /// There was nothing to change.
        Unchanged = "unchanged",
        /// It could not be done.
        Failed {
            /// A stable name for counting.
            code: &'static str,
            /// The reason.
            why: String,
        } = "failed",
        /// It was not started, since it depends on this step, which is not complete.
        Waiting(u32) = "waiting",
        /// It was not started, since the run was stopped.
        NotBegun = "not-begun",
    }
}

/// An event while a plan is carried out.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A stage begins.
    Stage {
        /// Its number, from 1.
        number: usize,
        /// The number of stages.
        of: usize,
    },
    /// A gear is asked for a step.
    Asked {
        /// The step.
        step: &'a Step,
        /// The gear.
        gear: Gear,
    },
    /// An answer to a step was unusable.
    Unusable {
        /// The step.
        step: &'a Step,
        /// The reason.
        why: &'a str,
    },
    /// Problems of the changes go back to the deep gear, in this round (from 1).
    Correcting(usize),
    /// The user's command runs.
    Verifying {
        /// The command.
        command: &'a str,
        /// The last line of its output, safe to show; empty at first.
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

/// Called for each event. Must not block.
pub type OnEvent<'a> = dyn Fn(Event<'_>) + Send + Sync + 'a;
