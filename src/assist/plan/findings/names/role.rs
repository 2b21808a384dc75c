//! The role of a name, by the nodes around it.

use tree_sitter::Node;

/// Levels of nodes around a name that are inspected for a declaration.
const LEVELS: usize = 5;

/// The role of an occurrence of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Declared,
    Used,
    /// Among the tokens of a macro.
    Loose,
    /// A tag: a name if it is capitalized, else an HTML element.
    Tag,
    /// Exported only, without a meaning in the file.
    Exported,
    /// A member, a key or a label.
    Other,
}

/// A node on the path to a name, with its field in the parent node.
pub(super) struct PathNode<'t> {
    pub(super) node: Node<'t>,
    pub(super) field: Option<&'t str>,
}

/// Whether nodes of this kind are names.
pub(super) fn is_name(kind: &str) -> bool {
    matches!(
        kind,
        "identifier"
            | "type_identifier"
            | "package_identifier"
            | "shorthand_property_identifier"
            | "shorthand_property_identifier_pattern"
            | "shorthand_field_identifier"
            | "property_identifier"
    )
}

pub(super) fn role(way: &[PathNode<'_>]) -> Role {
    let [.., above, name] = way else { return Role::Other };
    let (kind, field) = (above.node.kind(), name.field);
    match (name.node.kind(), kind, field) {
        // Members of an enumeration refer to each other unqualified.
        ("property_identifier", "enum_body" | "enum_assignment", _) => return Role::Declared,
        ("property_identifier", ..) => return Role::Other,
        ("shorthand_property_identifier_pattern" | "shorthand_field_identifier", ..) => {
            return Role::Declared;
        }
        (_, "token_tree", _) => return among_tokens(way),
        // A member, or the end of a path.
        (_, "attribute", Some("attribute"))
        | (_, "field_access", Some("field"))
        | (_, "method_invocation" | "keyword_argument" | "type_binding", Some("name"))
        | (
            _,
            "scoped_identifier" | "scoped_type_identifier" | "nested_type_identifier" | "qualified_type",
            Some("name"),
        )
        | (_, "macro_invocation", Some("macro"))
        | (_, "lifetime" | "label" | "attribute_item" | "package_clause" | "labeled_statement", _)
        | (_, "break_statement" | "continue_statement", Some("label")) => return Role::Other,
        // Rust's attributes have their own syntax.
        (_, "attribute", None) => return Role::Other,
        // A path may begin with a crate.
        (_, "scoped_identifier" | "scoped_type_identifier", Some("path")) => return Role::Loose,
        (_, "export_specifier", Some("alias")) | (_, "namespace_export", _) => return Role::Exported,
        (_, "export_specifier", _) => {
            let is_passed_on = way.iter().any(|it| {
                it.node.kind() == "export_statement" && it.node.child_by_field_name("source").is_some()
            });
            return match is_passed_on {
                true if above.node.child_by_field_name("alias").is_some() => Role::Other,
                true => Role::Exported,
                false => Role::Used,
            };
        }
        (_, "jsx_opening_element" | "jsx_closing_element" | "jsx_self_closing_element", Some("name")) => {
            return Role::Tag;
        }
        _ => {}
    }
    // `Shape{width: 2}`: the key is a field or a variable.
    if kind == "literal_element" && above.field == Some("key") {
        return Role::Other;
    }
    if is_declared(way) { Role::Declared } else { Role::Used }
}

/// Whether the nodes around a name declare it.
fn is_declared(way: &[PathNode<'_>]) -> bool {
    for at in (1..way.len()).rev().take(LEVELS) {
        let kind = way[at - 1].node.kind();
        let is_pattern = ["pattern", "parameter"].iter().any(|it| kind.contains(it));
        let is_used =
            ["binary", "comparison", "boolean", "call", "invocation", "access", "scoped", "annotation"]
                .iter()
                .any(|it| kind.contains(it))
                || matches!(kind, "generic_type" | "struct_expression");
        match way[at].field {
            Some(
                "name" | "pattern" | "left" | "declarator" | "alias" | "parameter" | "parameters" | "label",
            ) if !is_used => return true,
            Some("value") if kind == "pair_pattern" => return true,
            // The default or the type of a parameter, and the value that a pattern matches.
            Some("value" | "type" | "default_type" | "right" | "condition" | "bounds" | "return_type") => {
                return false;
            }
            // `E` of `except E as e`.
            None if kind == "as_pattern" => return false,
            // `B` of `A[B]`, where Python's parser sees the parameter of a type.
            _ if kind == "type_parameter" && at > 1 && way[at - 2].node.kind() == "generic_type" => {
                return false;
            }
            _ if is_pattern => return true,
            _ => {}
        }
        let is_declaring = matches!(
            kind,
            "global_statement" | "nonlocal_statement" | "infer_type" | "namespace_import" | "import_alias"
        );
        if is_declaring {
            return true;
        }
        // A name inside an expression is a use, wherever the expression is.
        let is_part =
            ["identifier", "list", "tuple", "declarator", "dotted_name"].iter().any(|it| kind.contains(it));
        if !is_part && kind != "type" {
            return false;
        }
    }
    false
}

/// The role of a name among the tokens of a macro.
///
/// A macro at item level may declare anything.
fn among_tokens(way: &[PathNode<'_>]) -> Role {
    let Some(name) = way.last() else { return Role::Other };
    let invocation = way.iter().rposition(|it| it.node.kind() == "macro_invocation");
    let around = invocation.and_then(|at| way.get(at.checked_sub(1)?)).map(|it| it.node.kind());
    if matches!(around, Some("source_file" | "declaration_list")) {
        return Role::Declared;
    }
    let (before, after) = (name.node.prev_sibling(), name.node.next_sibling());
    let is = |node: Option<Node<'_>>, kinds: &[&str]| node.is_some_and(|it| kinds.contains(&it.kind()));
    if is(
        before,
        &[
            "let",
            "fn",
            "struct",
            "enum",
            "type",
            "const",
            "static",
            "ref",
            "mut",
            "mutable_specifier",
            "|",
            "for",
            "mod",
            "trait",
        ],
    ) || is(after, &["|", "=>", "@"])
    {
        return Role::Declared;
    }
    match is(before, &[".", "::", "'", "$"]) || is(after, &[":", "=", "!", "::"]) {
        true => Role::Other,
        false => Role::Loose,
    }
}
