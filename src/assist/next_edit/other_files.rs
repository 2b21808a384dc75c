//! Next edits in other files: uses of a definition that the user just changed.

use std::sync::Arc;

use super::params::NextEditParams;
use super::repeats::done;
use super::suggested_edit::SuggestedEdit;
use super::unopened;
use crate::local::references::{Changed, changed, rename, uses};
use crate::local::repeat::{Done, repeat_elsewhere};
use crate::snapshot::{RecentEdit, Rename, Snapshot};

/// A definition that the user changed last, and the files that may have to follow.
struct Cause<'a> {
    /// The file that it is in.
    source: &'a Snapshot,
    changed: Changed,
    /// The other open files, the one at hand first.
    targets: Vec<&'a Snapshot>,
}

/// The user's last edit, if it changed what other files may use.
///
/// Accepted suggestions do not count, unless they are the rest of a name that the user began.
fn cause(params: &NextEditParams) -> Option<Cause<'_>> {
    let is_own = |edit: &RecentEdit| !edit.is_merged && (!edit.is_accepted || edit.is_mixed);
    let edit = params.recent_edits.iter().rev().find(|edit| is_own(edit))?;
    let files = || std::iter::once(&params.snapshot).chain(&params.other_files);
    let source = files().find(|it| *it.document.id() == edit.document)?;
    let changed = changed(&source.document, &done(edit, true))?;
    let targets = files().filter(|it| it.document.id() != source.document.id()).collect();
    Some(Cause { source, changed, targets })
}

/// The uses of a renamed definition, in the first other file that has any.
///
/// Open files come first.
pub(super) fn renames(params: &NextEditParams) -> Vec<SuggestedEdit> {
    let Some(Cause { source, changed: Changed { name, old: Some(old), at }, targets }) = cause(params) else {
        return Vec::new();
    };
    let at = at..at + name.len();
    let (document, revision) = (source.document.id().clone(), source.document.revision());
    let cause = Arc::new(Rename { document, revision, from: old.clone(), to: name.clone(), at });
    let edits = |target: &Snapshot| {
        let edits = rename(&source.document, &target.document, &old, &name);
        let edit = |edit| SuggestedEdit::local(&target.document, edit, Some(&cause));
        edits.into_iter().map(edit).collect::<Vec<_>>()
    };
    let open = targets.into_iter().map(edits);
    let unopened = unopened::with_name(params, source, &old).map(|target| edits(&target));
    open.chain(unopened).find(|edits| !edits.is_empty()).unwrap_or_default()
}

/// What the last steps replaced elsewhere, in the first other file that has it.
///
/// With it comes what it follows from.
pub(super) fn same_lines(params: &NextEditParams) -> Option<(Vec<SuggestedEdit>, &'static str)> {
    let steps = params.recent_edits.iter().filter(|edit| !edit.is_merged);
    let steps: Vec<Done<'_>> = steps.map(|edit| done(edit, false)).collect();
    let others = params.other_files.iter().map(|target| &*target.document);
    let (number, repeats) = repeat_elsewhere(others, &steps)?;
    let document = &params.other_files.get(number)?.document;
    let edits = repeats.edits.into_iter().map(|edit| SuggestedEdit::local(document, edit, None));
    Some((edits.collect(), repeats.why))
}

/// What to ask a model about: the first use in another file of what the user changed.
///
/// Open files come first.
pub(super) fn first_use(params: &NextEditParams) -> Option<NextEditParams> {
    let Cause { source, changed, targets } = cause(params)?;
    // The model was asked about the file at hand.
    let others = targets.into_iter().filter(|it| it.document.id() != params.snapshot.document.id()).cloned();
    let unopened = unopened::with_name(params, source, &changed.name).filter(unopened::may_be_shown);
    others.chain(unopened).find_map(|target| {
        // A call rather than an import.
        let uses = uses(&source.document, &target.document, &changed.name);
        let cursor = uses.into_iter().find(|it| !it.is_import)?.at;
        Some(NextEditParams {
            snapshot: target,
            cursor,
            // Those of `params` are near its cursor.
            diagnostics: Vec::new(),
            other_files: Vec::new(),
            ..params.clone()
        })
    })
}
