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
pub(super) struct Cause<'a> {
    /// The file that it is in.
    pub(super) source: &'a Snapshot,
    pub(super) changed: Changed,
}

impl Cause<'_> {
    /// What was renamed, if that is what changed.
    pub(super) fn rename(&self) -> Option<Arc<Rename>> {
        let Changed { name, old, at, .. } = &self.changed;
        let document = &self.source.document;
        Some(Arc::new(Rename {
            document: document.id().clone(),
            revision: document.revision(),
            from: old.clone()?,
            to: name.clone(),
            at: *at..*at + name.len(),
        }))
    }
}

/// The user's last edit, if it changed what other files may use.
///
/// Accepted suggestions do not count, unless they are the rest of a name that the user began.
pub(super) fn cause(params: &NextEditParams) -> Option<Cause<'_>> {
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
    renames_by_file(params, files).next()
}

/// The uses of a renamed definition, by those of these files that have any. A file is read when it is its turn.
pub(super) fn renames_by_file<'p>(
    params: &'p NextEditParams,
    files: &'p mut dyn Iterator<Item = Snapshot>,
) -> Box<dyn Iterator<Item = Vec<SuggestedEdit>> + 'p> {
    let Some(cause) = cause(params) else { return Box::new(std::iter::empty()) };
    let Some(rename) = cause.rename() else { return Box::new(std::iter::empty()) };
    let Cause { source, changed: Changed { owner, .. } } = cause;
    let (old, name) = (rename.from.clone(), rename.to.clone());
    let of_type = owner.map(|owner| (is_only_method(params, source, &old), owner));
    let exported = of_type.as_ref().map_or([&old, &name], |(_, owner)| [owner; 2]).map(Clone::clone);
    let exporters = LazyCell::new(move || exporters(params, &source.document, &exported));
    let renamed = move |document: &Document, target: &Document| match &of_type {
        None => references::rename(document, target, &old, &name),
        Some((is_only, owner)) => references::rename_calls(document, target, owner, [&old, &name], *is_only),
    };
    let edits = move |target: Snapshot| {
        let mut edits = renamed(&source.document, &target.document);
        if edits.is_empty() {
            let others = exporters.iter().filter(|it| it.id() != target.document.id());
            let found = others.map(|it| renamed(it, &target.document)).find(|it| !it.is_empty());
            edits = found.unwrap_or_default();
        }
        let edit = |edit| SuggestedEdit::local(&target.document, edit, Some(&rename));
        edits.into_iter().map(edit).collect::<Vec<_>>()
    };
    let others = files.filter(|it| it.document.id() != source.document.id());
    Box::new(others.map(edits).filter(|edits| !edits.is_empty()))
}

/// Whether no other type of the workspace, or of the language's library, has a method of that name.
pub(super) fn is_only_method(params: &NextEditParams, source: &Snapshot, name: &str) -> bool {
    let workspace = &params.snapshot.workspace;
    source.document.grammar().is_some_and(|grammar| {
        let is_own = |path: &Path| path.ends_with(&*source.path);
        workspace.is_reliable_for(grammar)
            && !grammar.has_in_library(name)
            && workspace.definitions(grammar, name).iter().all(|it| is_own(it.path()))
    })
}

/// The open files that pass on to their importers what a file calls, or called, by one of these names.
fn exporters<'p>(params: &'p NextEditParams, source: &Document, names: &[String; 2]) -> Vec<&'p Document> {
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
