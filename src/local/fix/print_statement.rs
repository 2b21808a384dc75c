//! `print "a"`, which was a statement once.

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::problem::Problem;
use crate::edit::Edit;

/// Puts what is printed in parentheses.
pub(super) fn call(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = file.line_start(problem.span.start);
    let line = file.slice(start..file.next_line_start(start));
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
