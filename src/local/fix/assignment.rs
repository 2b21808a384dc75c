//! Fixes assignments that do not match the declaration.

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::problem::{Problem, quoted};
use super::suggested::body_around;
use crate::edit::Edit;
use crate::text::ident;

/// Replaces `:=` by `=` if all its variables are declared already.
pub(super) fn declared_before(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = problem.span.start;
    let line = file.line_start(start);
    let above = body_around(file, start).start..line;
    let is_above =
        |name| file.names().get(name).is_some_and(|places| places.iter().any(|at| above.contains(at)));
    // Otherwise the report is about another version of the text, and this is the declaration.
    let are_above = ident::names(&file.slice(line..start)).all(|name| name == "_" || is_above(name));
    let is_declared = are_above && file.slice(start..file.next_line_start(start)).starts_with(":=");
    is_declared.then(|| {
        Fix::new(Kind::Assignment, "assign with `=`".to_owned(), vec![Edit::new(start..start + 2, "=")])
    })
}

/// Declares a constant as a variable if it is assigned again and only one declaration has its name.
pub(super) fn to_constant(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let name = quoted(problem.message).find(|it| ident::is_name(it))?;
    let text = file.contents();
    let declaration = |at: &usize| {
        let before = text[..*at].trim_end();
        let is_declared = before.len() < *at && ident::last_partial(before) == "const";
        let is_given = text[at + name.len()..].trim_start().starts_with([':', '=']);
        (is_declared && is_given).then(|| before.len() - "const".len())
    };
    let declared: Vec<usize> = file.names().get(name)?.iter().filter_map(declaration).collect();
    let [at] = declared.as_slice() else { return None };
    let statement = text[*at..].lines().next()?;
    // Another name in the same statement would become a variable, too.
    if !statement.trim_end().ends_with(';') || statement.matches('=').count() != 1 {
        return None;
    }
    let edit = Edit::new(*at..at + "const".len(), "let");
    Some(Fix::new(Kind::Assignment, format!("declare `{name}` with `let`"), vec![edit]))
}
