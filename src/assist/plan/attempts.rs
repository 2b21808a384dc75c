//! One step, from its gear's first answer to the accepted answer.

use futures_util::future::join_all;

use super::assemble::assemble;
use super::findings;
use super::project::Project;
use super::report::{Event, OnEvent, Status};
use super::step::{Attempt, StepInput, without_model};
use crate::assist::outcome::Origin;
use crate::assist::pipeline::Pipeline;
use crate::edit::edit_set::FileEdit;
use crate::edit::effect::effects;
use crate::job::{Job, Reason};
use crate::prompt::RefusedReply;
use crate::route::Gear;

/// The result of a step, with its change.
pub(super) struct Ended {
    pub(super) status: Status,
    pub(super) change: Option<FileEdit>,
    pub(super) unusable: Vec<(Gear, String)>,
    pub(super) by: Option<(Gear, Option<String>)>,
}

impl Ended {
    pub(super) fn failed(reason: &Reason, unusable: Vec<(Gear, String)>) -> Self {
        let status = Status::Failed { code: reason.code(), why: reason.to_string() };
        Self { status, change: None, unusable, by: None }
    }

    fn done(change: FileEdit, unusable: Vec<(Gear, String)>, by: Option<(Gear, Option<String>)>) -> Self {
        let status = if change.is_unchanged() { Status::Unchanged } else { Status::Done };
        Self { status, change: Some(change), unusable, by }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.status, Status::Done | Status::Unchanged)
    }
}

/// Asks a gear for a step's change, and returns the best answer.
///
/// The fast gear is asked as often as the user's settings require, concurrently. Of the usable answers, the one
/// with the fewest findings is taken; ties go to the one that changes the fewest lines.
async fn best(attempt: Attempt<'_>, answer: &mut String) -> Result<(FileEdit, Origin), Reason> {
    let project = attempt.project;
    let count = match attempt.gear {
        Gear::Fast => project.settings.everywhere().plan_candidates,
        Gear::Local | Gear::Deep => 1,
    };
    if count < 2 {
        return attempt.ask(answer).await;
    }
    let asked = (0..count).map(|_| async {
        let mut answer = String::new();
        let made = match attempt.ask(&mut answer).await {
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

/// The cost of a change, by which candidates are ordered.
///
/// It consists of whether the change is empty, the number of its findings, and the number of its changed lines.
async fn cost(project: &Project, change: &FileEdit) -> Result<(bool, usize, usize), Reason> {
    let set = assemble(project, vec![change.clone()]).await?;
    let cost = move |project: &Project| {
        let flags: usize = set.files().iter().map(|file| file.flags.len()).sum();
        let wrong = flags + findings::findings(project, &set).len();
        let lines = effects(&set).iter().flat_map(|effect| effect.lines()).sum();
        (set.files().iter().all(FileEdit::is_unchanged), wrong, lines)
    };
    project.reading(Job::Step, cost).await
}

/// Carries out one step: asks its gear, asks again with the reason for refusal, then asks the deep gear.
///
/// Also returns why no other step should start, if that is so.
pub(super) async fn carry_out(
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
    let mut refused: Option<RefusedReply> = None;
    while !gears.is_empty() {
        let gear = gears.remove(0);
        on_event(Event::Asked { step, gear });
        let mut answer = String::new();
        let attempt = Attempt { pipeline, project, input, gear, refused: refused.as_ref() };
        let reason = match best(attempt, &mut answer).await {
            // If one gear attempted a change, an empty change by another gear does not complete the step.
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
            reason if reason.is_refusal() || matches!(reason, Reason::Unchanged | Reason::NotRead(_)) => {
                refused = Some(RefusedReply { reply: answer, why });
            }
            // The same gear would fail again.
            Reason::Model(_) | Reason::Deadline | Reason::Late(_) => gears.retain(|next| *next != gear),
            _ => gears.clear(),
        }
        last = Some(reason);
    }
    (Ended::failed(&last.unwrap_or(Reason::Internal), tried), None)
}
