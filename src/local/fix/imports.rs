//! The imports of a file, as the rules need them.

use crate::document::Document;
use crate::grammar::{Match, QueryKind};
use crate::local::limits::IMPORTS_BYTES;

/// All imports at the beginning of a file, in order.
pub(super) fn imports(document: &Document) -> Vec<Match<'_>> {
    document.matches(QueryKind::Imports, 0..IMPORTS_BYTES)
}

/// Whether a byte stands in an import. The rest of the file is not searched for others.
pub(super) fn is_import(document: &Document, byte: usize) -> bool {
    let near = |byte| document.matches(QueryKind::Imports, byte..byte + 1);
    byte < IMPORTS_BYTES && near(byte).iter().any(|it| it.node.byte_range().contains(&byte))
}
