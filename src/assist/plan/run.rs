//! Carries a plan out.
//!
//! * Steps that wait for no other run at once, [`MOST_AT_ONCE`] at most. A step that fails stops those that come after
//!   it and no others.
//! * An answer that cannot be used is asked for once more with the reason, then of the deep gear, then reported.
//! * Nothing is written. The changes are put together at the end ([`edit::plan::assemble`]), from the files as they are
//!   then, or refused. A run that is dropped leaves nothing behind.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;

use super::error::PlanErrors;
use super::make::{SoFar, Tagging, fast_window, revise, settle};
use super::overview::{cut, outline};
use super::project::Project;
use super::report::{Event, OnEvent, Run, Status, StepReport};
use super::step::{StepInput, Unusable, ask, without_model};
use super::steps::{Plan, Step};
use super::survey::{Bases, survey};
use super::{findings, order};
use crate::assist::outcome::Origin;
use crate::assist::pipeline::{Pipeline, blocking};
use crate::edit::edit_set::FileEdit;
use crate::edit::effect::effects;
use crate::edit::{self, EditSet};
use crate::job::{Job, Reason};
use crate::route::Gear;
use crate::text::ident;
use crate::workspace::{FolderError, Workspace};

/// Steps that are asked for at once.
const MOST_AT_ONCE: usize = 8;
/// Bytes of what a step is shown of other files.
const AROUND_BYTES: usize = 12 * 1024;
/// Bytes of a diff that the deep gear is shown between stages.
const DIFF_BYTES: usize = 32 * 1024;

/// Carries a plan out, and puts its changes together. Its steps have tags.
///
/// # Errors
///
/// Why nothing could be made of it: the plan does not fit the files, or they changed meanwhile.
pub(super) async fn run(
    pipeline: &Pipeline,
    project: &Project,
    plan: Plan,
    on_event: &OnEvent<'_>,
) -> Result<Run, Reason> {
    plan.check()?;
    let bases = bases(project, &plan).await?;
    let mut runner = Runner {
        pipeline,
        project,
        on_event,
        goal: plan.instruction.as_str().into(),
        plan,
        bases,
        ended: HashMap::new(),
        stopped: None,
        notes: Vec::new(),
    };
    runner.stages().await?;
    runner.finish().await
}

async fn bases(project: &Project, plan: &Plan) -> Result<Bases, Reason> {
    let (project, plan) = (project.clone(), plan.clone());
    Ok(blocking(Job::Plan, move || survey(&project, &plan)).await??)
}

struct Runner<'a> {
    pipeline: &'a Pipeline,
    project: &'a Project,
    on_event: &'a OnEvent<'a>,
    goal: Arc<str>,
    plan: Plan,
    bases: Bases,
    /// How the steps ended that were begun, by number.
    ended: HashMap<u32, Ended>,
    /// Why no step is begun any more.
    stopped: Option<String>,
    notes: Vec<String>,
}

/// How a step ended, with its change.
struct Ended {
    status: Status,
    change: Option<FileEdit>,
    unusable: Vec<(Gear, String)>,
    by: Option<(Gear, Option<String>)>,
}

impl Ended {
    fn failed(reason: &Reason, unusable: Vec<(Gear, String)>) -> Self {
        let status = Status::Failed { code: reason.code(), why: reason.to_string() };
        Self { status, change: None, unusable, by: None }
    }

    fn done(change: FileEdit, unusable: Vec<(Gear, String)>, by: Option<(Gear, Option<String>)>) -> Self {
        let status = if change.is_unchanged() { Status::Unchanged } else { Status::Done };
        Self { status, change: Some(change), unusable, by }
    }

    fn is_done(&self) -> bool {
        matches!(self.status, Status::Done | Status::Unchanged)
    }
}

