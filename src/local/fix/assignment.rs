//! Fixes assignments that do not match the declaration.

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::evident_type::{is_same_type, literal};
use super::file_view::FileView;
use super::problem::{Problem, quoted};
use crate::edit::Edit;
use crate::local::limits::SCOPE_PLACES;
use crate::local::syntax::nodes_at;
use crate::text::ident;

/// Replaces `:=` by `=` if the same block or the parameters of its function declare all its variables, as the same
/// types.
pub(super) fn declared_before(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = problem.span.start;
    // A name that a tool misses may be the one that this was to declare.
    if file.has_missed() || !file.slice(start..file.next_line_start(start)).starts_with(":=") {
        return None;
    }
    let nodes = nodes_at(file, start);
    let statement = nodes.into_iter().find(|it| it.kind() == "short_var_declaration")?;
    is_same_type(file, statement).then(|| {
        Fix::new(Kind::Assignment, "assign with `=`".to_owned(), vec![Edit::new(start..start + 2, "=")])
    })
}

/// Declares a constant as a variable if statements assign it again and only one declaration has its name.
pub(super) fn to_constant(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let name = quoted(problem.message).find(|it| ident::is_name(it))?;
    let text = file.contents();
    let places = file.names().get(name)?;
    let declaration = |at: &usize| {
        let before = text[..*at].trim_end();
        let is_declared = before.len() < *at && ident::last_partial(before) == "const";
        let is_given = text[at + name.len()..].trim_start().starts_with([':', '=']);
        (is_declared && is_given).then(|| (before.len() - "const".len(), *at))
    };
    let declared: Vec<(usize, usize)> = places.iter().filter_map(declaration).collect();
    let [(at, named)] = declared.as_slice() else { return None };
    let statement = text[*at..].lines().next()?;
    // Another name in the same statement would become a variable, too.
    if !statement.trim_end().ends_with(';') || statement.matches('=').count() != 1 {
        return None;
    }
    let value = nodes_at(file, *named).get(1)?.child_by_field_name("value");
    // `LIMIT` is meant to be constant.
    let is_of_capitals = name.len() > 1 && !name.contains(char::is_lowercase);
    let is_sound = |at: &usize| !is_of_capitals && is_assigned_soundly(file, *at, value);
    if places.len() > SCOPE_PLACES || !places.iter().all(is_sound) {
        return None;
    }
    let edit = Edit::new(*at..at + "const".len(), "let");
    Some(Fix::new(Kind::Assignment, format!("declare `{name}` with `let`"), vec![edit]))
}

/// Whether what assigns the name at a byte is a whole statement, and updates the first value, which is a literal, or
/// gives another one of its type; also if nothing assigns it there.
///
/// Of any other value, a part may be what is to be assigned: `count.value = 1`. In a condition, `=` is more likely a
/// misspelt `===`.
fn is_assigned_soundly(file: &FileView<'_>, at: usize, value: Option<Node<'_>>) -> bool {
    let nodes = nodes_at(file, at);
    let [name, parent, around, ..] = nodes.as_slice() else { return true };
    let is_update = parent.kind() == "update_expression";
    let is_assigned = parent.kind().ends_with("assignment_expression")
        && parent.child_by_field_name("left") == Some(*name)
        || is_update;
    let is_statement =
        around.kind() == "expression_statement" || around.child_by_field_name("increment") == Some(*parent);
    let old = value.and_then(literal);
    let is_of_own = |new: Node<'_>| {
        let own = file.slice(name.byte_range());
        parent.kind().starts_with("augmented")
            || literal(new) == old
            || ident::has_word(&file.slice(new.byte_range()), &own)
    };
    let is_same = is_update || parent.child_by_field_name("right").is_some_and(is_of_own);
    !is_assigned || is_statement && old.is_some() && is_same
}
