//! Next edits in other files: uses of a definition that the user just changed.

use std::cell::LazyCell;
use std::path::Path;
use std::sync::Arc;

use super::params::NextEditParams;
use super::repeats::done;
use super::suggested_edit::SuggestedEdit;
use super::unopened::Unopened;
use crate::document::Document;
use crate::local::references::{self, Changed, Use, changed, passes_on, uses};
use crate::local::repeat::{Done, repeat_elsewhere};
use crate::snapshot::{RecentEdit, Rename, Snapshot};

/// A definition that the user changed last, and that other files may have to follow.
struct Cause<'a> {
    /// The file that it is in.
    source: &'a Snapshot,
    changed: Changed,
}

/// The user's last edit, if it changed what other files may use.
///
/// Accepted suggestions do not count, unless they are the rest of a name that the user began.
fn cause(params: &NextEditParams) -> Option<Cause<'_>> {
    let is_own =
        |edit: &RecentEdit| !edit.is_merged && (!edit.is_accepted || edit.is_mixed) && !edit.is_blank();
    let edit = params.recent_edits.iter().rev().find(|edit| is_own(edit))?;
    let source = all_open(params).find(|it| *it.document.id() == edit.document)?;
    let changed = changed(&source.document, &done(edit, true))?;
    Some(Cause { source, changed })
}

fn all_open(params: &NextEditParams) -> impl Iterator<Item = &Snapshot> {
    std::iter::once(&params.snapshot).chain(&params.other_files)
}

/// The open files, the one at hand first.
pub(super) fn open(params: &NextEditParams) -> impl Iterator<Item = Snapshot> {
    all_open(params).cloned()
}

/// The files that are not open and have the name that the user replaced.
pub(super) fn with_old_name(params: &NextEditParams) -> Option<Unopened> {
    let Cause { source, changed } = cause(params)?;
    Unopened::with_name(params, source, changed.old?)
}

/// The files that are not open and have the name of what the user changed.
pub(super) fn with_new_name(params: &NextEditParams) -> Option<Unopened> {
    let Cause { source, changed } = cause(params)?;
    Unopened::with_name(params, source, changed.name)
}

/// The uses of a renamed definition, in the first of these files that has any beside its own.
pub(super) fn renames(
    params: &NextEditParams,
    files: &mut dyn Iterator<Item = Snapshot>,
) -> Option<Vec<SuggestedEdit>> {
    let Cause { source, changed: Changed { name, old, at, owner } } = cause(params)?;
    let old = old?;
    let at = at..at + name.len();
    let (document, revision) = (source.document.id().clone(), source.document.revision());
    let cause = Arc::new(Rename { document, revision, from: old.clone(), to: name.clone(), at });
    let of_type = owner.map(|owner| (is_only_method(params, source, &old), owner));
    let exported = of_type.as_ref().map_or([&old, &name], |(_, owner)| [owner; 2]);
    let exporters = LazyCell::new(|| exporters(params, &source.document, exported));
    let rename = |document: &Document, target: &Document| match &of_type {
        None => references::rename(document, target, &old, &name),
        Some((is_only, owner)) => references::rename_calls(document, target, owner, [&old, &name], *is_only),
    };
    let edits = |target: Snapshot| {
        let mut edits = rename(&source.document, &target.document);
        if edits.is_empty() {
            let others = exporters.iter().filter(|it| it.id() != target.document.id());
            let renamed = others.map(|it| rename(it, &target.document)).find(|it| !it.is_empty());
            edits = renamed.unwrap_or_default();
        }
        let edit = |edit| SuggestedEdit::local(&target.document, edit, Some(&cause));
        edits.into_iter().map(edit).collect::<Vec<_>>()
    };
    let others = files.filter(|it| it.document.id() != source.document.id());
    others.map(edits).find(|edits| !edits.is_empty())
}

/// Whether no other type of the workspace, or of the language's library, has a method of that name.
fn is_only_method(params: &NextEditParams, source: &Snapshot, name: &str) -> bool {
    let workspace = &params.snapshot.workspace;
    source.document.grammar().is_some_and(|grammar| {
        let is_own = |path: &Path| path.ends_with(&*source.path);
        workspace.is_reliable_for(grammar)
            && !grammar.has_in_library(name)
            && workspace.definitions(grammar, name).iter().all(|it| is_own(it.path()))
    })
}

/// The open files that pass on to their importers what a file calls, or called, by one of these names.
fn exporters<'p>(params: &'p NextEditParams, source: &Document, names: [&String; 2]) -> Vec<&'p Document> {
    let others = all_open(params).map(|it| &*it.document).filter(|it| it.id() != source.id());
    others.filter(|it| names.iter().any(|name| passes_on(source, it, name))).collect()
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

/// What to ask a model about: the first use in these files of what the user changed.
///
/// Neither its own file counts, nor the one at hand, about which the model was asked.
pub(super) fn first_use(
    params: &NextEditParams,
    files: &mut dyn Iterator<Item = Snapshot>,
) -> Option<NextEditParams> {
    let Cause { source, changed } = cause(params)?;
    let known = [source.document.id(), params.snapshot.document.id()];
    files.filter(|it| !known.contains(&it.document.id())).find_map(|target| {
        // A call rather than an import.
        let (document, other) = (&source.document, &target.document);
        let uses: Vec<Use> = match &changed.owner {
            None => uses(document, other, &changed.name),
            Some(owner) => references::calls(document, other, owner, &changed.name, false),
        };
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
