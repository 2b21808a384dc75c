//! The part of a file in which a declared name is visible, and the type whose members a place can name.

use std::ops::Range;

use tree_sitter::Node;

use super::place::definitions;
use crate::document::Document;
use crate::grammar::{Grammar, Modules};
use crate::local::syntax::{is_function, nodes_at};
use crate::local::walk::Walk;
use crate::text::ident::has_word;

/// Nodes around the names that they declare, and at whose end these are gone.
const BLOCKS: [&str; 28] = [
    "async_block",
    "block",
    "catch_clause",
    "closure_body",
    "compound_statement",
    "constructor_body",
    "do_block",
    "enhanced_for_statement",
    "expression_switch_statement",
    "for_expression",
    "for_in_statement",
    "for_range_loop",
    "for_statement",
    "foreach_statement",
    "function_body",
    "if_expression",
    "if_statement",
    "match_arm",
    "query_expression",
    "statement_block",
    "switch_block",
    "switch_body",
    "switch_statement",
    "try_with_resources_statement",
    "type_switch_statement",
    "unsafe_block",
    "using_statement",
    "while_statement",
];
/// Those that declare names of their own even where other blocks do not.
const COMPREHENSIONS: [&str; 6] = [
    "block",
    "dictionary_comprehension",
    "do_block",
    "generator_expression",
    "list_comprehension",
    "set_comprehension",
];
/// Patterns whose names are visible behind the condition that holds them.
const LEAKING: [&str; 4] =
    ["declaration_expression", "declaration_pattern", "instanceof_expression", "is_pattern_expression"];
/// Declarations in whose value the name still means what it meant before.
const EARLIER: [&str; 9] = [
    "assignment_statement",
    "for_expression",
    "for_generic_clause",
    "for_in_clause",
    "let_condition",
    "let_declaration",
    "range_clause",
    "short_var_declaration",
    "var_spec",
];

/// Parts of the kinds of nodes that are types with members.
const TYPES: [&str; 10] =
    ["class", "enum", "impl", "interface", "module", "object_creation", "record", "struct", "trait", "union"];

/// Where a name is visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) range: Range<usize>,
    /// The function or block around the declaration, of which `range` is a part.
    pub(super) around: Range<usize>,
    /// The value of its declaration, where the name means something else.
    value: Range<usize>,
    /// The function or type around the declaration, in languages where functions see no variables around them.
    isolated: Option<Range<usize>>,
}

impl Scope {
    /// That of a member.
    pub(super) fn everywhere(document: &Document) -> Self {
        let whole = 0..document.text().len_bytes();
        Self { range: whole.clone(), around: whole, value: 0..0, isolated: None }
    }

    /// The scope of a name declared at a byte, whatever it names.
    pub(super) fn of_name(document: &Document, text: &str, at: usize) -> Self {
        Self::of(document, at, definitions(document, text, at..at + 1).remove(&at).map(|it| it.node))
    }

    /// The scope of a name declared at a byte; `definition` is what the queries know that it names.
    pub(super) fn of(document: &Document, at: usize, definition: Option<Node<'_>>) -> Self {
        let everywhere = Self::everywhere(document);
        let whole = everywhere.range.clone();
        let Some(facts) = document.grammar().map(Grammar::facts) else { return everywhere };
        let nodes = nodes_at(document, at);
        let own = definition.and_then(|own| nodes.iter().position(|it| *it == own)).map(|own| own + 1);
        if facts.shell {
            let is_local = nodes.iter().any(|it| it.kind() == "declaration_command") && own.is_none();
            let function = nodes.iter().find(|it| is_function(**it)).filter(|_| is_local);
            let range = function.map_or(whole, Node::byte_range);
            return Self { range: range.clone(), around: range, ..everywhere };
        }
        let is_isolated = facts.isolated_functions && own.is_none();
        let isolated = is_isolated.then(|| isolating(document, &nodes, "").unwrap_or(whole.clone()));
        let is_hoisted = facts.modules == Some(Modules::Javascript)
            && nodes.iter().take_while(|it| !is_function(**it)).any(|it| it.kind() == "variable_declaration");
        let (mut is_parameter, mut is_leaking) = (false, false);
        let mut value = 0..0;
        let mut range = whole;
        for node in &nodes[own.unwrap_or(1).min(nodes.len())..] {
            let kind = node.kind();
            let is_head = kind.contains("parameter");
            is_parameter |= is_head && own.is_none();
            is_leaking |= LEAKING.contains(&kind);
            if EARLIER.contains(&kind) && own.is_none() && value.is_empty() {
                value = earlier(*node).filter(|it| !it.contains(&at)).unwrap_or(value);
            }
            let ends_here = match is_parameter {
                true => !is_head && !kind.contains("declarator"),
                false if is_function(*node) => true,
                false if facts.block_scopes && !is_hoisted => {
                    BLOCKS.contains(&kind)
                        && (!is_leaking || kind.contains("block") || kind.contains("compound"))
                }
                false => COMPREHENSIONS.contains(&kind) && (!kind.ends_with("block") || is_closure(*node)),
            };
            if ends_here {
                range = node.byte_range();
                break;
            }
        }
        let around = range.clone();
        let is_ordered = is_parameter || facts.block_scopes && facts.modules != Some(Modules::Javascript);
        if own.is_none() && is_ordered && around != everywhere.range {
            range.start = range.start.max(at);
        }
        Self { range, around, value, isolated }
    }

