//! Finds the code that a fix is based on: while that code is unchanged, the fix stays valid.

use std::iter::once;
use std::ops::Range;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use crate::local::limits::RELIED_BYTES;
use crate::local::syntax::nodes_at;

/// The code that a problem's fix relies on (bytes).
///
/// That is a definition, or a part of a long one, around the problem and around each edit; for a fix of
/// imports, also all imports. A declaration far away may have led to the fix as well; a change there is left
/// to the next report. Waits for the parse.
pub fn relies_on(file: &FileView<'_>, problem: &Range<usize>, fix: Option<&Fix>) -> Vec<Range<usize>> {
    let edits = fix.iter().flat_map(|fix| &fix.edits).map(|edit| &edit.span);
    let mut spans: Vec<Range<usize>> = once(problem).chain(edits).map(|span| around(file, span)).collect();
    if fix.is_some_and(|fix| matches!(fix.kind, Kind::MissingImport | Kind::UnusedImport)) {
        let imports = file.imports();
        let end = imports.iter().map(|it| it.node.end_byte()).max();
        spans.extend(imports.first().zip(end).map(|(first, end)| first.node.start_byte()..end));
    }
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans
}

/// The lines of a range and the largest node around its start that is neither the file nor too large.
fn around(file: &FileView<'_>, span: &Range<usize>) -> Range<usize> {
    let end = file.text().len_bytes();
    let lines = file.whole_lines(span.start.min(end)..span.end.min(end));
    let nodes = nodes_at(file, span.start.min(end));
    let node = nodes.iter().rev().skip(1).map(|node| node.byte_range()).find(|it| it.len() <= RELIED_BYTES);
    node.map_or(lines.clone(), |node| node.start.min(lines.start)..node.end.max(lines.end))
}
