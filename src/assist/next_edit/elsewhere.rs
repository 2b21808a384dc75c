//! The next edit in another open file: where the definition is used that the user just changed.

use super::{Hunk, Situation, done};
use crate::local::elsewhere::{Changed, changed, rename, uses};
use crate::snapshot::{RecentEdit, Snapshot};

/// A definition that the user changed last, and the files that may have to follow.
struct Cause<'a> {
    /// The file that it is in.
    source: &'a Snapshot,
    changed: Changed,
    /// The other files, the one at hand first.
    targets: Vec<&'a Snapshot>,
}

/// The user's last step, if it changed what other files may use. What was accepted since does not count, unless it is
/// the rest of a name that the user began.
fn cause(situation: &Situation) -> Option<Cause<'_>> {
    let is_own = |step: &RecentEdit| !step.is_merged && (!step.is_accepted || step.is_mixed);
    let step: &RecentEdit = situation.steps.iter().rev().find(|step| is_own(step))?;
    let files = || std::iter::once(&situation.snapshot).chain(&situation.elsewhere);
    let source = files().find(|it| *it.document.id() == step.document)?;
    let changed = changed(&source.document, &done(step, true))?;
    let targets = files().filter(|it| it.document.id() != source.document.id()).collect();
    Some(Cause { source, changed, targets })
}

/// The uses of a name that was changed in its own file, in the first of the others that has any.
pub(super) fn renames(situation: &Situation) -> Vec<Hunk> {
    let Some(Cause { source, changed: Changed { name, old: Some(old) }, targets }) = cause(situation) else {
        return Vec::new();
    };
    let edits = targets.into_iter().map(|target| {
        let edits = rename(&source.document, &target.document, &old, &name);
        edits.into_iter().map(|edit| Hunk::local(&target.document, edit)).collect::<Vec<_>>()
    });
    edits.into_iter().find(|hunks| !hunks.is_empty()).unwrap_or_default()
}

/// What to ask a model about the first other file that uses what the user changed.
pub(super) fn asks(situation: &Situation) -> Option<Situation> {
    let Cause { source, changed, targets } = cause(situation)?;
    // The file at hand was asked about.
    let mut others = targets.into_iter().filter(|it| it.document.id() != situation.snapshot.document.id());
    let name = &changed.name;
    others.find_map(|target| {
        // Where it is called rather than brought in.
        let at = uses(&source.document, &target.document, name).into_iter().find(|it| !it.is_import)?.at;
        Some(Situation {
            snapshot: target.clone(),
            cursor: at,
            // What is reported was reported near the cursor.
            problems: Vec::new(),
            elsewhere: Vec::new(),
            ..situation.clone()
        })
    })
}
