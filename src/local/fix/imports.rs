//! The imports of a file, as the rules need them.

use crate::document::Document;
use crate::grammar::{Match, QueryKind};
use crate::local::limits::IMPORTS_BYTES;

/// All imports at the beginning of a file, in order.
pub(super) fn imports(document: &Document) -> Vec<Match<'_>> {
    document.matches(QueryKind::Imports, 0..IMPORTS_BYTES)
}
