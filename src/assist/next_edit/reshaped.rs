//! Next edits that follow from changed parameters or fields: in the calls, and in the literals of a type.

use std::ops::Range;
use std::sync::Arc;

use super::other_files::{is_only_method, last_own, open};
use super::params::NextEditParams;
use super::repeats::done;
use super::suggested_edit::SuggestedEdit;
use super::unopened::Unopened;
use crate::document::{Document, DocumentId};
use crate::edit::Edit;
use crate::job::Reason;
use crate::local::reshape::{Affected, Reshape, elsewhere, reshaped, within};
use crate::snapshot::Snapshot;

pub(super) const WHY: &str = "its parameters or fields were changed";

/// The definition whose parameters or fields the user changed last.
pub(super) struct Reshaped<'a> {
    pub(super) source: &'a Snapshot,
    pub(super) reshape: Reshape,
    /// Whether no other type has such a method.
    is_only: bool,
    /// The number of the user's edits up to the change.
    pub(super) edits: usize,
}

impl<'a> Reshaped<'a> {
    /// The change made by the user's last edit, if it is one of parameters or fields.
    pub(super) fn of(params: &'a NextEditParams) -> Option<Self> {
        let (number, edit, source) = last_own(params)?;
        let reshape = reshaped(&source.document, &done(edit, true))?;
        let is_only = reshape.owner().is_some() && is_only_method(params, source, reshape.name());
        Some(Self { source, reshape, is_only, edits: number + 1 })
    }

    /// What the change affects in a file.
    fn affected(&self, params: &NextEditParams, document: &Document) -> Affected {
        let is_touched = |span: &Range<usize>| self.is_touched(params, document.id(), span);
        let (source, reshape) = (&*self.source.document, &self.reshape);
        match document.id() == source.id() {
            true => within(document, reshape, self.is_only, &is_touched),
            false => elsewhere(source, document, reshape, self.is_only, &is_touched),
        }
    }

    /// Whether a span was edited after the change.
    fn is_touched(&self, params: &NextEditParams, id: &DocumentId, span: &Range<usize>) -> bool {
        let since = params.recent_edits.get(self.edits..).unwrap_or_default();
        since
            .iter()
            .filter(|edit| edit.document == *id)
            .any(|edit| edit.at.as_ref().is_some_and(|at| at.start < span.end && span.start < at.end))
    }

    /// The edits in the current file, if the change was made there.
    pub(super) fn here(&self, params: &NextEditParams) -> Option<Vec<SuggestedEdit>> {
        let document = &params.snapshot.document;
        if self.source.document.id() != document.id() {
            return None;
        }
        let Affected { mut edits, .. } = self.affected(params, document);
        edits.sort_by_key(|edit| (edit.span.start < params.cursor, edit.span.start));
        suggested(document, edits)
    }

    /// The edits in the first open file that has any, other than the file of the change.
    pub(super) fn in_open_files(&self, params: &NextEditParams) -> Option<Vec<SuggestedEdit>> {
        self.in_files(params, &mut open(params))
    }

    fn in_files(
        &self,
        params: &NextEditParams,
        files: &mut dyn Iterator<Item = Snapshot>,
    ) -> Option<Vec<SuggestedEdit>> {
        let mut others = files.filter(|it| it.document.id() != self.source.document.id());
        others.find_map(|it| suggested(&it.document, self.affected(params, &it.document).edits))
    }

    /// The unopened files that have the name.
    pub(super) fn unopened(&self, params: &NextEditParams) -> Option<Unopened> {
        Unopened::with_name(params, self.source, self.reshape.name().to_owned())
    }

    /// The places in a file that have to follow: edits as they are shown, and names where the edit is unknown.
    pub(super) fn places(&self, params: &NextEditParams, document: &Arc<Document>) -> Vec<Range<usize>> {
        let Affected { edits, unknown, .. } = self.affected(params, document);
        let mut spans: Vec<Range<usize>> =
            edits.into_iter().map(|edit| SuggestedEdit::local(document, edit, None).edit.span).collect();
        spans.extend(unknown);
        spans.sort_by_key(|span| span.start);
        spans
    }

    /// The names of the calls and literals in a file that have to follow.
    pub(super) fn names(&self, params: &NextEditParams, document: &Document) -> Vec<Range<usize>> {
        let Affected { names, unknown, .. } = self.affected(params, document);
        names.into_iter().chain(unknown).collect()
    }
}

/// The edits in the first of these files that has any, other than the file of the change.
pub(super) fn in_files(
    params: &NextEditParams,
    files: &mut dyn Iterator<Item = Snapshot>,
) -> Option<Vec<SuggestedEdit>> {
    Reshaped::of(params)?.in_files(params, files)
}

/// Why calls and literals in the current file have no edit, if they have to follow.
pub(super) fn lack(params: &NextEditParams) -> Option<Reason> {
    let change = Reshaped::of(params)?;
    let unknown = change.affected(params, &params.snapshot.document).unknown;
    let name = change.reshape.name();
    let why =
        format!("uses of `{name}` have to follow, and the value that they lack, or its effect, is not known");
    (!unknown.is_empty()).then_some(Reason::NoAnswer { code: "unknown-value", why })
}

fn suggested(document: &Arc<Document>, edits: Vec<Edit>) -> Option<Vec<SuggestedEdit>> {
    let edits: Vec<SuggestedEdit> =
        edits.into_iter().map(|edit| SuggestedEdit::local(document, edit, None)).collect();
    (!edits.is_empty()).then_some(edits)
}
