//! Refuses next edits that only change comments or imports.

use std::ops::Range;

use super::params::NextEditParams;
use crate::document::Document;
use crate::edit::{Edit, Refusal};
use crate::grammar::QueryKind;

/// Refuses an edit of only imports or only comments, unless the user is editing those.
pub(super) fn check(params: &NextEditParams, edit: &Edit) -> Result<(), Refusal> {
    let document = &*params.snapshot.document;
    let Some(tree) = document.syntax() else { return Ok(()) };
    let old = trimmed(document, edit);
    let is_comment = |byte: usize| {
        let node = tree.root_node().descendant_for_byte_range(byte, byte + 1);
        node.is_some_and(|node| node.kind().contains("comment"))
    };
    let inside_comment = if old.is_empty() {
        old.start > 0 && is_comment(old.start - 1) && !edit.text.contains('\n')
    } else {
        is_comment(old.start) && is_comment(old.end - 1)
    };
    let last_edit = params.recent_edits.last().and_then(|it| it.at.as_ref());
    let is_inside = |at: &Range<usize>| {
        at.start <= edit.span.start && edit.span.end <= at.end && edit.span.start < at.end
    };
    if last_edit.is_some_and(is_inside) {
        return Ok(());
    }
    if inside_comment || old.is_empty() && is_comment_only(document, edit) {
        return Err(Refusal::Noise { what: "comments" });
    }
    // A diagnostic may require an import.
    let only_imports =
        || if old.is_empty() { adds_imports(document, edit) } else { are_imports(document, &old) };
    if params.diagnostics.is_empty() && only_imports() {
        return Err(Refusal::Noise { what: "imports" });
    }
    Ok(())
}

/// Whether the new lines are only comments.
fn is_comment_only(document: &Document, edit: &Edit) -> bool {
    let after = document.with(edit.span.clone(), &edit.text);
    let Some(tree) = after.syntax() else { return false };
    let is_comment = |byte: usize| {
        let mut node = tree.root_node().descendant_for_byte_range(byte, byte + 1);
        while let Some(it) = node.filter(|it| !it.kind().contains("comment")) {
            node = it.parent();
        }
        node.is_some()
    };
    let mut at = edit.span.start;
    let mut any = false;
    edit.text.split_inclusive('\n').all(|line| {
        let first = at + (line.len() - line.trim_start().len());
        at += line.len();
        any |= !line.trim().is_empty();
        line.trim().is_empty() || is_comment(first)
    }) && any
}

/// Whether the new lines are only imports.
fn adds_imports(document: &Document, edit: &Edit) -> bool {
    let after = document.with(edit.span.clone(), &edit.text);
    let blanks = edit.text.len() - edit.text.trim_start().len();
    let new = edit.span.start + blanks..edit.span.start + edit.text.trim_end().len();
    !new.is_empty() && are_imports(&after, &new)
}

/// Whether a span begins in an import and ends in one.
fn are_imports(document: &Document, span: &Range<usize>) -> bool {
    let imports = document.matches(QueryKind::Imports, span.clone());
    let is_import = |byte: usize| imports.iter().any(|it| it.node.byte_range().contains(&byte));
    is_import(span.start) && is_import(span.end - 1)
}

/// The replaced span without the blanks at its ends.
fn trimmed(document: &Document, edit: &Edit) -> Range<usize> {
    let old = document.slice(edit.span.clone());
    let lead = old.len() - old.trim_start().len();
    let start = edit.span.start + lead;
    start..start.max(edit.span.start + old.trim_end().len())
}
