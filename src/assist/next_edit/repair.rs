//! Whether an edit that undoes a step mends what the step broke.

use crate::document::Document;
use crate::edit::Edit;
use std::ops::Range;

/// Whether an edit repairs what a step broke.
///
/// The step left the file with more syntax errors than it had, and the edit leaves it with fewer.
///
/// `span` is where the step's lines stand now, and `old` what they were. A step is unfinished rather than
/// broken while the cursor stands in its lines with no word after it: nothing is taken away from under the
/// user's hands then.
pub(super) fn is_repair(
    document: &Document,
    span: &Range<usize>,
    old: &str,
    cursor: usize,
    edit: &Edit,
) -> bool {
    if is_unfinished(document, span, cursor) {
        return false;
    }
    let errors = |document: &Document| document.syntax_errors().unwrap_or(usize::MAX);
    let now = errors(document);
    errors(&document.with(span.clone(), old)) < now
        && errors(&document.with(edit.span.clone(), &edit.text)) < now
}

fn is_unfinished(document: &Document, span: &Range<usize>, cursor: usize) -> bool {
    let end = document.text().len_bytes();
    let rest = document.slice(cursor.min(end)..document.next_line_start(cursor.min(end)));
    span.start <= cursor && cursor <= span.end && !rest.contains(|letter: char| letter.is_alphanumeric())
}
