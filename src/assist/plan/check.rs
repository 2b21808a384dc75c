//! The checks of a plan that do not need the files.

use super::error::{PlanError, PlanErrors};
use super::order::order;
use super::steps::{Action, MOST_STEPS, Plan};
use crate::route::Gear;

impl Plan {
    /// Checks the plan without the files.
    ///
    /// # Errors
    ///
    /// All errors of the plan, in the order of the steps.
    pub fn check(&self) -> Result<(), PlanErrors> {
        let mut errors = Vec::new();
        match self.steps.len() {
            0 => errors.push(PlanError::NoSteps),
            steps if steps > MOST_STEPS => return Err(PlanError::TooManySteps(steps).into()),
            _ => {}
        }
        for (at, step) in self.steps.iter().enumerate() {
            let number = step.number;
            if self.steps[..at].iter().any(|it| it.number == number) {
                errors.push(PlanError::SameNumber(number));
            }
            errors.extend(
                step.paths()
                    .filter(|path| !is_path(path))
                    .map(|path| PlanError::NotAPath { step: number, path: path.to_owned() }),
            );
            if step.intent.is_empty() && matches!(step.action, Action::Edit | Action::Create) {
                errors.push(PlanError::NoIntent(number));
            }
            let is_local = step.tag.as_ref().is_some_and(|tag| tag.gear == Gear::Local);
            if is_local && step.needs_model() {
                errors.push(PlanError::NeedsModel(number));
            }
            errors.extend(
                step.after
                    .iter()
                    .filter(|after| self.step(**after).is_none())
                    .map(|after| PlanError::UnknownStep { step: number, after: *after }),
            );
        }
        errors.extend(self.shared_paths());
        if errors.is_empty() {
            order(self).map_err(PlanErrors::from)?;
        }
        if errors.is_empty() { Ok(()) } else { Err(PlanErrors(errors)) }
    }

    /// The paths that several steps claim, as written.
    ///
    /// Links and case can only be compared with the files.
    fn shared_paths(&self) -> Vec<PlanError> {
        let mut wanted: Vec<(&str, Vec<u32>)> = Vec::new();
        for step in &self.steps {
            for path in step.paths() {
                match wanted.iter_mut().find(|(it, _)| *it == path) {
                    Some((_, steps)) => steps.push(step.number),
                    None => wanted.push((path, vec![step.number])),
                }
            }
        }
        let shared = wanted.into_iter().filter(|(_, steps)| steps.len() > 1);
        shared.map(|(path, steps)| PlanError::SamePath { path: path.to_owned(), steps }).collect()
    }
}

/// Whether a text can be a path in a plan.
fn is_path(path: &str) -> bool {
    !path.is_empty() && path.trim() == path && !path.contains(|it: char| it == '`' || it.is_control())
}
