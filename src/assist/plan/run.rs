//! Carries out a plan.
//!
//! * Independent steps run concurrently, [`MOST_AT_ONCE`] at most. A failed step stops only the steps that
//!   depend on it.
//! * After an unusable answer, the step is asked for again with the reason, then from the deep gear, then
//!   reported as failed.
//! * Nothing is written. The changes are combined at the end ([`edit::plan::assemble`]), from the files as they
//!   are then, or refused. A run that is dropped leaves nothing behind.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use super::assemble::{assemble, diff};
use super::attempts::{Ended, carry_out};
use super::error::PlanErrors;
use super::make::{SoFar, Tagging, fast_window, revise, settle};
use super::project::Project;
use super::report::{Event, OnEvent, Run, Status, StepReport};
use super::step_input::StepInputBuilder;
use super::steps::{Plan, Step};
use super::survey::{Bases, survey};
use super::{findings, order};
use crate::assist::pipeline::Pipeline;
use crate::edit::EditSet;
use crate::job::{Job, Reason};

/// Limit on the steps that run concurrently.
const MOST_AT_ONCE: usize = 8;

/// Carries out a plan, and combines its changes. Its steps must have tags.
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
    let plan = plan.clone();
    Ok(project.reading(Job::Plan, move |project| survey(project, &plan)).await??)
}

struct Runner<'a> {
    pipeline: &'a Pipeline,
    project: &'a Project,
    on_event: &'a OnEvent<'a>,
    goal: Arc<str>,
    plan: Plan,
    bases: Bases,
    /// The results of the steps that were started, by number.
    ended: HashMap<u32, Ended>,
    /// Why no more steps are started, if so.
    stopped: Option<String>,
    notes: Vec<String>,
}

impl Runner<'_> {
    /// Carries out all stages, and reviews the rest of the plan between them.
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

    /// Carries out the steps of one stage, each as soon as its dependencies are complete.
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
                let input_builder = self.input_builder(step);
                running.push(async move {
                    let ended = match input_builder.input(project).await {
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

    fn input_builder(&self, step: &Step) -> StepInputBuilder {
        let change = |number: &u32| self.ended.get(number)?.change.clone();
        StepInputBuilder {
            before: step.after.iter().filter_map(change).collect(),
            base: self.bases.get(&step.number).cloned(),
            goal: Arc::clone(&self.goal),
            step: step.clone(),
        }
    }

    /// Shows the deep gear the results of the stages so far.
    ///
    /// It may change the remaining steps.
    async fn look_ahead(&mut self, steps: Vec<Step>) -> Result<(), Reason> {
        let set = self.assembled().await?;
        let looked_at = set.clone();
        let look = move |project: &Project| {
            let findings = findings::findings(project, &looked_at);
            (diff(&looked_at), findings.iter().map(|finding| format!("{finding}\n")).collect::<String>())
        };
        let (diff, wrong) = self.project.reading(Job::Plan, look).await?;
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

    /// Replaces the remaining steps by others, if these fit.
    async fn replace_rest(&mut self, left: &Plan, revised: Plan) -> Result<(), Reason> {
        let is_left = |step: &Step| left.step(step.number).is_some();
        let mut plan = self.plan.clone();
        plan.steps.retain(|step| !is_left(step));
        plan.steps.extend(revised.steps);
        let window = fast_window(self.pipeline);
        let settle =
            move |project: &Project| settle(project, &mut plan, window, Tagging::OfModel).map(|()| plan);
        match self.project.reading(Job::Plan, settle).await? {
            Ok(plan) => {
                self.bases.extend(bases(self.project, &plan).await?);
                self.notes.push("the rest of the plan was revised after a stage".to_owned());
                self.plan = plan;
            }
            Err(errors) => self.notes.push(format!("a revision of the plan could not be used: {errors}")),
        }
        Ok(())
    }

    /// Combines the changes so far.
    async fn assembled(&self) -> Result<EditSet, Reason> {
        let changes = self.plan.steps.iter().filter_map(|it| self.ended.get(&it.number)?.change.clone());
        assemble(self.project, changes.collect()).await
    }

    /// Combines the changes.
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

/// Marks each step that was not started with the step that it waits for.
fn mark_waiting(steps: &mut [StepReport]) {
    let is_done = |steps: &[StepReport], number: u32| {
        let step = steps.iter().find(|it| it.step.number == number);
        step.is_some_and(|it| matches!(it.status, Status::Done | Status::Unchanged))
    };
    for at in 0..steps.len() {
        let on = steps[at].step.after.iter().copied().find(|number| !is_done(steps, *number));
        if let (Status::NotBegun, Some(on)) = (&steps[at].status, on) {
            steps[at].status = Status::Waiting(on);
        }
    }
}