impl Runner<'_> {
    /// Carries all stages out, and looks at the rest of the plan between them.
    async fn stages(&mut self) -> Result<(), Reason> {
        let (mut number, mut staged) = (0, HashSet::new());
        loop {
            let mut left = self.plan.clone();
            left.steps.retain(|step| !staged.contains(&step.number));
            let stages = order::stages(&left).map_err(PlanErrors::from)?;
            let Some((stage, rest)) = stages.split_first() else { return Ok(()) };
            number += 1;
            (self.on_event)(Event::Stage { number, of: number + rest.len() });
            let steps = |indices: &[usize]| -> Vec<Step> {
                indices.iter().filter_map(|at| left.steps.get(*at).cloned()).collect()
            };
            let stage = steps(stage);
            staged.extend(stage.iter().map(|step| step.number));
            self.stage(&stage).await;
            if self.stopped.is_some() {
                return Ok(());
            }
            if !rest.is_empty() {
                self.look_ahead(steps(&rest.concat())).await?;
            }
        }
    }

    /// Carries the steps of one stage out, each as soon as those before it are done.
    async fn stage(&mut self, steps: &[Step]) {
        let (pipeline, project, on_event) = (self.pipeline, self.project, self.on_event);
        let mut begun: Vec<u32> = Vec::new();
        let mut running = FuturesUnordered::new();
        loop {
            while self.stopped.is_none() && running.len() < MOST_AT_ONCE {
                let is_ready = |step: &&Step| {
                    let is_done = |number: &u32| self.ended.get(number).is_some_and(Ended::is_done);
                    !begun.contains(&step.number) && step.after.iter().all(is_done)
                };
                let Some(step) = steps.iter().find(is_ready) else { break };
                begun.push(step.number);
                let material = self.material(step);
                running.push(async move {
                    let ended = match material.input(project).await {
                        Ok(input) => carry_out(pipeline, project, &input, on_event).await,
                        Err(reason) => (Ended::failed(&reason, Vec::new()), None),
                    };
                    (step, ended)
                });
            }
            let Some((step, (ended, capped))) = running.next().await else { return };
            on_event(Event::Ended { step, status: &ended.status });
            self.stopped = self.stopped.take().or(capped);
            self.ended.insert(step.number, ended);
        }
    }

    /// What a step is made from.
    fn material(&self, step: &Step) -> Material {
        let change = |number: &u32| self.ended.get(number)?.change.clone();
        Material {
            before: step.after.iter().filter_map(change).collect(),
            base: self.bases.get(&step.number).cloned(),
            goal: Arc::clone(&self.goal),
            step: step.clone(),
        }
    }

    /// Lets the deep gear look at what came of the stages so far, and change those that are left.
    async fn look_ahead(&mut self, steps: Vec<Step>) -> Result<(), Reason> {
        let set = self.assembled().await?;
        let (project, looked_at) = (self.project.clone(), set.clone());
        let (diff, wrong) = blocking(Job::Plan, move || {
            let findings = findings::findings(&project, &looked_at);
            (diff(&looked_at), findings.iter().map(|finding| format!("{finding}\n")).collect::<String>())
        })
        .await?;
        let failed: String = self
            .plan
            .steps
            .iter()
            .filter_map(|step| match &self.ended.get(&step.number)?.status {
                Status::Failed { why, .. } => Some(format!("step {}, `{}`: {why}\n", step.number, step.path)),
                _ => None,
            })
            .collect();
        let so_far = SoFar { goal: &self.goal, changes: &diff, findings: &(wrong + &failed) };
        let plan = Plan { instruction: self.plan.instruction.clone(), steps };
        match revise(self.pipeline, self.project, so_far, &plan).await {
            Ok(None) => {}
            Ok(Some(revised)) => self.replace_rest(&plan, revised).await?,
            Err(Reason::Capped(why)) => self.stopped = Some(why),
            Err(reason) => self.notes.push(format!("the rest of the plan was not looked at again: {reason}")),
        }
        Ok(())
    }

    /// Takes other steps for those that are left, if they fit.
    async fn replace_rest(&mut self, left: &Plan, revised: Plan) -> Result<(), Reason> {
        let is_left = |step: &Step| left.step(step.number).is_some();
        let mut plan = self.plan.clone();
        plan.steps.retain(|step| !is_left(step));
        plan.steps.extend(revised.steps);
        let (project, window) = (self.project.clone(), fast_window(self.pipeline));
        let settled =
            blocking(Job::Plan, move || settle(&project, &mut plan, window, Tagging::OfModel).map(|()| plan));
        match settled.await? {
            Ok(plan) => {
                self.bases.extend(bases(self.project, &plan).await?);
                self.notes.push("the rest of the plan was revised after a stage".to_owned());
                self.plan = plan;
            }
            Err(errors) => self.notes.push(format!("a revision of the plan could not be used: {errors}")),
        }
        Ok(())
    }

    /// The changes so far as one set.
    async fn assembled(&self) -> Result<EditSet, Reason> {
        let changes = self.plan.steps.iter().filter_map(|it| self.ended.get(&it.number)?.change.clone());
        assemble(self.project, changes.collect()).await
    }

    /// Puts the changes together.
    async fn finish(mut self) -> Result<Run, Reason> {
        let set = self.assembled().await?;
        let mut steps = Vec::with_capacity(self.plan.steps.len());
        for step in std::mem::take(&mut self.plan.steps) {
            let ended = self.ended.remove(&step.number);
            let (status, unusable, by) = match ended {
                Some(Ended { status, unusable, by, .. }) => (status, unusable, by),
                None => (Status::NotBegun, Vec::new(), None),
            };
            steps.push(StepReport { step, status, unusable, by });
        }
        if self.stopped.is_none() {
            mark_waiting(&mut steps);
        }
        Ok(Run { set, steps, stopped: self.stopped, notes: self.notes, ..Run::default() })
    }
}

