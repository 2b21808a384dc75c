//! Recognizes lines that continue the one above.

use super::file_view::FileView;
use crate::grammar::Modules;
use crate::text::{ident, line};

/// Whether the line below a byte continues its line: no token may end the list before it.
///
/// The parser takes an operator there for that of another statement, and Python's, unexpected indentation, too.
pub(super) fn goes_on_below(file: &FileView<'_>, at: usize) -> bool {
    let is_python = file.grammar().is_some_and(|it| it.facts().modules == Some(Modules::Python));
    let line = file.line_start(at);
    let text = file.slice(line..file.next_line_start(at));
    let below = |start: &usize| Some(file.next_line_start(*start)).filter(|end| *end > *start);
    let starts = std::iter::successors(Some(file.next_line_start(at)), below);
    let mut lines = starts.map(|start| file.slice(start..file.next_line_start(start)));
    let next = lines.find(|it| !line::is_blank(it)).unwrap_or_default();
    let next = next.trim_end();
    let is_deeper =
        || !text.trim_end().ends_with(':') && line::indent(next).len() > line::indent(&text).len();
    begins_with_operator(next.trim_start(), is_python) || is_python && is_deeper()
}

/// Whether code begins with what stands between two operands.
fn begins_with_operator(code: &str, is_python: bool) -> bool {
    let is_comment = !is_python && ["//", "/*"].iter().any(|it| code.starts_with(it));
    let is_word = ["and", "in", "is", "or"].contains(&ident::first_partial(code));
    is_word && is_python || code.starts_with(|it| "+-*/%&|^<>=.?".contains(it)) && !is_comment
}
