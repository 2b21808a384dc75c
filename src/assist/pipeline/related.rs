//! What a request shows of other files.

use crate::config::ContextScope;
use crate::model::Request;
use crate::privacy::Redaction;
use crate::prompt;
use crate::snapshot::{RelatedPart, Snapshot};
use crate::trained;

/// What is shown of other files.
///
/// It was looked through for keys when it was gathered. An answer that repeats what looks like a placeholder
/// in it would be restored to a key, so then it is not shown.
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

/// The lines of each file, for endpoints that take them by file.
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