/// The diff of a set as a model is shown it, cut where it is long.
pub(super) fn diff(set: &EditSet) -> String {
    let diff: String = effects(set).iter().map(edit::effect::Effect::unified).collect();
    cut(&diff, DIFF_BYTES).to_owned()
}

/// Puts changes together to one set, from the files as they are now.
///
/// # Errors
///
/// What does not fit.
pub(super) async fn assemble(project: &Project, changes: Vec<FileEdit>) -> Result<EditSet, Reason> {
    let project = project.clone();
    let assembled = blocking(Job::Plan, move || {
        project.with_permissions(|permissions| edit::plan::assemble(changes, &*project.files, permissions))
    });
    match assembled.await? {
        Ok(set) => Ok(set),
        Err(FolderError::Refused(refusal)) => Err(refusal.into()),
        Err(error) => Err(Reason::Refused { code: "not-read", why: error.to_string() }),
    }
}

/// Says of each step that was not begun which one it waits for.
fn mark_waiting(steps: &mut [StepReport]) {
    let is_done = |steps: &[StepReport], number: u32| {
        let step = steps.iter().find(|it| it.step.number == number);
        step.is_some_and(|it| matches!(it.status, Status::Done | Status::Unchanged))
    };
    for at in 0..steps.len() {
        let on = steps[at].step.after.iter().copied().find(|number| !is_done(steps, *number));
        if let (Status::NotBegun, Some(on)) = (&steps[at].status, on) {
            steps[at].status = Status::Waiting { on };
        }
    }
}

/// What a step's input is made from, off the thread that serves.
struct Material {
    step: Step,
    base: Option<edit::edit_set::Base>,
    goal: Arc<str>,
    /// The changes that it comes after.
    before: Vec<FileEdit>,
}

impl Material {
    async fn input(self, project: &Project) -> Result<StepInput, Reason> {
        let Self { step, base, goal, before } = self;
        if !step.needs_model() {
            return Ok(StepInput { step, base, goal, around: "".into() });
        }
        let (project, intent) = (project.clone(), step.intent.clone());
        let path = step.path.clone();
        let around = blocking(Job::Step, move || around(&project, &path, &intent, &before)).await?;
        Ok(StepInput { step, base, goal, around: around.into() })
    }
}

/// What a step may rely on in other files: outlines of those that it comes after, as they are then, and the definitions
/// that its intent names.
fn around(project: &Project, path: &str, intent: &str, before: &[FileEdit]) -> String {
    let mut text = String::new();
    for file in before {
        let Some(path) = file.new_path() else {
            text.push_str(&format!("{} is gone\n", file.path));
            continue;
        };
        text.push_str(path);
        text.push('\n');
        let place = project.place(path);
        let scratch = Workspace::default().changed(&[(place.clone(), file.new_text().map(Into::into))]);
        if let Some(symbols) = scratch.symbols(&place) {
            text.push_str(&outline(&symbols));
        }
    }
    let own = project.place(path);
    if let Some(grammar) = crate::grammar::by_path(&own) {
        let mut seen: Vec<&str> = Vec::new();
        for name in ident::words(intent).filter(|name| name.len() > 2) {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let places = project.workspace.definitions(grammar, name);
            for place in places.iter().filter(|place| **place.path() != *own).take(2) {
                text.push_str(&format!(
                    "{}: {}\n",
                    project.shown(place.path()),
                    place.definition().signature
                ));
            }
        }
    }
    cut(&text, AROUND_BYTES).to_owned()
}

