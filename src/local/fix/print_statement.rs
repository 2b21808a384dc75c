//! `print "a"`, which was a statement once.

use super::certain::{Fix, Kind};
use super::problem::Problem;
use crate::document::Document;
use crate::edit::Edit;

/// Puts what is printed in parentheses.
pub(super) fn call(document: &Document, problem: &Problem<'_>, _: &[Document]) -> Option<Fix> {
    let start = document.line_start(problem.span.start);
    let line = document.slice(start..document.next_line_start(start));
    let code = line.trim();
    let rest = code.strip_prefix("print ")?;
    // A comma at the end, and a file to print to, mean something else.
    if rest.ends_with([',', '\\']) || rest.starts_with(">>") || rest.contains(['#', ';']) {
        return None;
    }
    let at = start + line.len() - line.trim_start().len() + "print".len();
    let end = start + line.trim_end().len();
    let edits = vec![Edit::new(at..at + 1, "("), Edit::new(end..end, ")")];
    Some(Fix::new(Kind::MissingToken, "call `print`".to_owned(), edits))
}
