//! Combines the changes of several steps into one set, and renders the set as a diff for a model.

use super::overview::cut;
use super::project::Project;
use crate::edit::edit_set::FileEdit;
use crate::edit::effect::unified;
use crate::edit::{self, EditSet};
use crate::job::{Job, Reason};
use crate::workspace::FolderError;

/// Limit on the bytes of a diff that the deep gear is shown.
const DIFF_BYTES: usize = 32 * 1024;

/// The diff of a set for a model, truncated if it is long.
pub(super) fn diff(set: &EditSet) -> String {
    cut(&unified(set), DIFF_BYTES).to_owned()
}

/// Combines changes into one set, from the files as they are now.
pub(super) async fn assemble(project: &Project, changes: Vec<FileEdit>) -> Result<EditSet, Reason> {
    let assembled = project.reading(Job::Plan, move |project| {
        project.with_permissions(|permissions| edit::plan::assemble(changes, &*project.files, permissions))
    });
    match assembled.await? {
        Ok(set) => Ok(set),
        Err(FolderError::Refused(refusal)) => Err(refusal.into()),
        Err(error) => Err(Reason::NotRead(error.to_string())),
    }
}
