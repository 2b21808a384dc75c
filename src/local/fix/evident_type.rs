//! The types of values in Go that the code around them shows: not those of other functions.

use std::iter::successors;

use tree_sitter::Node;

use super::file_view::FileView;

/// The kinds of literals, each with its type; those of JavaScript, too.
const LITERALS: [(&str, &str); 12] = [
    ("array", "array"),
    ("false", "bool"),
    ("float_literal", "float64"),
    ("imaginary_literal", "complex128"),
    ("int_literal", "int"),
    ("interpreted_string_literal", "string"),
    ("number", "number"),
    ("raw_string_literal", "string"),
    ("rune_literal", "rune"),
    ("string", "string"),
    ("template_string", "string"),
    ("true", "bool"),
];
/// Operators whose result is a truth value.
const COMPARISONS: [&str; 8] = ["!=", "&&", "<", "<=", "==", ">", ">=", "||"];
/// Types that are called to convert a value.
const CONVERSIONS: [&str; 13] = [
    "bool", "byte", "float32", "float64", "int", "int16", "int32", "int64", "int8", "rune", "string", "uint",
    "uint64",
];
/// The type of a value that has the one of the variable itself.
const OWN: &str = "";

/// The type of a literal.
pub(super) fn literal(value: Node<'_>) -> Option<&'static str> {
    LITERALS.iter().find(|(kind, _)| *kind == value.kind()).map(|(_, name)| *name)
}

/// Whether the code above a declaration in the same scope declares all its variables, with the types of their new
/// values.
pub(super) fn is_same_type(file: &FileView<'_>, statement: Node<'_>) -> bool {
    let Some(left) = statement.child_by_field_name("left") else { return false };
    let mut cursor = left.walk();
    left.named_children(&mut cursor).all(|node| {
        let name = file.slice(node.byte_range());
        let (old, new) = (declared(file, statement, &name), assigned(file, statement, &name));
        name == "_" || old.is_some() && new.is_some_and(|new| new == OWN || Some(new) == old)
    })
}

/// The type of a variable that is declared above a statement in the same scope, but not as a constant.
fn declared(file: &FileView<'_>, statement: Node<'_>, name: &str) -> Option<String> {
    let is_name = |node: Node<'_>| file.slice(node.byte_range()) == name;
    for above in successors(statement.prev_named_sibling(), Node::prev_named_sibling) {
        let mut cursor = above.walk();
        match above.kind() {
            "short_var_declaration" => {
                let left = above.child_by_field_name("left")?;
                if left.named_children(&mut cursor).any(is_name) {
                    return assigned(file, above, name);
                }
            }
            "var_declaration" | "const_declaration" => {
                let list = above.named_child(0).filter(|it| it.kind() == "var_spec_list").unwrap_or(above);
                for spec in list.named_children(&mut cursor) {
                    let mut names = spec.walk();
                    if spec.children_by_field_name("name", &mut names).any(is_name) {
                        return of_spec(file, spec, name).filter(|_| spec.kind() == "var_spec");
                    }
                }
            }
            _ => {}
        }
    }
    let is_list = |it: &Node<'_>| ["block", "statement_list"].contains(&it.kind());
    let function = successors(statement.parent(), Node::parent).find(|it| !is_list(it))?;
    ["receiver", "parameters", "result"].iter().find_map(|field| {
        let list = function.child_by_field_name(field)?;
        let mut cursor = list.walk();
        list.named_children(&mut cursor).filter(|it| it.kind() == "parameter_declaration").find_map(|it| {
            let mut names = it.walk();
            let has_name = it.children_by_field_name("name", &mut names).any(is_name);
            it.child_by_field_name("type").filter(|_| has_name).map(|it| file.slice(it.byte_range()))
        })
    })
}

/// The type of a variable that `var` declares alone or with a type.
fn of_spec(file: &FileView<'_>, spec: Node<'_>, name: &str) -> Option<String> {
    match spec.child_by_field_name("type") {
        Some(of) => Some(file.slice(of.byte_range())),
        None => {
            let values = spec.child_by_field_name("value").filter(|it| it.named_child_count() == 1)?;
            of_value(file, values.named_child(0)?, name, 0)
        }
    }
}

/// The type of the value that a short declaration gives a variable.
fn assigned(file: &FileView<'_>, statement: Node<'_>, name: &str) -> Option<String> {
    let (left, right) = (statement.child_by_field_name("left")?, statement.child_by_field_name("right")?);
    let mut cursor = left.walk();
    let at = left.named_children(&mut cursor).position(|it| file.slice(it.byte_range()) == name)?;
    let of_each = left.named_child_count() == right.named_child_count();
    let value = right.named_child(if of_each { u32::try_from(at).ok()? } else { 0 })?;
    let is_second = !of_each && at == 1;
    match value.kind() {
        "index_expression" | "type_assertion_expression" | "unary_expression" if is_second => {
            Some("bool".to_owned())
        }
        _ => of_value(file, value, name, if of_each { 0 } else { at }),
    }
}

/// The type of a value of a variable; of a function with several results, that of the one at an index.
fn of_value(file: &FileView<'_>, value: Node<'_>, name: &str, at: usize) -> Option<String> {
    let text = |node: Node<'_>| file.slice(node.byte_range());
    let of = |node: Node<'_>| of_value(file, node, name, 0);
    let operand = |field: &str| value.child_by_field_name(field);
    let operator = || operand("operator").map(text);
    match value.kind() {
        "identifier" if text(value) == name => Some(OWN.to_owned()),
        "parenthesized_expression" => of(value.named_child(0)?),
        "composite_literal" => operand("type").map(text),
        "unary_expression" if operator()? == "&" => {
            of(operand("operand")?).filter(|it| it != OWN).map(|it| format!("*{it}"))
        }
        "binary_expression" if COMPARISONS.contains(&operator()?.as_str()) => Some("bool".to_owned()),
        "binary_expression" if !["<<", ">>"].contains(&operator()?.as_str()) => {
            let (left, right) = (of(operand("left")?), of(operand("right")?));
            let is_own = [&left, &right].iter().any(|it| it.as_deref() == Some(OWN));
            if is_own { Some(OWN.to_owned()) } else { left.filter(|it| Some(it) == right.as_ref()) }
        }
        "call_expression" => {
            let function = text(operand("function")?);
            let first = || operand("arguments").and_then(|it| it.named_child(0));
            match function.as_str() {
                "len" | "cap" | "copy" => Some("int".to_owned()),
                "append" => of(first()?),
                "make" => Some(text(first()?)),
                "new" => Some(format!("*{}", text(first()?))),
                _ if CONVERSIONS.contains(&function.as_str()) => Some(function),
                // By convention, the last result of every function that fails.
                _ if name == "err" => Some("error".to_owned()),
                _ => Some(format!("{function}() {at}")),
            }
        }
        _ => literal(value).map(str::to_owned),
    }
}
