//! Removes an unused variable whose value has no side effects.

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::import::HEADER_ENDINGS;
use super::meant::{can_stand, is_declaration};
use super::own_name::RECEIVERS;
use super::problem::{Problem, unknown_name};
use super::removal;
use super::slip::is_likely_typo;
use crate::grammar::Modules;
use crate::local::limits::SCOPE_PLACES;
use crate::local::syntax::{is_function, node_at, nodes_at};

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

/// The nodes between such a statement and the name that it declares.
const DECLARING: [&str; 16] = [
    "short_var_declaration",
    "var_declaration",
    "var_spec",
    "declaration",
    "init_declarator",
    "array_declarator",
    "pointer_declarator",
    "lexical_declaration",
    "variable_declaration",
    "variable_declarator",
    "variable_list",
    "local_variable_declaration",
    "expression_statement",
    "expression_list",
    "assignment",
    "assignment_statement",
];

/// How the kinds of types end.
const TYPES: [&str; 5] = ["type", "type_annotation", "type_identifier", "type_qualifier", "type_specifier"];

/// The kinds of literals, of their parts, and of what combines values without an effect.
const PLAIN: [&str; 39] = [
    "boolean_operator",
    "char_literal",
    "character",
    "character_literal",
    "comparison_operator",
    "concatenated_string",
    "decimal_floating_point_literal",
    "decimal_integer_literal",
    "escape_sequence",
    "false",
    "float",
    "float_literal",
    "hex_integer_literal",
    "imaginary_literal",
    "int_literal",
    "integer",
    "interpreted_string_literal",
    "interpreted_string_literal_content",
    "nil",
    "none",
    "not_operator",
    "null",
    "null_literal",
    "nullptr",
    "number",
    "number_literal",
    "parenthesized_expression",
    "raw_string_literal",
    "raw_string_literal_content",
    "rune_literal",
    "string",
    "string_content",
    "string_end",
    "string_fragment",
    "string_literal",
    "string_start",
    "this",
    "true",
    "undefined",
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
    let is_other =
        |near: &&str| file.count_in(near, &body.byte_range()) > 0 && is_likely_typo(file, &name, near);
    if file.near(&name).iter().any(is_other) {
        return None;
    }
    if is_of_other(file, &name, span.start) {
        return None;
    }
    let mut names = Vec::new();
    if !declares_only(file, statement, node, &mut names) {
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

/// Whether the statement may have been meant for another variable of the name, which it hides: one of a scope around it,
/// as without `global`, or a member, as without `self.`.
///
/// A variable is unused for certain only if no scope around it, no class and no receiver in the file has its name, nor a
/// header, which declares members and globals for it, or another file where members are called by their names alone.
fn is_of_other(file: &FileView<'_>, name: &str, declared: usize) -> bool {
    let is_other = |at: &usize| {
        let nodes = nodes_at(file, *at);
        let before = file.slice(file.line_start(*at)..*at);
        let is_of_class = || {
            let outer = nodes.iter().find(|it| is_function(**it) || is_class(**it));
            is_declaration(&nodes) && outer.is_some_and(|it| is_class(*it))
        };
        let is_around = || is_declaration(&nodes) && can_stand(file, *at, declared, false);
        let is_field = nodes.get(1).is_some_and(|it| it.kind().starts_with("field_declaration"));
        is_field || RECEIVERS.iter().any(|it| before.ends_with(it)) || is_of_class() || is_around()
    };
    let has_members = file.grammar().is_some_and(|it| it.facts().implicit_receiver);
    let is_header = |uri: &String| uri.rsplit_once('.').is_some_and(|(_, end)| HEADER_ENDINGS.contains(&end));
    let places = file.names().get(name).into_iter().flatten().take(SCOPE_PLACES);
    file.has_import(name, declared)
        || places.filter(|at| **at != declared).any(is_other)
        || file.others().definers(name).is_some_and(|it| it.iter().any(is_header))
        || has_members && file.others().has(name)
}

fn is_class(node: Node<'_>) -> bool {
    node.kind().starts_with("class") && node.kind() != "class"
}

/// Whether a node is a direct child of a function, such as its body, or the root.
fn is_body(node: Node<'_>) -> bool {
    node.parent().is_none_or(|it| {
        ["function", "method", "lambda", "arrow"].iter().any(|kind| it.kind().contains(kind))
    })
}

/// Whether a statement declares nothing but a name, with a type and a plain value. Collects the names in the value.
fn declares_only<'t>(
    file: &FileView<'_>,
    node: Node<'t>,
    declared: Node<'t>,
    names: &mut Vec<Node<'t>>,
) -> bool {
    if node == declared {
        return true;
    }
    let value = ["value", "right", "size"].map(|field| node.child_by_field_name(field));
    let mut cursor = node.walk();
    DECLARING.contains(&node.kind())
        && node.named_children(&mut cursor).all(|child| {
            let holds =
                child.start_byte() <= declared.start_byte() && declared.end_byte() <= child.end_byte();
            match value.contains(&Some(child)) || child.kind() == "expression_list" && !holds {
                true => is_plain(file, child, names),
                false if holds => declares_only(file, child, declared, names),
                false => TYPES.iter().any(|end| child.kind().ends_with(end)),
            }
        })
}

/// Whether a value is made of literals, names and arithmetic on them, so that it can have no effect. Collects its names.
///
/// A member may be computed, and so may a macro.
fn is_plain<'t>(file: &FileView<'_>, node: Node<'t>, names: &mut Vec<Node<'t>>) -> bool {
    let operator = || node.child_by_field_name("operator").map(|it| file.slice(it.byte_range()));
    let is_plain_kind = match node.kind() {
        "identifier" => {
            names.push(node);
            !is_macro(file, &file.slice(node.byte_range()))
        }
        // Libraries define shifts that read, print or connect.
        "binary_expression" | "binary_operator" => {
            operator().is_none_or(|it| !["<<", ">>"].contains(&it.as_str()))
        }
        "unary_expression" | "unary_operator" => {
            operator().is_some_and(|it| ["-", "+", "!", "~"].contains(&it.as_str()))
        }
        // Several values are those of several names.
        "expression_list" => node.named_child_count() == 1,
        kind => PLAIN.contains(&kind),
    };
    let mut cursor = node.walk();
    is_plain_kind && node.named_children(&mut cursor).all(|child| is_plain(file, child, names))
}

/// Whether a name is that of a macro of C, or may be that of one in a header.
fn is_macro(file: &FileView<'_>, name: &str) -> bool {
    let defined = |at: &usize| file.slice(file.line_start(*at)..*at).trim_end().ends_with("define");
    file.grammar().is_some_and(|it| it.facts().modules == Some(Modules::C))
        && (!name.contains(char::is_lowercase)
            || file.names().get(name).is_some_and(|it| it.iter().take(SCOPE_PLACES).any(defined)))
}
