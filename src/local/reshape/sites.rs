//! The calls and literals that give values for the slots of a definition.

use tree_sitter::Node;

use super::slots::Form;

/// A call or a literal.
pub(super) struct Site<'t> {
    /// The list of its arguments, or its body.
    pub(super) list: Node<'t>,
    /// Whether the name is called by a path.
    pub(super) is_path: bool,
}

/// The call or literal of what a name means; `None` for any other use.
pub(super) fn site(name: Node<'_>, form: Form) -> Option<Site<'_>> {
    match form {
        Form::Call | Form::New => call(name),
        Form::Literal => literal(name).map(|list| Site { list, is_path: false }),
    }
}

fn call(name: Node<'_>) -> Option<Site<'_>> {
    let (mut callee, mut is_path) = (name, false);
    loop {
        let above = callee.parent()?;
        let is = |field| above.child_by_field_name(field) == Some(callee);
        let arguments = || {
            let list = above.child_by_field_name("arguments")?;
            let is_list = list.kind().contains("argument");
            is_list.then_some(Site { list, is_path })
        };
        match above.kind() {
            "call" | "call_expression" if is("function") => return arguments(),
            "method_invocation" if is("name") => return arguments(),
            "object_creation_expression" if is("type") => return arguments(),
            "new_expression" if is("constructor") => return arguments(),
            "attribute" | "member_expression" | "selector_expression" | "field_expression"
                if is("attribute") || is("property") || is("field") => {}
            "scoped_identifier" if is("name") => is_path = true,
            "generic_function" if is("function") => {}
            "generic_type" => {}
            _ => return None,
        }
        callee = above;
    }
}

/// The body of a literal whose type is certain from its own text.
fn literal(name: Node<'_>) -> Option<Node<'_>> {
    let mut node = name;
    loop {
        let above = node.parent()?;
        let is = |field| above.child_by_field_name(field) == Some(node);
        let field = |name| above.child_by_field_name(name);
        match above.kind() {
            "struct_expression" if is("name") => return field("body"),
            "composite_literal" if is("type") => return field("body"),
            "scoped_type_identifier" | "qualified_type" if is("name") => {}
            "struct_specifier" if is("name") && field("body").is_none() => {}
            "type_descriptor" if is("type") => {}
            "compound_literal_expression" if is("type") => {
                return field("value").filter(|it| it.kind() == "initializer_list");
            }
            "declaration" if is("type") => {
                let mut cursor = above.walk();
                let mut declared = above.children_by_field_name("declarator", &mut cursor);
                let only = declared.next().filter(|it| it.kind() == "init_declarator")?;
                let is_plain = only.child_by_field_name("declarator")?.kind() == "identifier";
                let value = only.child_by_field_name("value").filter(|it| it.kind() == "initializer_list");
                return value.filter(|_| is_plain && declared.next().is_none());
            }
            "type_annotation" => {}
            "variable_declarator" | "public_field_definition" if is("type") => {
                return field("value").filter(|it| it.kind() == "object");
            }
            "satisfies_expression" => return above.named_child(0).filter(|it| it.kind() == "object"),
            _ => return None,
        }
        node = above;
    }
}
