//! Asks for plans: the first plan, and the rest of a plan between its stages.

use super::answer::{self, PlannerReply};
use super::error::{PlanError, PlanErrors};
use super::overview::{cut, overview};
use super::project::Project;
use super::report::Run;
use super::steps::{Plan, Step, tidy};
use super::survey::survey;
use super::tag;
use super::text;
use crate::assist::outcome::Origin;
use crate::assist::pipeline::{AnswerStream, Pipeline, Task, WholeAnswer};
use crate::edit;
use crate::job::{Job, Reason};
use crate::model::{Model, Usage};
use crate::privacy::Verdict;
use crate::prompt::plan::{
    PlanContext, RepairContext, RevisionContext, render_plan, render_repair, render_revision,
};
use crate::prompt::{Prompt, RefusedReply};
use crate::route::{FAST_WINDOW, Gear, RouteInput};
use crate::snapshot::Snapshot;
use crate::workspace::FolderError;

/// Limit on the bytes of the focused code.
const FOCUS_BYTES: usize = 16 * 1024;

/// A request for a plan.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
    /// The instruction.
    pub instruction: String,
    /// The user's focus: a path relative to the root, and code of that file.
    pub focus: Option<(String, String)>,
    /// The gear that the user chose.
    pub gear: Option<Gear>,
}

/// A model's proposal.
#[derive(Debug, Clone)]
pub enum Proposal {
    /// Steps to show, possibly edit, and carry out.
    Plan(Plan),
    /// The whole change at once, read by the edit engine.
    Change(Box<Run>),
}

/// A proposal with its origin and notes.
#[derive(Debug, Clone)]
pub struct Proposed {
    /// The proposal.
    pub proposal: Proposal,
    /// The gear and model that made it.
    pub origin: Origin,
    /// Notes for the user, a clause each.
    pub notes: Vec<String>,
}

/// Asks for a plan. If it is invalid, asks again with its errors.
pub(super) async fn propose(
    pipeline: &Pipeline,
    project: &Project,
    request: &PlanRequest,
) -> Result<Proposed, Reason> {
    let instruction = tidy(&request.instruction);
    let focus = focus(project, request).await?;
    let overview = {
        let instruction = instruction.clone();
        project.reading(Job::Plan, move |project| overview(project, &instruction)).await?
    };
    let mut notes = Vec::new();
    let mut gear = request.gear;
    let mut refused: Option<RefusedReply> = None;
    loop {
        let prompt = render_plan(PlanContext {
            project: &overview,
            focus: focus.as_ref().map(|(path, code)| (path.as_str(), code.as_str())),
            instruction: &instruction,
            refused: refused.as_ref(),
        });
        let task = PlanTask { prompt: Some(prompt), instruction: &instruction, gear };
        let asked = pipeline.run(&snapshot(project), task).await;
        let (answered, origin) = match asked {
            Err(Reason::Model(why)) if gear.is_none() && pipeline.models.fast.is_some() => {
                notes.push(format!(
                    "the fast model makes the plan, since the deep one does not answer: {why}"
                ));
                gear = Some(Gear::Fast);
                continue;
            }
            asked => asked?,
        };
        let read = {
            let (instruction, answered) = (instruction.clone(), answered.clone());
            let fast_window = fast_window(pipeline);
            let read = move |project: &Project| read(project, &instruction, &answered, fast_window);
            project.reading(Job::Plan, read).await?
        };
        match read {
            Ok(Some(proposal)) => return Ok(Proposed { proposal, origin, notes }),
            Ok(None) => return Err(Reason::Unchanged),
            Err(unusable) if refused.is_some() => return Err(unusable),
            Err(unusable) => {
                notes.push(format!("the first plan could not be used: {unusable}"));
                refused = Some(RefusedReply { reply: answered.text, why: unusable.to_string() });
            }
        }
    }
}

/// The focused code, if a model may be shown its file.
async fn focus(project: &Project, request: &PlanRequest) -> Result<Option<(String, String)>, Reason> {
    let Some((path, code)) = &request.focus else { return Ok(None) };
    let place = project.place(path);
    let verdict = project.reading(Job::Plan, move |project| (project.access)(&place)).await?;
    match verdict {
        Verdict::Open => Ok(Some((path.clone(), cut(code, FOCUS_BYTES).to_owned()))),
        verdict => Err(Reason::Withheld { code: verdict.code(), why: verdict.to_string() }),
    }
}

/// Reads a model's proposal: a plan, or a patch. `None` if there is nothing to do.
fn read(
    project: &Project,
    instruction: &str,
    answered: &WholeAnswer,
    fast_window: u32,
) -> Result<Option<Proposal>, Reason> {
    match answer::read(&answered.text, instruction, answered.has_ended).map_err(PlanErrors::from)? {
        PlannerReply::Nothing => Ok(None),
        PlannerReply::Plan(mut plan) => {
            settle(project, &mut plan, fast_window, Tagging::OfModel)?;
            Ok(Some(Proposal::Plan(plan)))
        }
        PlannerReply::Other => {
            let set = project.with_permissions(|permissions| {
                let permissions = edit::plan::Permissions { instruction, ..permissions };
                edit::plan::plan(&answered.text, &*project.files, permissions)
            });
            let set = match set {
                Ok(set) => set,
                Err(FolderError::Refused(edit::Refusal::Prose)) => return Err(no_plan(answered)),
                Err(FolderError::Refused(refusal)) => return Err(refusal.into()),
                Err(error) => return Err(Reason::NotRead(error.to_string())),
            };
            // A dedicated answer reports that there is nothing to do.
            if set.files().is_empty() {
                return Err(no_plan(answered));
            }
            Ok(Some(Proposal::Change(Box::new(Run { set, ..Run::default() }))))
        }
    }
}

