//! Remnants of a change in other files: uses of a name that was changed at its declaration, and calls that no
//! longer fit a signature.
//!
//! One edit is shown at a time, so the last edit shown in a file reports how many remain elsewhere.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::other_files::{self, Cause, cause, is_only_method, renames_by_file};
use super::params::NextEditParams;
use super::reshaped::Reshaped;
use super::unopened::Unopened;
use crate::assist::calls::{Call, Signature};
use crate::assist::pipeline::blocking;
use crate::document::Document;
use crate::grammar::Modules;
use crate::job::Job;
use crate::local::references::{self, Use};
use crate::snapshot::{Rename, Snapshot};

/// Limit on the reported locations.
const MOST_PLACES: usize = 200;

/// The remnants of a change in other files.
#[derive(Debug, Clone)]
pub struct Remnants {
    /// Their locations, file by file; empty if only a language server can find the uses of a rename.
    pub places: Vec<FileLocation>,
    /// The rename, if the change is one.
    pub rename: Option<Arc<Rename>>,
    /// The name whose signature changed, if the change is that, and the path of its file as shown.
    pub signature: Option<(String, Arc<str>)>,
}

/// A location in a file, which need not be open.
#[derive(Debug, Clone)]
pub struct FileLocation {
    /// The version of the file that `span` refers to.
    pub document: Arc<Document>,
    /// Its span (bytes).
    pub span: Range<usize>,
}

/// The remnants of the user's last change in other files, open or not; `None` if there are none.
pub(in crate::assist) async fn remaining_uses(params: Arc<NextEditParams>) -> Option<Remnants> {
    let these = Arc::clone(&params);
    let (mut left, unopened) = blocking(Job::NextEdit, move || in_open(&these)).await.ok()??;
    if let Some(files) = unopened {
        left.places.extend(files.all(&params, places).await);
    }
    left.places.truncate(MOST_PLACES);
    if !left.places.is_empty() {
        return Some(left);
    }
    left.rename.as_ref()?;
    // Searches the texts of open files.
    blocking(Job::NextEdit, move || importers_have_name(&params)).await.ok()?.then_some(left)
}

/// The remnants in open files, and the unopened files that must be read for the rest.
fn in_open(params: &NextEditParams) -> Option<(Remnants, Option<Unopened>)> {
    let rename = cause(params).and_then(|it| it.rename());
    if let Some(change) = Reshaped::of(params).filter(|_| rename.is_none()) {
        let signature = Some((change.reshape.name().to_owned(), Arc::clone(&change.source.path)));
        let places = places(params, &mut other_files::open(params));
        return Some((Remnants { places, rename, signature }, change.unopened(params)));
    }
    let it = cause(params)?;
    let signature = rename.is_none().then(|| (it.changed.name.clone(), Arc::clone(&it.source.path)));
    let left = Remnants { places: places(params, &mut other_files::open(params)), rename, signature };
    let unopened = match left.rename {
        Some(_) => other_files::with_old_name(params),
        None => other_files::with_new_name(params),
    };
    Some((left, unopened))
}

/// The locations in some files that have to follow the change.
fn places(params: &NextEditParams, files: &mut dyn Iterator<Item = Snapshot>) -> Vec<FileLocation> {
    let cause = cause(params);
    if cause.as_ref().is_some_and(|it| it.changed.old.is_some()) {
        let edits = renames_by_file(params, files).flatten();
        return edits.map(|it| FileLocation { document: it.document, span: it.edit.span }).collect();
    }
    let old_calls = |files: &mut dyn Iterator<Item = Snapshot>| {
        cause.as_ref().and_then(|it| old_calls(params, it, files)).unwrap_or_default()
    };
    let Some(change) = Reshaped::of(params) else { return old_calls(files) };
    let mut places = Vec::new();
    for file in files {
        let place = |span| FileLocation { document: Arc::clone(&file.document), span };
        places.extend(change.places(params, &file.document).into_iter().map(place));
        // Calls among the tokens of a macro cannot be edited, but counted.
        let known = change.names(params, &file.document);
        let calls = old_calls(&mut std::iter::once(file)).into_iter();
        places.extend(calls.filter(|it| !known.contains(&it.span)));
    }
    places
}

/// The calls in some files that do not fit a definition's parameters; `None` for languages whose calls are not
/// analyzed.
fn old_calls(
    params: &NextEditParams,
    Cause { source, changed }: &Cause<'_>,
    files: &mut dyn Iterator<Item = Snapshot>,
) -> Option<Vec<FileLocation>> {
    let document = &source.document;
    document.grammar()?.facts().modules.filter(|it| *it != Modules::C)?;
    let end = changed.at + changed.name.len();
    let name = document.syntax()?.root_node().named_descendant_for_byte_range(changed.at, end)?;
    let signature = Signature::of(name, &document.text().to_string())?;
    let is_only = changed.owner.is_some() && is_only_method(params, source, &changed.name);
    let mut places = Vec::new();
    for other in files.filter(|it| it.document.id() != document.id()) {
        let calls: Vec<Use> = match &changed.owner {
            None => references::uses(document, &other.document, &changed.name),
            Some(owner) => references::calls(document, &other.document, owner, &changed.name, is_only),
        };
        let Some(tree) = other.document.syntax().filter(|_| !calls.is_empty()) else { continue };
        let text = other.document.text().to_string();
        for at in calls.into_iter().filter(|it| !it.is_import).map(|it| it.at) {
            let span = at..at + changed.name.len();
            let name = tree.root_node().named_descendant_for_byte_range(span.start, span.end);
            let call = name.and_then(|name| Call::of(name, &text));
            if call.is_some_and(|call| !signature.fits(&call)) {
                places.push(FileLocation { document: Arc::clone(&other.document), span });
            }
        }
    }
    Some(places)
}

/// Whether a file that imports the renamed definition's file contains the old name. A language server may know
/// its meaning there.
fn importers_have_name(params: &NextEditParams) -> bool {
    let look = || {
        let Cause { source, changed } = cause(params)?;
        let open = &params.unopened.as_ref()?.open;
        let (_, path) = open.iter().find(|(id, _)| id == source.document.id())?;
        let (workspace, old) = (&params.snapshot.workspace, changed.old?);
        let importers = workspace.importers(path);
        let files = workspace.files_with(source.document.grammar()?, &old);
        // The index learns of typed text in open files with a delay.
        let has_name = |path: &Path| match open.iter().find(|(_, open)| open == path) {
            Some((id, _)) => other_files::open(params)
                .any(|it| it.document.id() == id && it.document.text().to_string().contains(&old)),
            None => true,
        };
        Some(files.iter().any(|(path, _)| importers.contains(path) && has_name(path)))
    };
    look().unwrap_or(false)
}
