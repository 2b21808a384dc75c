//! What stands at a byte, by the syntax tree.

use tree_sitter::Node;

use crate::document::Document;

/// The smallest node around a byte.
pub(super) fn node_at(document: &Document, byte: usize) -> Option<Node<'_>> {
    document.syntax()?.root_node().descendant_for_byte_range(byte, byte + 1)
}

/// Whether a byte stands in prose: a comment or a string.
pub(super) fn is_prose(document: &Document, byte: usize) -> bool {
    let mut node = node_at(document, byte);
    while let Some(it) = node {
        let kind = it.kind();
        if kind.contains("interpolation") || kind.contains("substitution") {
            return false;
        }
        if kind.contains("comment") || kind.contains("string") || kind.contains("char_literal") {
            return true;
        }
        node = it.parent();
    }
    false
}
