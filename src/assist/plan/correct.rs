//! Sends the problems of a change back before it is shown.
//!
//! * First the findings in the files, then the failure of the user's command; [`MOST_ROUNDS`] rounds for each.
//! * The deep gear answers with a correction, as a plan or a patch of the files as they are with the change; the
//!   steps are carried out like any other.
//! * A correction that does not help is dropped: the change stays as it was, and its problems are reported.

use super::assemble::{assemble, diff};
use super::finding::Finding;
use super::findings::findings;
use super::make::{Proposal, SoFar, correction};
use super::overlay;
use super::project::Project;
use super::report::{Event, OnEvent, Run};
use super::run;
use super::test_command::test_command;
use super::verification::Verification;
use super::verify::verify;
use crate::assist::pipeline::Pipeline;
use crate::edit::EditSet;
use crate::job::{Job, Reason};

/// Rounds of correction.
///
/// A second round helps; from the third on it goes in circles.
const MOST_ROUNDS: usize = 2;

/// Checks the result of a run, and corrects it where possible.
pub(super) async fn checked(
    pipeline: &Pipeline,
    project: &Project,
    goal: &str,
    mut run: Run,
    on_event: &OnEvent<'_>,
) -> Result<Run, Reason> {
    run.findings = found(project, &run.set).await?;
    // An incomplete change is not applied.
    if run.gap().is_some() || run.set.files().iter().all(|file| file.is_unchanged()) {
        return Ok(run);
    }
    let mut corrector = Corrector { pipeline, project, goal, on_event, run, rounds: 0 };
    for _ in 0..MOST_ROUNDS {
        if corrector.run.findings.is_empty() || !corrector.correct(None).await? {
            break;
        }
    }
    let mut verification = verify(project, &corrector.run.set, false, on_event).await?;
    for _ in 0..MOST_ROUNDS {
        let Some(failure) = verification.as_ref().filter(|it| it.is_failure()) else { break };
        if !corrector.correct(Some(failure)).await? {
            break;
        }
        verification = verify(project, &corrector.run.set, true, on_event).await?;
    }
    let set = corrector.run.set.clone();
    let test_command = project.reading(Job::Plan, move |project| test_command(&*project.files, &set)).await?;
    Ok(Run { verification, test_command, ..corrector.run })
}

async fn found(project: &Project, set: &EditSet) -> Result<Vec<Finding>, Reason> {
    let set = set.clone();
    project.reading(Job::Plan, move |project| findings(project, &set)).await
}

struct Corrector<'a> {
    pipeline: &'a Pipeline,
    project: &'a Project,
    goal: &'a str,
    on_event: &'a OnEvent<'a>,
    run: Run,
    rounds: usize,
}

impl Corrector<'_> {
    /// Corrects the findings and the failure of the command; false if no correction was usable.
    async fn correct(&mut self, failure: Option<&Verification>) -> Result<bool, Reason> {
        self.rounds += 1;
        (self.on_event)(Event::Correcting(self.rounds));
        let set = match self.mended(failure).await {
            Ok(Some(set)) => set,
            Ok(None) | Err(Reason::Unchanged) => return Ok(false),
            Err(reason) if reason.is_lack_of_model() => return Ok(false),
            Err(reason @ (Reason::Cancelled | Reason::Internal)) => return Err(reason),
            Err(reason) => {
                self.run.notes.push(format!("the findings could not be corrected: {reason}"));
                return Ok(false);
            }
        };
        let findings = found(self.project, &set).await?;
        if findings.len() > self.run.findings.len() {
            self.run.notes.push("a correction was let go, since more was wrong with it".to_owned());
            return Ok(false);
        }
        let why = match failure {
            Some(failure) => format!("`{}` failed", failure.command),
            None => "something was wrong with the files".to_owned(),
        };
        self.run.notes.push(format!("the change was corrected, since {why}"));
        (self.run.set, self.run.findings) = (set, findings);
        Ok(true)
    }

    /// The change with a correction; `None` if there is none.
    async fn mended(&self, failure: Option<&Verification>) -> Result<Option<EditSet>, Reason> {
        let Self { pipeline, project, goal, on_event, .. } = *self;
        let set = self.run.set.clone();
        let (after, changes) =
            project.reading(Job::Plan, move |before| (overlay::after(before, &set), diff(&set))).await?;
        let mut wrong: String = self.run.findings.iter().map(|finding| format!("{finding}\n")).collect();
        if let Some(failure) = failure {
            wrong.push_str(&format!("{failure}\nIt printed:\n{}", failure.said));
        }
        let so_far = SoFar { goal, changes: &changes, findings: &wrong };
        let correction = match correction(pipeline, &after, so_far).await? {
            None => return Ok(None),
            Some(Proposal::Change(change)) => *change,
            Some(Proposal::Plan(plan)) => run::run(pipeline, &after, plan, on_event).await?,
        };
        if let Some(why) = correction.stopped {
            return Err(Reason::Capped(why));
        }
        if !correction.is_whole() {
            let why = "not all steps of the correction could be done".to_owned();
            return Err(Reason::Unusable { code: "not-whole", why });
        }
        if correction.set.files().iter().all(|file| file.is_unchanged()) {
            return Ok(None);
        }
        let changes = self.run.set.clone().followed_by(correction.set);
        assemble(project, changes).await.map(Some)
    }
}
