//! Distinguishes edits that undo a step from those that repair the syntax that it broke.

use crate::document::Document;
use crate::edit::Edit;
use std::ops::Range;

/// Whether an edit repairs syntax that a step broke.
///
/// The step must have added syntax errors to the file, and the edit must remove some.
///
/// `span` is the current span of the step's lines, and `old` is their former text. A step is unfinished rather
/// than broken while the cursor is in its lines with no word after it on the line. Then nothing is removed
/// while the user types.
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
