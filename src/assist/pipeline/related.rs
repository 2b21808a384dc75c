//! The parts of other files that a request shows.

use std::sync::Arc;

use crate::config::ContextScope;
use crate::document::Document;
use crate::model::Request;
use crate::privacy::Redaction;
use crate::prompt;
use crate::snapshot::{RelatedKind, RelatedPart, Snapshot, joined, nearest};
use crate::trained;

/// The parts of other files to show.
///
/// They were scanned for keys when gathered. If they contain text that looks like a placeholder, an answer that
/// repeats it would be restored to a key, so then none are shown.
pub(super) fn related<'a>(
    snapshot: &'a Snapshot,
    redaction: &Redaction,
    room: usize,
) -> Vec<&'a RelatedPart> {
    let parts = match snapshot.settings.privacy.context {
        ContextScope::File => Vec::new(),
        ContextScope::Open | ContextScope::Workspace => snapshot.related.within(room),
    };
    match parts.iter().any(|part| redaction.is_in(&part.text)) {
        true => Vec::new(),
        false => parts,
    }
}

/// The nearest other cells of a notebook, for a job whose prompt does not include them.
///
/// For a cell, nothing is gathered from other files. Whole cells are shown: half of a key would not be recognized.
pub(super) fn cells(snapshot: &Snapshot, room: usize) -> Vec<RelatedPart> {
    let Some(cells) = &snapshot.cells else { return Vec::new() };
    let mut before = nearest(cells.before.iter().rev(), room / 4 * 3);
    before.reverse();
    let after = nearest(cells.after.iter(), room / 4);
    let part = |cells: &[Arc<Document>], place: &str| RelatedPart {
        path: format!("{}, {place}", snapshot.path).into(),
        line: 1,
        text: joined(cells),
        kind: RelatedKind::Excerpt,
        why: place.into(),
        needs: 0,
    };
    let parts = [part(&before, "the cells before"), part(&after, "the cells behind")];
    parts.into_iter().filter(|part| !part.text.is_empty()).collect()
}

/// Adds parts of other files to a request.
pub(super) fn show_related(request: &mut Request, parts: &[&RelatedPart]) {
    if parts.is_empty() {
        return;
    }
    let block = prompt::related::block(parts);
    request.input.insert_str(0, &block);
    request.stable += block.len();
    request.instructions.to_mut().push_str(prompt::related::INSTRUCTIONS);
    if let Some(fim) = &mut request.fim {
        fim.extra = by_file(parts);
    }
    for edit in &mut request.edits {
        edit.quoted = trained::quote(edit.dialect, parts);
    }
}

/// The parts joined by file, for endpoints that take them by file.
fn by_file(related: &[&RelatedPart]) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for part in related {
        match files.last_mut() {
            Some((path, text)) if **path == *part.path => text.push_str(&part.text),
            _ => files.push((part.path.to_string(), part.text.clone())),
        }
    }
    files
}