    /// Whether assignments in both scopes are to one variable.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.around == other.around && self.isolated == other.isolated
    }

    /// Whether the declaration is visible at the place of a walk, unless another one hides it.
    pub(super) fn holds(&self, document: &Document, walk: &Walk<'_>, at: usize, name: &str) -> bool {
        self.range.contains(&at)
            && !self.value.contains(&at)
            && self.isolated.as_ref().is_none_or(|own| {
                let around: Vec<Node<'_>> = walk.around().collect();
                let whole = 0..document.text().len_bytes();
                isolating(document, &around, name).unwrap_or(whole) == *own
            })
    }
}

/// Whether a block is one that a call gets.
fn is_closure(block: Node<'_>) -> bool {
    block.parent().is_some_and(|it| it.kind() == "call" || it.kind() == "lambda")
}

/// The value of a declaration.
fn earlier(declaration: Node<'_>) -> Option<Range<usize>> {
    let mut cursor = declaration.walk();
    let list = declaration.named_children(&mut cursor).find(|it| it.kind() == "expression_list");
    let is_local = declaration.kind() != "assignment_statement"
        || declaration.parent().is_some_and(|it| it.kind() == "variable_declaration");
    let value = ["value", "right"].iter().find_map(|field| declaration.child_by_field_name(field));
    value.or(list).filter(|_| is_local).map(|it| it.byte_range())
}

/// The innermost function or type of some nodes that sees no variables around it, except a function that captures
/// `name`.
fn isolating(document: &Document, nodes: &[Node<'_>], name: &str) -> Option<Range<usize>> {
    let is_type = |node: &Node<'_>| {
        ["class", "module", "singleton_class"].contains(&node.kind())
            || node.kind().ends_with("_declaration") && node.child_by_field_name("body").is_some()
    };
    let mut inner = None;
    for node in nodes {
        let captures = |node: &Node<'_>| {
            let mut cursor = node.walk();
            let mut parts = node.children(&mut cursor);
            let uses = parts.find(|it| it.kind().ends_with("_use_clause"));
            uses.is_some_and(|it| {
                inner.is_some_and(|inner: Node<'_>| inner == it)
                    || !name.is_empty() && has_word(&document.slice(it.byte_range()), name)
            })
        };
        let is_open = node.kind().contains("arrow") || node.kind().contains("lambda");
        if is_type(node) || is_function(*node) && !is_open && !captures(node) {
            return Some(node.byte_range());
        }
        inner = Some(*node);
    }
    None
}

/// The innermost type or object around some nodes whose members `self` has.
pub(in crate::local) fn type_around<'t>(around: impl Iterator<Item = Node<'t>>) -> Option<Node<'t>> {
    let mut inner: Option<Node<'t>> = None;
    for node in around {
        let is_body = inner.is_some_and(|inner| {
            node.child_by_field_name("body") == Some(inner) || inner.kind() == "class_body"
        });
        let kind = node.kind();
        let is_type = TYPES.iter().any(|it| kind.contains(it))
            && !kind.contains("structor")
            && (!kind.ends_with("_expression") || kind.starts_with("object_creation"))
            && kind != "class_static_block";
        let is_object = kind == "object" && inner.is_some_and(|it| it.kind() == "method_definition");
        if is_type && is_body || is_object {
            return Some(node);
        }
        inner = Some(node);
    }
    None
}
