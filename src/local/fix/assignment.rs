//! Assignments that do not fit what was declared.

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::problem::{Problem, quoted};
use crate::edit::Edit;
use crate::local::syntax::node_at;
use crate::text::ident;

/// `:=` for a variable that is there already is `=`.
pub(super) fn declared_before(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = problem.span.start;
    let line = file.slice(start..file.next_line_start(start));
    line.starts_with(":=").then(|| {
        Fix::new(Kind::Assignment, "assign with `=`".to_owned(), vec![Edit::new(start..start + 2, "=")])
    })
}

/// A constant that is assigned again is a variable, if one declaration alone has its name.
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
    // Another name in the same statement would change, too.
    if !statement.trim_end().ends_with(';') || statement.matches('=').count() != 1 {
        return None;
    }
    let edit = Edit::new(*at..at + "const".len(), "let");
    Some(Fix::new(Kind::Assignment, format!("declare `{name}` with `let`"), vec![edit]))
}

/// A `var` that nothing assigns again is a constant. Whether another one is to be `let` is the tool's matter.
pub(super) fn declared_once(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = problem.span.start;
    let node = std::iter::successors(node_at(file, start), |it| it.parent())
        .find(|it| it.kind() == "variable_declaration" && it.start_byte() == start)?;
    let declarator = node.named_child(0).filter(|_| node.named_child_count() == 1)?;
    let name = declarator.child_by_field_name("name").filter(|it| it.kind() == "identifier")?;
    declarator.child_by_field_name("value")?;
    let (text, name) = (file.contents(), file.slice(name.byte_range()));
    let is_assigned = |at: usize| {
        let behind = text[at + name.len()..].trim_start();
        let sign = behind.trim_start_matches(|it: char| "+-*/%&|^<>?".contains(it));
        let steps =
            ["++", "--"].iter().any(|it| behind.starts_with(it) || text[..at].trim_end().ends_with(it));
        steps || sign.starts_with('=') && !sign.starts_with("==") && !sign.starts_with("=>")
    };
    // Its own declaration, and nothing that destructures or loops.
    let places = file.names().get(name.as_str()).map_or(&[][..], Vec::as_slice);
    let assigned = places.iter().filter(|at| is_assigned(**at)).count();
    let keyword = Edit::new(start..start + "var".len(), "const");
    (assigned == 1 && text[start..].starts_with("var "))
        .then(|| Fix::new(Kind::Assignment, format!("declare `{name}` with `const`"), vec![keyword]))
}
