//! One step of a plan: one file, its input, and the request to a model that changes it.

mod change;
mod input;

use super::project::Project;
use super::steps::Action;
use crate::assist::outcome::Origin;
use crate::assist::pipeline::{AnswerStream, Pipeline, Task, WholeAnswer, blocking};
use crate::document::{Document, DocumentId};
use crate::edit::edit_set::{Change, FileEdit};
use crate::job::{Job, Reason};
use crate::model::Usage;
use crate::prompt::plan::{StepContext, render_step};
use crate::prompt::{Prompt, RefusedReply};
use crate::route::{Gear, RouteInput};
use crate::snapshot::Snapshot;
use change::change;

pub(super) use input::StepInput;

/// The change of a step that needs no model; `None` if it needs one.
pub(super) fn without_model(input: &StepInput) -> Option<FileEdit> {
    let StepInput { step, base, .. } = input;
    if step.needs_model() {
        return None;
    }
    let base = base.clone()?;
    let change = match &step.action {
        Action::Rename(to) => Change::Rename { base, edits: Vec::new(), to: to.clone() },
        Action::Delete => Change::Delete { base },
        Action::Edit | Action::Create => return None,
    };
    Some(FileEdit { path: step.path.clone(), change, flags: Vec::new() })
}

/// One request to a model for a step's change.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) project: &'a Project,
    pub(super) input: &'a StepInput,
    pub(super) gear: Gear,
    /// The previous answer.
    pub(super) refused: Option<&'a RefusedReply>,
}

impl Attempt<'_> {
    /// Asks the gear's model. If there is no change, `answer` is the text of the model.
    pub(super) async fn ask(self, answer: &mut String) -> Result<(FileEdit, Origin), Reason> {
        let Self { pipeline, project, input, gear, refused } = self;
        let place = project.place(&input.step.path);
        let access = {
            let place = place.clone();
            project.reading(Job::Step, move |project| (project.access)(&place)).await?
        };
        let text = input.base.as_ref().map_or("", |base| base.text.as_str());
        let id = DocumentId::new(&format!("file://{}", place.display()));
        let (settings, workspace) = (project.settings.of(Some(&place)).clone(), project.workspace.clone());
        let document = Document::new(id, "", 0, text);
        let snapshot = Snapshot::of_file(document, input.step.path.as_str(), settings, access, workspace);
        let allow_invisible = snapshot.settings.allow_invisible_characters;
        pipeline.run(&snapshot, StepTask { input, gear, refused, answer, allow_invisible }).await
    }
}

struct StepTask<'a> {
    input: &'a StepInput,
    gear: Gear,
    /// The previous answer.
    refused: Option<&'a RefusedReply>,
    /// Receives the answer, in case it is unusable.
    answer: &'a mut String,
    allow_invisible: bool,
}

impl Task for StepTask<'_> {
    const JOB: Job = Job::Step;
    type Shown = ();
    type Draft = WholeAnswer;
    type Output = FileEdit;

    fn route_input<'f>(&'f self, facts: RouteInput<'f>) -> RouteInput<'f> {
        let code = self.input.base.as_ref().map_or("", |base| base.text.as_str());
        RouteInput { forced: Some(self.gear), instruction: &self.input.step.intent, code, ..facts }
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, ()), Reason> {
        let StepInput { step, base, goal, around } = self.input;
        let context = StepContext {
            path: &step.path,
            text: base.as_ref().map(|base| base.text.as_str()),
            around,
            goal,
            intent: &step.intent,
            refused: self.refused,
        };
        Ok((render_step(context), ()))
    }

    async fn read(&mut self, (): (), answer: AnswerStream) -> Result<(WholeAnswer, Usage), Reason> {
        let (answer, usage) = answer.whole().await?;
        self.answer.clone_from(&answer.text);
        Ok((answer, usage))
    }

    async fn validate(&mut self, answer: WholeAnswer) -> Result<FileEdit, Reason> {
        let (input, allow_invisible) = (self.input.clone(), self.allow_invisible);
        Ok(blocking(Job::Step, move || change(input, &answer, allow_invisible)).await??)
    }
}
