//! Removes an unused variable whose value has no side effects.

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::problem::{Problem, unknown_name};
use super::removal;
use super::slip::is_slip;
use crate::local::syntax::node_at;

/// Statements that declare variables.
const STATEMENTS: [&str; 7] = [
    "short_var_declaration",
    "var_declaration",
    "declaration",
    "lexical_declaration",
    "variable_declaration",
    "local_variable_declaration",
    "expression_statement",
];

/// Removes the statement that declares the variable.
pub(super) fn unused(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let (name, span) = unknown_name(file, problem)?;
    let node = node_at(file, span.start).filter(|it| it.byte_range() == span)?;
    let statement =
        std::iter::successors(Some(node), Node::parent).take(4).find(|it| STATEMENTS.contains(&it.kind()))?;
    let body = std::iter::successors(Some(statement), Node::parent).find(|it| is_body(*it))?;
    let text = file.contents();
    // Nothing may assign the variable elsewhere. In code with errors, the parser may have missed a use.
    let scope = if file.errors() == Some(0) { body.byte_range() } else { 0..text.len() };
    if body.has_error() || file.count_in(&name, &scope) != 1 {
        return None;
    }
    // What is wrong with the statement may be what the variable is for.
    if file.is_wrong_in(&file.whole_lines(statement.byte_range())) {
        return None;
    }
    // If the name is a slip of another one here, the statement was meant to assign that one.
    let is_other = |near: &&str| file.count_in(near, &body.byte_range()) > 0 && is_slip(file, &name, near);
    if file.near(&name).iter().any(is_other) {
        return None;
    }
    let mut names = Vec::new();
    if !is_plain(statement, node, &mut names) {
        return None;
    }
    // The names in the value must have other uses, or they would become unused.
    let is_used = |it: &&str| file.count_in(it, &(0..text.len())) > 2;
    if !names.iter().map(|it| &text[it.byte_range()]).all(|it| is_used(&it)) {
        return None;
    }
    if statement.parent()?.named_child_count() < 2 {
        return None;
    }
    let edits = removal::of_statement(file, statement)?;
    let title = format!("remove the unused variable `{name}`");
    Some(Fix::new(Kind::UnusedVariable, title, edits).removing(&name))
}

/// Whether a node is a direct child of a function, such as its body, or the root.
fn is_body(node: Node<'_>) -> bool {
    node.parent().is_none_or(|it| {
        ["function", "method", "lambda", "arrow"].iter().any(|kind| it.kind().contains(kind))
    })
}

/// Whether a statement declares one name, and its value has no side effects. Collects the names in the value.
fn is_plain<'t>(node: Node<'t>, declared: Node<'t>, names: &mut Vec<Node<'t>>) -> bool {
    if node == declared {
        return true;
    }
    let kind = node.kind();
    if node.child_count() == 0 {
        if kind.contains("identifier")
            && !kind.contains("type")
            && !kind.contains("property")
            && !kind.contains("field")
        {
            names.push(node);
        }
        return true;
    }
    const PLAIN: [&str; 12] = [
        "declarat",
        "variable",
        "assignment",
        "expression_list",
        "expression_statement",
        "binary",
        "unary",
        "parenthesized",
        "string",
        "literal",
        "type",
        "member_expression",
    ];
    let is_call =
        ["call", "await", "template", "interpolation", "new_", "index", "subscript", "slice", "function"];
    if is_call.iter().any(|it| kind.contains(it)) || !PLAIN.iter().any(|it| kind.contains(it)) {
        return false;
    }
    // Several names are declared at once.
    if kind == "expression_list" && node.named_child_count() > 1 {
        return false;
    }
    let declarators = (0..node.named_child_count())
        .filter_map(|at| node.named_child(u32::try_from(at).ok()?))
        .filter(|it| it.kind().ends_with("declarator") || it.kind() == "pattern_list")
        .count();
    let mut cursor = node.walk();
    declarators < 2 && node.children(&mut cursor).all(|child| is_plain(child, declared, names))
}
