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
mod material;
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
mod step;
mod steps;
mod survey;
pub mod tag;
mod test_command;
pub mod text;
mod verification;
mod verify;

pub use error::{PlanError, PlanErrors};
pub use finding::{Finding, Problem};
pub use make::{PlanRequest, Proposal, Proposed};
pub use permission::{NeverRun, RunAnswer, RunPermission, RunRequest};
pub use project::{Project, ProjectFiles};
pub use report::{Event, OnEvent, Run, Status, StepReport};
pub use sandbox::Sandbox;
pub use steps::{Action, MOST_STEPS, Plan, Step, Tag};
pub use verification::{Outcome, Verification};

use std::collections::BTreeSet;

use super::pipeline::Pipeline;
use crate::edit::EditSet;
use crate::edit::edit_set::FileEdit;
use crate::job::{Job, Reason};

/// Problems of the combined changes of a set, including unconfirmed ones. Reads files and parses.
pub fn check(project: &Project, set: &EditSet) -> Vec<Finding> {
    findings::findings_and_doubts(project, set)
}

/// Problems of a change without the files at these paths, besides those of the whole change.
///
/// Reads files and parses.
///
/// # Errors
///
/// The change that does not fit its file as it is now.
pub fn check_without(
    project: &Project,
    whole: Vec<FileEdit>,
    left_out: &BTreeSet<String>,
) -> Result<Vec<Finding>, Reason> {
    part::findings_without(project, whole, left_out)
}

/// The project's known files by path.
///
/// Includes outlines of the files that are most relevant to `words`.
pub fn overview(project: &Project, words: &str) -> String {
    overview::overview(project, words)
}

/// Asks for a plan.
///
/// # Errors
///
/// The reason why there is no plan.
pub(super) async fn propose(
    pipeline: &Pipeline,
    project: &Project,
    request: &PlanRequest,
) -> Result<Proposed, Reason> {
    make::propose(pipeline, project, request).await
}

/// Checks a user's plan against the files, and chooses the gears that it leaves open.
///
/// # Errors
///
/// All errors of the plan.
pub(super) async fn settle(
    pipeline: &Pipeline,
    project: &Project,
    mut plan: Plan,
) -> Result<Result<Plan, PlanErrors>, Reason> {
    let window = make::fast_window(pipeline);
    let settle = move |project: &Project| {
        make::settle(project, &mut plan, window, make::Tagging::OfUser).map(|()| plan)
    };
    project.reading(Job::Plan, settle).await
}

/// Carries out a plan, and checks the result.
///
/// # Errors
///
/// The reason why the plan produced nothing.
pub(super) async fn carry_out(
    pipeline: &Pipeline,
    project: &Project,
    plan: Plan,
    on_event: &OnEvent<'_>,
) -> Result<Run, Reason> {
    let goal = plan.instruction.clone();
    let run = run::run(pipeline, project, plan, on_event).await?;
    correct::checked(pipeline, project, &goal, run, on_event).await
}

/// Checks a change that was made at once.
///
/// # Errors
///
/// Like [`carry_out`].
pub(super) async fn checked(
    pipeline: &Pipeline,
    project: &Project,
    instruction: &str,
    run: Run,
    on_event: &OnEvent<'_>,
) -> Result<Run, Reason> {
    correct::checked(pipeline, project, instruction, run, on_event).await
}
