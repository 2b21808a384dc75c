//! Problems of a change of which some files are left out.

use std::collections::BTreeSet;

use super::finding::{Finding, Problem};
use super::findings::findings;
use super::overlay;
use super::project::{Project, ProjectFiles};
use crate::edit::edit_set::{Base, Change, FileEdit};
use crate::edit::{self, EditSet, diff};
use crate::job::Reason;
use crate::workspace::FolderError;

/// Problems of a change without the files at these paths, besides those of the whole change.
///
/// * What is left out may use what the rest changes: the rest is checked as any change is.
/// * The rest may use what is left out: from the state after the whole change, leaving out is a change, too.
///
/// Reads files and parses.
///
/// # Errors
///
/// The change that does not fit its file as it is now.
pub fn check_without(
    project: &Project,
    whole: Vec<FileEdit>,
    left_out: &BTreeSet<String>,
) -> Result<Vec<Finding>, Reason> {
    let is_left_out = |file: &FileEdit| left_out.contains(&file.path);
    let kept = whole.iter().filter(|file| !is_left_out(file)).cloned().collect();
    let (whole, kept) = (assembled(project, whole)?, assembled(project, kept)?);
    let known = findings(project, &whole);
    let mut found = findings(project, &kept);
    let after = overlay::after(project, &whole);
    let reverted = whole.files().iter().filter(|file| is_left_out(file));
    let reverted = reverted.filter_map(|file| reverted_file(&*after.files, file)).collect();
    if let Ok(reverted) = assembled(&after, reverted) {
        let missed = findings(&after, &reverted).into_iter().filter_map(as_left_out);
        let missed: Vec<Finding> = missed.filter(|it| !found.iter().any(|other| tells(other, it))).collect();
        found.extend(missed);
    }
    found.retain(|it| !known.contains(it));
    found.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    found.dedup();
    Ok(found)
}

/// These changes as one set.
///
/// # Errors
///
/// The change that does not fit its file as it is now.
pub(super) fn assembled(project: &Project, changes: Vec<FileEdit>) -> Result<EditSet, Reason> {
    let set =
        project.with_permissions(|permissions| edit::plan::assemble(changes, &*project.files, permissions));
    set.map_err(|error| match error {
        FolderError::Refused(refusal) => refusal.into(),
        error => Reason::NotRead(error.to_string()),
    })
}

/// The change that takes a file of the whole change back.
fn reverted_file(after: &ProjectFiles, file: &FileEdit) -> Option<FileEdit> {
    let base = |path: &str| -> Option<Base> { after.open(&after.entry(path).ok()??).ok() };
    let (path, change) = match (file.new_path(), file.old_text()) {
        (Some(path), None) => (path, Change::Delete { base: base(path)? }),
        (None, Some(old)) => (file.path.as_str(), Change::Create { text: old.to_owned() }),
        (Some(path), Some(old)) => {
            let base = base(path)?;
            let edits = diff::minimal(&base.text, old);
            let to = file.path.clone();
            let change =
                if path == to { Change::Edit { base, edits } } else { Change::Rename { base, edits, to } };
            (path, change)
        }
        (None, None) => return None,
    };
    Some(FileEdit { path: path.to_owned(), change, flags: Vec::new() })
}

/// A problem of taking a file back, in the words of the one who leaves it out.
///
/// Others are problems of the rest as well, whose check reports them.
fn as_left_out(finding: Finding) -> Option<Finding> {
    let problem = match finding.problem {
        Problem::OldSignature { name, now } => Problem::NewSignature { name, now },
        Problem::Gone(name) => Problem::LeftOut(name),
        Problem::LostImport(path) => Problem::LostImport(path),
        _ => return None,
    };
    Some(Finding { problem, ..finding })
}

/// Whether one finding says that nothing has the name of another.
fn tells(finding: &Finding, other: &Finding) -> bool {
    let (Problem::LeftOut(of) | Problem::NewSignature { name: of, .. }) = &other.problem else {
        return false;
    };
    finding.path == other.path
        && match &finding.problem {
            Problem::UnknownNames(names) | Problem::UncheckedNames(names) => names.contains(of),
            Problem::Undefined { name, .. } => name == of,
            _ => false,
        }
}
