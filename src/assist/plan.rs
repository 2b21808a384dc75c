//! Changes across many files: the deep gear plans, the fast gear edits.
//!
//! What comes of it is one change set, all of it or nothing.
//!
//! * A [`Plan`] is plain data that a person can read and edit ([`text`]). What a model answers is read into
//!   one, or refused with the reasons ([`answer`]).
//! * [`order`] says which steps wait for which, and cuts long plans into stages. [`tag`] chooses each step's
//!   gear.
//! * A run asks for each step, reads and guards what comes, and puts it together to one set ([`Run`]).
//! * What is wrong with the changes taken together is found before they are shown ([`Finding`]), by the
//!   user's own command too ([`Verification`]), and goes back to the deep gear a few times.

pub mod answer;
mod assemble;
mod attempts;
mod check;
mod environment;
mod error;
mod finding;
mod findings;
mod make;
mod material;
mod mend;
pub mod order;
mod overlay;
mod overview;
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

use super::pipeline::Pipeline;
use crate::edit::EditSet;
use crate::job::{Job, Reason};

/// What is wrong with the changes of a set taken together, or could not be told. It reads files and parses.
pub fn check(project: &Project, set: &EditSet) -> Vec<Finding> {
    findings::findings_and_doubts(project, set)
}

/// The project's known files by path.
///
/// With them come outlines of those that the words are most likely about.
pub fn overview(project: &Project, words: &str) -> String {
    overview::overview(project, words)
}

/// Asks for a plan.
///
/// # Errors
///
/// Why there is none.
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
/// All that is wrong with it.
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

/// Carries a plan out, and checks what it comes to.
///
/// # Errors
///
/// Why nothing could be made of it.
pub(super) async fn carry_out(
    pipeline: &Pipeline,
    project: &Project,
    plan: Plan,
    on_event: &OnEvent<'_>,
) -> Result<Run, Reason> {
    let goal = plan.instruction.clone();
    let run = run::run(pipeline, project, plan, on_event).await?;
    mend::checked(pipeline, project, &goal, run, on_event).await
}

/// Checks a change that was made at once.
///
/// # Errors
///
/// As [`carry_out`].
pub(super) async fn checked(
    pipeline: &Pipeline,
    project: &Project,
    instruction: &str,
    run: Run,
    on_event: &OnEvent<'_>,
) -> Result<Run, Reason> {
    mend::checked(pipeline, project, instruction, run, on_event).await
}
