//! Queries the imports of a file.

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
