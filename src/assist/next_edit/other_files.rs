//! Next edits in other files: uses of a definition that the user just changed.

use std::cell::LazyCell;
use std::path::Path;
use std::sync::Arc;

use super::params::NextEditParams;
use super::repeats::done;
use super::suggested_edit::SuggestedEdit;
use super::unopened::Unopened;
use crate::config::ContextScope;
use crate::document::Document;
use crate::local::OPEN_RENAMES;
use crate::local::references::{self, Changed, Use, changed, re_exports, uses};
use crate::local::repeat::{EditStep, repeat_elsewhere};
use crate::snapshot::{RecentEdit, Rename, Snapshot};
use crate::text::ident::has_word;

/// The definition that the user changed last, which other files may have to follow.
pub(super) struct Cause<'a> {
    /// The file that contains it.
    pub(super) source: &'a Snapshot,
    pub(super) changed: Changed,
}

impl Cause<'_> {
    /// The rename, if the change is one.
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

/// The definition changed by the user's last edit, if other files may use it.
///
/// Accepted suggestions do not count, unless they complete a name that the user began. A rename counts although
/// something else was typed since.
pub(super) fn cause(params: &NextEditParams) -> Option<Cause<'_>> {
    own(params).take(1 + OPEN_RENAMES).enumerate().find_map(|(before, (_, edit, source))| {
        let changed = changed(&source.document, &done(edit, true))?;
        (before == 0 || changed.old.is_some()).then_some(Cause { source, changed })
    })
}

/// The user's last edit that is no accepted suggestion, with its number and its file.
pub(super) fn last_own(params: &NextEditParams) -> Option<(usize, &RecentEdit, &Snapshot)> {
    own(params).next()
}

/// The user's edits in open files that are no accepted suggestions, newest first.
fn own(params: &NextEditParams) -> impl Iterator<Item = (usize, &RecentEdit, &Snapshot)> {
    let is_own =
        |edit: &RecentEdit| !edit.is_merged && (!edit.is_accepted || edit.is_mixed) && !edit.is_blank();
    params.recent_edits.iter().enumerate().rev().filter(move |(_, edit)| is_own(edit)).map_while(
        |(number, edit)| {
            let source = all_open(params).find(|it| *it.document.id() == edit.document)?;
            Some((number, &**edit, source))
        },
    )
}

fn all_open(params: &NextEditParams) -> impl Iterator<Item = &Snapshot> {
    std::iter::once(&params.snapshot).chain(&params.other_files)
}

/// The open files, the current one first.
pub(super) fn open(params: &NextEditParams) -> impl Iterator<Item = Snapshot> {
    all_open(params).cloned()
}

/// The unopened files that contain the name that the user replaced.
pub(super) fn with_old_name(params: &NextEditParams) -> Option<Unopened> {
    let Cause { source, changed } = cause(params)?;
    Unopened::with_name(params, source, changed.old?)
}

/// The unopened files that contain the name of the changed definition.
pub(super) fn with_new_name(params: &NextEditParams) -> Option<Unopened> {
    let Cause { source, changed } = cause(params)?;
    Unopened::with_name(params, source, changed.name)
}

/// The uses of a renamed definition, in the first of these files that has any, other than its own file.
pub(super) fn renames(
    params: &NextEditParams,
    files: &mut dyn Iterator<Item = Snapshot>,
) -> Option<Vec<SuggestedEdit>> {
    renames_by_file(params, files).next()
}

/// Why nothing follows from a renamed definition although its old name occurs elsewhere: in an open file, or in
/// an unopened one.
pub(super) fn unsure(params: &NextEditParams, is_in_unopened: bool) -> Option<String> {
    let Changed { old, name, .. } = cause(params)?.changed;
    let old = old?;
    let is_there =
        is_in_unopened || all_open(params).any(|it| has_word(&it.document.text().to_string(), &old));
    let why = || {
        format!(
            "it is not certain which other uses of `{old}` mean `{name}` now: rename it with your language server"
        )
    };
    is_there.then(why)
}

/// The uses of a renamed definition in each of these files that has any. Files are read lazily.
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

/// Whether no other type of the workspace or of the language's library has a method with this name.
pub(super) fn is_only_method(params: &NextEditParams, source: &Snapshot, name: &str) -> bool {
    let workspace = &params.snapshot.workspace;
    source.document.grammar().is_some_and(|grammar| {
        let is_own = |path: &Path| path.ends_with(&*source.path);
        workspace.is_reliable_for(grammar)
            && !grammar.has_in_library(name)
            && workspace.definitions(grammar, name).iter().all(|it| is_own(it.path()))
    })
}

/// The open files that re-export a definition of `source`, under one of these names, to their importers.
fn exporters<'p>(params: &'p NextEditParams, source: &Document, names: &[String; 2]) -> Vec<&'p Document> {
    let others = all_open(params).map(|it| &*it.document).filter(|it| it.id() != source.id());
    others.filter(|it| names.iter().any(|name| re_exports(source, it, name))).collect()
}

/// The replacement of the last steps, repeated in the first other file that contains the old text.
///
/// It is returned with its reason.
pub(super) fn same_lines(params: &NextEditParams) -> Option<(Vec<SuggestedEdit>, &'static str)> {
    let steps = params.recent_edits.iter().filter(|edit| !edit.is_merged);
    let steps: Vec<EditStep<'_>> = steps.map(|edit| done(edit, false)).collect();
    let others = params.other_files.iter().map(|target| &*target.document);
    let (number, repeats) = repeat_elsewhere(others, &steps)?;
    let document = &params.other_files.get(number)?.document;
    let edits = repeats.edits.into_iter().map(|edit| SuggestedEdit::local(document, edit, None));
    Some((edits.collect(), repeats.why))
}

/// The request for a model: the first use in these files of the changed definition.
///
/// Its own file does not count, and neither does the current one, about which the model was asked before.
pub(super) fn first_use(
    params: &NextEditParams,
    files: &mut dyn Iterator<Item = Snapshot>,
) -> Option<NextEditParams> {
    let Cause { source, changed } = cause(params)?;
    let known = [source.document.id(), params.snapshot.document.id()];
    // What was done in this file is shown beside the target.
    let is_alone = |it: &Snapshot| it.settings.privacy.context == ContextScope::File;
    if is_alone(&params.snapshot) || is_alone(source) {
        return None;
    }
    files.filter(|it| !known.contains(&it.document.id()) && !is_alone(it)).find_map(|target| {
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
            // The diagnostics of `params` are near its cursor.
            diagnostics: Vec::new(),
            other_files: Vec::new(),
            ..params.clone()
        })
    })
}
