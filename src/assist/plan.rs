//! Changes across many files: the deep gear plans, the fast gear edits.
//!
//! The result is one change set, which is applied whole or not at all.
//!
//! * A [`Plan`] is plain data that a person can read and edit ([`text`]). A model's answer is parsed into a
//!   plan, or refused with the reasons ([`answer`]).
//! * [`order`] determines which steps wait for which, and cuts long plans into stages. [`tag`] chooses each
//!   step's gear.
//! * A run asks for each step, reads and checks the answers, and combines them into one set ([`Run`]).
//! * Problems of the combined changes are found before they are shown ([`Finding`]), also by the user's own
//!   command ([`Verification`]), and go back to the deep gear a few times.

pub mod answer;
mod assemble;
mod attempts;
mod check;
mod correct;
mod environment;
mod error;
mod finding;
mod findings;
mod make;
pub mod order;
mod overlay;
mod overview;
mod part;
mod permission;
mod present;
mod processes;
mod project;
mod report;
mod run;
mod sandbox;
mod stale_uses;
mod step;
mod step_input;
mod steps;
mod survey;
pub mod tag;
mod test_command;
pub mod text;
mod verification;
mod verify;

pub use error::{PlanError, PlanErrors};
pub use finding::{Finding, Problem};
pub use findings::{check, may_leave_uses};
pub use make::{PlanRequest, Proposal, Proposed};
pub use overview::overview;
pub use part::check_without;
pub use permission::{NeverRun, RunAnswer, RunPermission, RunRequest};
pub use project::{Project, ProjectFiles};
pub use report::{Event, OnEvent, Run, Status, StepReport};
pub use sandbox::Sandbox;
pub use stale_uses::StaleUses;
pub use steps::{Action, MOST_STEPS, Plan, Step, Tag};
pub use verification::{Outcome, Verification, missing_program};

use super::Assist;
use crate::job::{Job, Reason};

impl Assist {
    /// A plan for a change across many files, or the change itself.
    ///
    /// # Errors
    ///
    /// The reason why there is neither.
    pub async fn propose(&self, project: &Project, request: &PlanRequest) -> Result<Proposed, Reason> {
        make::propose(&self.pipeline, project, request).await
    }

    /// A user's plan with its open gears chosen, or all errors in it.
    ///
    /// # Errors
    ///
    /// The reason why the plan could not be checked.
    pub async fn settle_plan(
        &self,
        project: &Project,
        mut plan: Plan,
    ) -> Result<Result<Plan, PlanErrors>, Reason> {
        let window = make::fast_window(&self.pipeline);
        let settle = move |project: &Project| {
            make::settle(project, &mut plan, window, make::Tagging::OfUser).map(|()| plan)
        };
        project.reading(Job::Plan, settle).await
    }

    /// Carries out a plan. Writes nothing to the project; a run that is dropped leaves nothing behind.
    ///
    /// # Errors
    ///
    /// The reason why the plan produced nothing.
    pub async fn carry_out(
        &self,
        project: &Project,
        plan: Plan,
        on_event: &OnEvent<'_>,
    ) -> Result<Run, Reason> {
        let goal = plan.instruction.clone();
        let run = run::run(&self.pipeline, project, plan, on_event).await?;
        self.check_change(project, &goal, run, on_event).await
    }

    /// Like [`Self::carry_out`], for a change that a model made at once ([`Proposal::Change`]).
    ///
    /// The change is checked, and fixed where possible.
    ///
    /// # Errors
    ///
    /// The reason why it could not be checked.
    pub async fn check_change(
        &self,
        project: &Project,
        instruction: &str,
        change: Run,
        on_event: &OnEvent<'_>,
    ) -> Result<Run, Reason> {
        correct::checked(&self.pipeline, project, instruction, change, on_event).await
    }
}
