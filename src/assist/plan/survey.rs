//! Checks a plan's paths against the files.

use std::collections::HashMap;

use super::error::{PlanError, PlanErrors};
use super::project::Project;
use super::steps::{Action, Plan, Step};
use crate::edit::edit_set::Base;
use crate::edit::plan::{Claims, Entry, Files, Permissions};
use crate::workspace::FolderError;

/// The current files of a plan, by the step's number. New files have no text.
pub(super) type Bases = HashMap<u32, Base>;

/// Reads the files of a plan.
pub(super) fn survey(project: &Project, plan: &Plan) -> Result<Bases, PlanErrors> {
    project.with_permissions(|permissions| survey_files(&*project.files, permissions, plan))
}

fn survey_files<F>(files: &F, permissions: Permissions<'_>, plan: &Plan) -> Result<Bases, PlanErrors>
where
    F: Files<Error = FolderError> + ?Sized,
{
    let mut claims = Claims::new(files, permissions.access);
    let (mut bases, mut errors) = (Bases::new(), Vec::new());
    for step in &plan.steps {
        match look(&mut claims, step) {
            Ok(base) => bases.extend(base.map(|base| (step.number, base))),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(bases) } else { Err(PlanErrors(errors)) }
}

/// Checks a step's paths; returns the file's text unless it is new.
fn look<F>(claims: &mut Claims<'_, F>, step: &Step) -> Result<Option<Base>, PlanError>
where
    F: Files<Error = FolderError> + ?Sized,
{
    let number = step.number;
    let failed = |error| failed(number, error);
    let entry = claimed(claims, &step.path, "").map_err(failed)?;
    match (&step.action, entry) {
        (Action::Create, None) => Ok(None),
        (Action::Create, Some(_)) => Err(PlanError::Exists { step: number, path: step.path.clone() }),
        (_, None) => Err(PlanError::Absent { step: number, path: step.path.clone() }),
        (action, Some(entry)) => {
            let base = claims.open(&step.path, &entry).map_err(failed)?;
            if let Action::Rename(to) = action
                && claimed(claims, to, &entry.real).map_err(failed)?.is_some()
            {
                return Err(PlanError::Exists { step: number, path: to.clone() });
            }
            Ok(Some(base))
        }
    }
}

/// Claims a path; returns the entry there.
fn claimed<F>(claims: &mut Claims<'_, F>, path: &str, gone: &str) -> Result<Option<Entry>, FolderError>
where
    F: Files<Error = FolderError> + ?Sized,
{
    let place = claims.place_unless(path, gone)?;
    claims.claim(path, &place)?;
    Ok(place.entry)
}

fn failed(step: u32, error: FolderError) -> PlanError {
    match error {
        FolderError::Refused(refusal) => PlanError::Path { step, refusal },
        error => {
            let cause =
                std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            PlanError::NotRead { step, why: format!("{error}{cause}") }
        }
    }
}
