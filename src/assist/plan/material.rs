//! What a step is made from: its file, and what it may rely on in others.

use std::sync::Arc;

use super::overview::{cut, outline};
use super::project::Project;
use super::step::StepInput;
use super::steps::Step;
use crate::assist::pipeline::blocking;
use crate::edit::edit_set::{Base, FileEdit};
use crate::grammar;
use crate::job::{Job, Reason};
use crate::text::ident;
use crate::workspace::Workspace;

/// Bytes of what a step is shown of other files.
const AROUND_BYTES: usize = 12 * 1024;

/// What a step's input is made from, off the thread that serves.
pub(super) struct Material {
    pub(super) step: Step,
    pub(super) base: Option<Base>,
    pub(super) goal: Arc<str>,
    /// The changes that it comes after.
    pub(super) before: Vec<FileEdit>,
}

impl Material {
    pub(super) async fn input(self, project: &Project) -> Result<StepInput, Reason> {
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

/// What a step may rely on in other files.
///
/// It is shown outlines of the files that it comes after, as they are then, and the definitions that its
/// intent names.
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
    if let Some(grammar) = grammar::by_path(&own) {
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
