//! Assignments that do not fit what was declared.

use super::certain::{Fix, Kind};
use super::problem::{Problem, quoted};
use crate::document::Document;
use crate::edit::Edit;
use crate::text::ident;

/// `:=` for a variable that is there already is `=`.
pub(super) fn declared_before(document: &Document, problem: &Problem<'_>, _: &[Document]) -> Option<Fix> {
    let start = problem.span.start;
    let line = document.slice(start..document.next_line_start(start));
    line.starts_with(":=").then(|| {
        Fix::new(Kind::Assignment, "assign with `=`".to_owned(), vec![Edit::new(start..start + 2, "=")])
    })
}

/// A constant that is assigned again is a variable, if one declaration alone has its name.
pub(super) fn to_constant(document: &Document, problem: &Problem<'_>, _: &[Document]) -> Option<Fix> {
    let name = quoted(problem.message).find(|it| ident::is_name(it))?;
    let text = document.text().to_string();
    let declared: Vec<usize> = ident::occurrences(&text, "const")
        .filter(|at| {
            let behind = text[at + "const".len()..].trim_start();
            ident::first_partial(behind) == name && behind[name.len()..].trim_start().starts_with([':', '='])
        })
        .collect();
    let [at] = declared.as_slice() else { return None };
    let statement = text[*at..].lines().next()?;
    // Another name in the same statement would change, too.
    if !statement.trim_end().ends_with(';') || statement.matches('=').count() != 1 {
        return None;
    }
    let edit = Edit::new(*at..at + "const".len(), "let");
    Some(Fix::new(Kind::Assignment, format!("declare `{name}` with `let`"), vec![edit]))
}
