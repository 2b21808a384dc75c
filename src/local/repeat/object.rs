//! The keys of literals and arguments, and the types of the objects that they belong to.

use tree_sitter::Node;

use super::place::named;
use crate::local::walk::Walk;
use crate::text::ident::{last_partial, occurrences};

/// Where a name stands for a member although no receiver is before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The key of a literal, or the name of an argument.
    Key,
    /// A member of the object that is being made.
    OfSelf,
}

/// The member that the name at the place of a walk stands for in a literal, a pattern or a call.
pub(super) fn member(walk: &Walk<'_>, text: &str) -> Option<Place> {
    let node = named(walk);
    let mut around = walk.around().skip_while(|it| *it != node).skip(1);
    let parent = around.next()?;
    let outer = around.next();
    let is = |field: &str| parent.child_by_field_name(field) == Some(node);
    let is_first = parent.named_child(0) == Some(node);
    let outer_kind = outer.map_or("", |it| it.kind());
    let is_key = match parent.kind() {
        "pair" | "pair_pattern" => node.kind() == "property_identifier" && is("key"),
        "keyword_argument" | "field_pattern" => is("name"),
        // The parameter of the call, or of the tuple's type.
        "argument" | "named_argument" => is("name"),
        "field_initializer" if is("field") => true,
        "field_initializer" => {
            return (is_first && node.kind() == "field_identifier").then_some(Place::OfSelf);
        }
        // `[name] = 1` in a table is a value.
        "field" => is("name") && !text[..node.start_byte()].trim_end().ends_with('['),
        "literal_element" => outer_kind == "keyed_element" && is_key_of_struct(walk, node),
        "assignment_expression" => is("left") && outer_kind == "initializer_expression",
        "subpattern" | "with_initializer" => is_first,
        "keyword_pattern" => is_first,
        _ => false,
    };
    is_key.then_some(Place::Key)
}

/// Whether the key of one of Go's literals is a field.
fn is_key_of_struct(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let is_first = walk
        .around()
        .find(|it| it.kind() == "keyed_element")
        .is_some_and(|it| it.named_child(0).is_some_and(|key| key.byte_range() == node.byte_range()));
    let literal = walk.around().find(|it| it.kind() == "composite_literal");
    let kind = literal.and_then(|it| it.child_by_field_name("type")).map_or("", |it| it.kind());
    let values = walk.around().take_while(|it| it.kind() != "composite_literal");
    let depth = values.filter(|it| it.kind() == "literal_value").count();
    // An elided type is that of an element.
    is_first
        && (depth > 1
            || !["map_type", "slice_type", "array_type", "implicit_length_array_type"].contains(&kind))
}

/// Whether a name among the tokens of a macro is a member of the literal that they seem to be: `P { name }`.
pub(super) fn is_member_of_tokens(node: Node<'_>, before: &str, after: &str) -> bool {
    let (lead, rest) = (before.trim_end(), after.trim_start());
    if !lead.ends_with(['{', ',']) || rest.starts_with("::") {
        return false;
    }
    let Some(tokens) = node.parent() else { return false };
    let of_type = tokens.prev_sibling().is_some_and(|it| it.kind().contains("identifier"));
    let is_braced = tokens.child(0).is_some_and(|it| it.kind() == "{");
    is_braced && of_type && rest.starts_with([':', ',', '}']) || is_braced && rest.starts_with(':')
}

/// The name of the type of the literal or pattern in which the name at the place of a walk is a key, if the literal or
/// pattern names its type.
pub(super) fn type_of_object<'t>(walk: &Walk<'_>, text: &'t str) -> Option<&'t str> {
    let nodes: Vec<Node<'_>> = walk.around().collect();
    let mut elements = 0;
    for (at, node) in nodes.iter().enumerate() {
        let field = |name: &str| node.child_by_field_name(name);
        let found = match node.kind() {
            "struct_expression" => field("name"),
            "struct_pattern" | "object_creation_expression" | "compound_literal_expression" => field("type"),
            "composite_literal" => {
                let found = field("type")?;
                let is_elided = nodes[..at].iter().filter(|it| it.kind() == "literal_value").count() > 1;
                let element = ["element", "value"].iter().find_map(|it| found.child_by_field_name(it));
                if is_elided { element } else { Some(found) }
            }
            // `struct P p = { .name = 1 };`
            "initializer_list" => {
                let declaration = nodes.get(at + 2).filter(|it| it.kind() == "declaration");
                let found = declaration?.child_by_field_name("type")?;
                Some(found.child_by_field_name("name").unwrap_or(found))
            }
            "keyword_argument" => {
                let call = nodes.get(at + 2).filter(|it| it.kind() == "call")?;
                call.child_by_field_name("function").filter(|it| it.kind() == "identifier")
            }
            "object" | "object_pattern" => return type_of_script(&nodes[at..], text),
            "argument" | "arguments" | "argument_list" | "block" | "statement_block" => return None,
            "array" => {
                elements += 1;
                None
            }
            _ => None,
        };
        if let Some(found) = found.filter(|_| elements == 0) {
            return bare(&text[found.byte_range()]);
        }
    }
    None
}

/// The type of an object in TypeScript, the first of some nodes from inside out.
fn type_of_script<'t>(nodes: &[Node<'_>], text: &'t str) -> Option<&'t str> {
    let (object, mut rest) = nodes.split_first()?;
    if rest.first().is_some_and(|it| it.kind() == "parenthesized_expression") {
        rest = &rest[1..];
    }
    let around = rest.first()?;
    let is_inside =
        |node: Node<'_>| node.start_byte() <= object.start_byte() && object.end_byte() <= node.end_byte();
    let annotation = match around.kind() {
        "as_expression" | "satisfies_expression" => around.named_child(1),
        "variable_declarator" | "required_parameter" | "optional_parameter" => {
            around.child_by_field_name("type")
        }
        "arrow_function" if around.child_by_field_name("body").is_some_and(is_inside) => {
            around.child_by_field_name("return_type")
        }
        "return_statement" => {
            let function = rest.iter().find(|it| it.child_by_field_name("parameters").is_some());
            let is_async = function.is_some_and(|it| text[it.byte_range()].starts_with("async"));
            function.filter(|_| !is_async)?.child_by_field_name("return_type")
        }
        _ => None,
    }?;
    bare(text[annotation.byte_range()].trim_start_matches(':').trim())
}

/// A type's name without its path and arguments; `None` if it is not just a name.
fn bare(name: &str) -> Option<&str> {
    let name = name.trim_start_matches(['*', '&']);
    let name = name.split(['<', '[']).next().filter(|it| !it.is_empty())?.trim();
    let last = last_partial(name);
    let path = name[..name.len() - last.len()].trim_end_matches([':', '.']);
    (!last.is_empty() && path.chars().all(|it| it == ':' || it == '.' || crate::text::ident::is_part(it)))
        .then_some(last)
}

/// Whether the head of a type names another type: it extends or implements that.
pub(in crate::local) fn extends(node: Node<'_>, text: &str, other: &str) -> bool {
    heritage(node, text).is_some_and(|head| occurrences(head, other).next().is_some())
}

/// What stands between the name of a type and its members.
pub(super) fn heritage<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("type"))?;
    let body = node.child_by_field_name("body")?;
    text.get(name.end_byte()..body.start_byte())
}
