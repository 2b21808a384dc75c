//! Queries the imports of a file, and the code that they are part of.

use tree_sitter::Node;

use crate::document::Document;
use crate::grammar::{Match, QueryKind};
use crate::local::limits::IMPORTS_BYTES;

/// The imports in the first [`IMPORTS_BYTES`] of a file, in order.
pub(super) fn imports(document: &Document) -> Vec<Match<'_>> {
    document.matches(QueryKind::Imports, 0..IMPORTS_BYTES)
}

/// Whether a byte is in an import. Only the imports at that byte are queried.
pub(super) fn is_import(document: &Document, byte: usize) -> bool {
    let near = |byte| document.matches(QueryKind::Imports, byte..byte + 1);
    byte < IMPORTS_BYTES && near(byte).iter().any(|it| it.node.byte_range().contains(&byte))
}

/// The node with the code of a file: in a header, what is between the lines of its include guard.
pub(super) fn body(root: Node<'_>) -> Node<'_> {
    let mut cursor = root.walk();
    let mut code = root.children(&mut cursor).filter(|it| !it.kind().contains("comment"));
    match (code.next(), code.next()) {
        (Some(only), None) if only.kind() == "preproc_ifdef" => only,
        _ => root,
    }
}
