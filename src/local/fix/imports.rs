//! The imports of a file, as the rules need them.

use std::ops::Range;

use tree_sitter::Node;

use crate::document::Document;
use crate::grammar::{Match, QueryKind};
use crate::local::limits::IMPORTS_BYTES;

/// All imports at the beginning of a file, in order.
pub(super) fn imports(document: &Document) -> Vec<Match<'_>> {
    imports_in(document, 0..IMPORTS_BYTES)
}

/// Whether a byte stands in an import. The rest of the file is not searched for others.
pub(super) fn is_import(document: &Document, byte: usize) -> bool {
    byte < IMPORTS_BYTES
        && imports_in(document, byte..byte + 1).iter().any(|it| it.node.byte_range().contains(&byte))
}

fn imports_in(document: &Document, bytes: Range<usize>) -> Vec<Match<'_>> {
    let Some((tree, grammar)) = document.syntax().zip(document.grammar()) else { return Vec::new() };
    let text = |node: Node<'_>| document.text().byte_slice(node.byte_range()).chunks().map(str::as_bytes);
    grammar.matches(QueryKind::Imports, tree.root_node(), bytes, text)
}