fn no_plan(answered: &WholeAnswer) -> Reason {
    PlanErrors::from(PlanError::no_plan(&answered.text)).into()
}

/// Whose choice of gears counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tagging {
    /// The model's: it may only ask for a deeper gear.
    OfModel,
    /// The user's.
    OfUser,
}

/// Checks a plan against the files, and chooses the gears of its steps. The error has all errors of the plan.
pub(super) fn settle(
    project: &Project,
    plan: &mut Plan,
    fast_window: u32,
    tagging: Tagging,
) -> Result<(), PlanErrors> {
    if tagging == Tagging::OfModel {
        // An unsuitable gear is chosen again in any case.
        for step in &mut plan.steps {
            step.tag = step.tag.take().filter(|tag| tag.gear != Gear::Local);
        }
    }
    plan.check()?;
    let bases = survey(project, plan)?;
    let bytes = |step: &Step| bases.get(&step.number).map_or(0, |base| base.text.len());
    match tagging {
        Tagging::OfModel => tag::settle(plan, fast_window, bytes),
        Tagging::OfUser => tag::fill(plan, fast_window, bytes),
    }
    Ok(())
}

pub(super) fn fast_window(pipeline: &Pipeline) -> u32 {
    pipeline.models.fast.as_deref().map_or(FAST_WINDOW, Model::window)
}

/// The results of the steps so far.
pub(super) struct SoFar<'a> {
    pub(super) goal: &'a str,
    pub(super) changes: &'a str,
    pub(super) findings: &'a str,
}

/// Asks the deep gear to revise the rest of a plan; `None` if the rest stays as it is.
pub(super) async fn revise(
    pipeline: &Pipeline,
    project: &Project,
    so_far: SoFar<'_>,
    left: &Plan,
) -> Result<Option<Plan>, Reason> {
    let SoFar { goal, changes, findings } = so_far;
    let shown = text::write(&Plan { instruction: String::new(), ..left.clone() });
    let prompt = render_revision(RevisionContext { goal, changes, findings, left: &shown });
    let Some(answered) = ask_whether(pipeline, project, goal, prompt).await? else { return Ok(None) };
    match answer::read(&answered.text, goal, answered.has_ended).map_err(PlanErrors::from)? {
        PlannerReply::Plan(plan) => Ok(Some(plan)),
        PlannerReply::Nothing => Ok(Some(Plan { instruction: goal.to_owned(), steps: Vec::new() })),
        PlannerReply::Other => Err(no_plan(&answered)),
    }
}

/// Asks the deep gear to fix the problems of a change; `None` if it cannot.
///
/// `project` must be the project after the change.
pub(super) async fn correction(
    pipeline: &Pipeline,
    project: &Project,
    so_far: SoFar<'_>,
) -> Result<Option<Proposal>, Reason> {
    let SoFar { goal, changes, findings } = so_far;
    let overview = {
        let words = format!("{goal}\n{findings}");
        project.reading(Job::Plan, move |project| overview(project, &words)).await?
    };
    let prompt = render_repair(RepairContext { goal, changes, wrong: findings, project: &overview });
    let Some(answered) = ask_whether(pipeline, project, goal, prompt).await? else { return Ok(None) };
    let (goal, fast_window) = (goal.to_owned(), fast_window(pipeline));
    project.reading(Job::Plan, move |project| read(project, &goal, &answered, fast_window)).await?
}

/// Asks the deep gear whether a change is needed; `None` if everything stays as it is.
async fn ask_whether(
    pipeline: &Pipeline,
    project: &Project,
    goal: &str,
    prompt: Prompt,
) -> Result<Option<WholeAnswer>, Reason> {
    let task = PlanTask { prompt: Some(prompt), instruction: goal, gear: None };
    let (answered, _) = pipeline.run(&snapshot(project), task).await?;
    let is_kept = answered.text.trim().trim_matches(['*', '`', '.']) == "KEEP";
    Ok((!is_kept).then_some(answered))
}

/// A snapshot of the project as a whole, without a file.
fn snapshot(project: &Project) -> Snapshot {
    let id = format!("tandem-plan:{}", project.root.display());
    Snapshot::of_no_file(&id, project.settings.of(Some(&project.root)), &project.workspace)
}

struct PlanTask<'a> {
    prompt: Option<Prompt>,
    instruction: &'a str,
    gear: Option<Gear>,
}

impl Task for PlanTask<'_> {
    const JOB: Job = Job::Plan;
    type Shown = ();
    type Draft = WholeAnswer;
    type Output = WholeAnswer;

    fn route_input<'f>(&'f self, facts: RouteInput<'f>) -> RouteInput<'f> {
        RouteInput { forced: self.gear, instruction: self.instruction, ..facts }
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, ()), Reason> {
        Ok((self.prompt.take().ok_or(Reason::Internal)?, ()))
    }

    async fn read(&mut self, (): (), answer: AnswerStream) -> Result<(WholeAnswer, Usage), Reason> {
        answer.whole().await
    }

    async fn validate(&mut self, draft: WholeAnswer) -> Result<WholeAnswer, Reason> {
        Ok(draft)
    }
}

impl From<PlanErrors> for Reason {
    fn from(errors: PlanErrors) -> Self {
        let (code, why) = (errors.code(), errors.to_string());
        if errors.is_no_plan() { Self::NoAnswer { code, why } } else { Self::Unusable { code, why } }
    }
}