/// Asks a gear for a step's change: the fast one as often as the user's settings say, all at once. Of the answers that
/// can be used, the one with the fewest findings is taken, and of those the one that changes the fewest lines.
async fn best(
    pipeline: &Pipeline,
    project: &Project,
    input: &StepInput,
    gear: Gear,
    unusable: Option<&Unusable>,
    answer: &mut String,
) -> Result<(FileEdit, Origin), Reason> {
    let count = match gear {
        Gear::Fast => project.settings.everywhere().plan_candidates,
        Gear::Local | Gear::Deep => 1,
    };
    if count < 2 {
        return ask(pipeline, project, input, gear, unusable, answer).await;
    }
    let asked = (0..count).map(|_| async {
        let mut answer = String::new();
        let made = match ask(pipeline, project, input, gear, unusable, &mut answer).await {
            Ok(made) => cost(project, &made.0).await.map(|cost| (cost, made)),
            Err(reason) => Err(reason),
        };
        (made, answer)
    });
    let (mut sound, mut refused) = (Vec::new(), None);
    for (made, answer) in join_all(asked).await {
        match made {
            Ok(made) => sound.push(made),
            Err(reason) => refused = refused.or(Some((reason, answer))),
        }
    }
    match (sound.into_iter().min_by_key(|(cost, _)| *cost), refused) {
        (Some((_, made)), _) => Ok(made),
        (None, Some((reason, said))) => {
            *answer = said;
            Err(reason)
        }
        (None, None) => Err(Reason::Internal),
    }
}

/// The cost of a change, by which candidates are ordered: whether it does nothing, its findings, its changed lines.
async fn cost(project: &Project, change: &FileEdit) -> Result<(bool, usize, usize), Reason> {
    let set = assemble(project, vec![change.clone()]).await?;
    let project = project.clone();
    blocking(Job::Step, move || {
        let flags: usize = set.files().iter().map(|file| file.flags.len()).sum();
        let wrong = flags + findings::findings(&project, &set).len();
        let lines = effects(&set).iter().flat_map(|effect| effect.lines()).sum();
        (set.files().iter().all(FileEdit::is_unchanged), wrong, lines)
    })
    .await
}

/// Carries one step out: asks its gear, asks once more with the reason, then the deep gear. Also returns why no other
/// step is to be begun, if that is so.
async fn carry_out(
    pipeline: &Pipeline,
    project: &Project,
    input: &StepInput,
    on_event: &OnEvent<'_>,
) -> (Ended, Option<String>) {
    let step = &input.step;
    if let Some(change) = without_model(input) {
        return (Ended::done(change, Vec::new(), Some((Gear::Local, None))), None);
    }
    let mut gears = match step.tag.as_ref().map(|tag| tag.gear) {
        Some(Gear::Fast) if pipeline.models.deep.is_some() => vec![Gear::Fast, Gear::Fast, Gear::Deep],
        Some(Gear::Fast) => vec![Gear::Fast; 2],
        _ => vec![Gear::Deep; 2],
    };
    let (mut tried, mut last) = (Vec::new(), None);
    let mut unusable: Option<Unusable> = None;
    while !gears.is_empty() {
        let gear = gears.remove(0);
        on_event(Event::Asked { step, gear });
        let mut answer = String::new();
        let asked = best(pipeline, project, input, gear, unusable.as_ref(), &mut answer).await;
        let reason = match asked {
            // A gear that gives up where another one saw something to do has not done it.
            Ok((change, _)) if change.is_unchanged() && !tried.is_empty() => Reason::Unchanged,
            Ok((change, origin)) => {
                return (Ended::done(change, tried, Some((origin.gear, origin.model))), None);
            }
            Err(reason) => reason,
        };
        let why = reason.to_string();
        on_event(Event::Unusable { step, why: &why });
        tried.push((gear, why.clone()));
        match &reason {
            Reason::Capped(cap) => return (Ended::failed(&reason, tried), Some(cap.clone())),
            Reason::Refused { .. } | Reason::Unchanged => unusable = Some(Unusable { answer, why }),
            // To ask the same gear again would come to the same.
            Reason::Model(_) | Reason::Deadline => gears.retain(|next| *next != gear),
            _ => gears.clear(),
        }
        last = Some(reason);
    }
    (Ended::failed(&last.unwrap_or(Reason::Internal), tried), None)
}
