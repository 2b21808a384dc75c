//! Whether a call still expects the old signature: by its arguments, or by what is done with its result.

use tree_sitter::Node;

use crate::assist::calls::{Call, ReturnKind, Signature};
use crate::assist::plan::findings::{Parsed, Problem};

/// The problem of a call that matched the old signature.
pub(super) fn problem(
    was: &Signature,
    is: &Signature,
    call: &Call<'_>,
    parsed: &Parsed,
    name: &str,
    now: &str,
) -> Option<Problem> {
    let old = || Problem::OldSignature { name: name.to_owned(), now: now.to_owned() };
    if !is.fits(call) {
        return was.fits(call).then(old);
    }
    if !was.is_async && is.is_async && is_taken_at_once(call, &parsed.text) {
        return Some(Problem::NotAwaited(name.to_owned()));
    }
    let is_old = match (was.returns, is.returns) {
        (ReturnKind::Results(was), ReturnKind::Results(is)) if was != is => is_counted(call, was),
        (ReturnKind::Wrapped, ReturnKind::Value) if !is.is_async => is_unwrapped(call, &parsed.text),
        (ReturnKind::Value, ReturnKind::Wrapped) if !is.is_async => is_operand(call.node),
        _ => false,
    };
    is_old.then(old)
}

/// Whether the result of a call is used without `await`.
///
/// False if it is passed on, since it may be awaited elsewhere.
fn is_taken_at_once(call: &Call<'_>, text: &str) -> bool {
    let Some(above) = outside_of_parentheses(call.node) else { return false };
    match above.kind() {
        // JavaScript may leave the promise running.
        "expression_statement" => call.node.kind() == "call" || is_in_rust(above),
        "attribute" | "subscript" | "subscript_expression" | "index_expression" => true,
        "member_expression" => {
            let member = above.child_by_field_name("property").and_then(|it| text_of(it, text));
            !matches!(member, Some("then" | "catch" | "finally"))
        }
        "augmented_assignment" | "augmented_assignment_expression" | "compound_assignment_expr" => true,
        "binary_operator"
        | "comparison_operator"
        | "boolean_operator"
        | "not_operator"
        | "unary_operator"
        | "binary_expression"
        | "unary_expression"
        | "if_statement"
        | "while_statement"
        | "for_statement"
        | "for_in_statement"
        | "if_expression"
        | "match_expression"
        | "try_expression" => true,
        "assignment" | "variable_declarator" | "let_declaration" => {
            let target = ["left", "name", "pattern"].iter().find_map(|it| above.child_by_field_name(it));
            let target = target.filter(|it| it.kind() == "identifier").and_then(|it| text_of(it, text));
            target.is_some_and(|target| !is_handed_on(above, target, text))
        }
        _ => false,
    }
}

fn is_in_rust(statement: Node<'_>) -> bool {
    std::iter::successors(statement.parent(), Node::parent).any(|it| it.kind() == "function_item")
}

fn text_of<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    text.get(node.byte_range())
}

/// The parent of a call, skipping parentheses.
fn outside_of_parentheses(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(node.parent(), Node::parent).find(|it| it.kind() != "parenthesized_expression")
}

/// Whether a variable is awaited or passed on, in the function around its assignment.
fn is_handed_on(assignment: Node<'_>, name: &str, text: &str) -> bool {
    let around = std::iter::successors(assignment.parent(), Node::parent)
        .find(|it| it.child_by_field_name("parameters").is_some() || it.parent().is_none());
    let Some(around) = around else { return true };
    let mut open = vec![around];
    while let Some(node) = open.pop() {
        if node.kind() == "identifier" && text_of(node, text) == Some(name) {
            let above = outside_of_parentheses(node).map(|it| it.kind()).unwrap_or_default();
            let hands_on = [
                "await",
                "argument",
                "return",
                "yield",
                "list",
                "tuple",
                "array",
                "token_tree",
                "block",
                "pair",
                "object",
            ];
            if hands_on.iter().any(|it| above.contains(it)) {
                return true;
            }
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    false
}

/// Whether a call's context takes as many results as before, if that is visible.
fn is_counted(call: &Call<'_>, was: usize) -> bool {
    let Some(above) = outside_of_parentheses(call.node) else { return false };
    if above.kind() != "expression_list" {
        let is_value = matches!(
            above.kind(),
            "binary_expression"
                | "unary_expression"
                | "selector_expression"
                | "index_expression"
                | "if_statement"
        );
        return was == 1 && is_value;
    }
    let is_alone = above.named_child_count() == 1;
    let left = above
        .parent()
        .filter(|it| matches!(it.kind(), "short_var_declaration" | "assignment_statement") && is_alone);
    let left = left.and_then(|it| it.child_by_field_name("left"));
    left.is_some_and(|left| left.named_child_count() == was)
}

/// Whether the result of a call is handled as a `Result` or an `Option`.
fn is_unwrapped(call: &Call<'_>, text: &str) -> bool {
    let Some(above) = outside_of_parentheses(call.node) else { return false };
    match above.kind() {
        "try_expression" => true,
        "field_expression" => {
            let member = above.child_by_field_name("field").and_then(|it| text_of(it, text));
            matches!(member, Some("unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else"))
        }
        _ => false,
    }
}

/// Whether a call is an operand that a `Result` or an `Option` cannot be.
fn is_operand(node: Node<'_>) -> bool {
    let above = outside_of_parentheses(node);
    above.is_some_and(|it| {
        // Two such values can be compared.
        let is_comparison =
            it.child_by_field_name("operator").is_some_and(|it| matches!(it.kind(), "==" | "!="));
        it.kind() == "binary_expression" && !is_comparison || it.kind() == "index_expression"
    })
}
