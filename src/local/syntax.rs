//! Queries the syntax tree at a byte.

use tree_sitter::Node;

use crate::document::Document;

/// The smallest node around a byte.
pub(super) fn node_at(document: &Document, byte: usize) -> Option<Node<'_>> {
    document.syntax()?.root_node().descendant_for_byte_range(byte, byte + 1)
}

/// The nodes around a byte, smallest first. In a long file this is faster than asking each for its parent.
pub(super) fn nodes_at(document: &Document, byte: usize) -> Vec<Node<'_>> {
    let Some(tree) = document.syntax() else { return Vec::new() };
    let mut cursor = tree.walk();
    let mut nodes = vec![cursor.node()];
    while cursor.goto_first_child_for_byte(byte).is_some() && cursor.node().start_byte() <= byte {
        nodes.push(cursor.node());
    }
    nodes.reverse();
    nodes
}

/// Whether a byte is in prose: a comment or a string.
pub(super) fn is_prose(document: &Document, byte: usize) -> bool {
    std::iter::successors(node_at(document, byte), Node::parent).find_map(prose).unwrap_or(false)
}

/// Whether the contents of a node are prose or code; `None` if the node does not change that.
pub(super) fn prose(node: Node<'_>) -> Option<bool> {
    let kind = node.kind();
    // Variables in the strings of shells and of PHP have no mark of their own around them.
    let is_code =
        ["interpolation", "substitution", "expansion", "variable_name"].iter().any(|it| kind.contains(it));
    if is_code {
        return Some(false);
    }
    let is_prose = ["comment", "string", "char_literal", "jsx_text"].iter().any(|it| kind.contains(it));
    is_prose.then_some(true)
}

/// Whether a node is a function with a body.
pub(super) fn is_function(node: Node<'_>) -> bool {
    const KINDS: [&str; 6] = ["function", "method", "lambda", "closure", "constructor", "func_literal"];
    KINDS.iter().any(|name| node.kind().contains(name)) && node.child_by_field_name("body").is_some()
}
