//! Converts edits of files to the changes that the editor applies.

use std::collections::BTreeMap;

use ropey::Rope;

use super::to_range;
use crate::document::Document;
use crate::document::position::{Encoding, position_at};
use crate::edit::edit_set::{Base, Change as FileChange, FileEdit, Revision};
use crate::edit::{Edit, EditSet};
use crate::job::Reason;
use crate::lsp::capabilities::Client;
use crate::lsp::protocol;

/// A file operation that the editor does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the editor cannot {0} files by an edit")]
pub(in crate::lsp) struct Unsupported(&'static str);

impl From<Unsupported> for Reason {
    fn from(error: Unsupported) -> Self {
        Self::Unusable { code: "unsupported-edit", why: error.to_string() }
    }
}

pub(in crate::lsp) fn text_edits(
    document: &Document,
    edits: &[Edit],
    encoding: Encoding,
) -> Vec<protocol::TextEdit> {
    let edit = |edit: &Edit| protocol::TextEdit {
        range: to_range(document, &edit.span, encoding),
        new_text: edit.text.clone(),
        annotation_id: None,
    };
    edits.iter().map(edit).collect()
}

/// Converts edits of one document to a workspace edit.
///
/// The cost does not depend on the rest of the text.
pub(in crate::lsp) fn document_edits(
    document: &Document,
    edits: &[Edit],
    client: &Client,
) -> protocol::WorkspaceEdit {
    let uri = document.id().as_str().to_owned();
    let edit = || document_edit(uri, Some(document.version()), document.text(), edits, None, client.encoding);
    let changes = if edits.is_empty() { Vec::new() } else { vec![edit()] };
    of_changes(changes, None, client)
}

/// Converts edits of several files to a workspace edit.
///
/// The edits have versions and an order if the editor supports these. `uri` returns the URI of a file, and
/// `annotate` the annotation of its change, for editors that show annotations. [`Unsupported`] by the editor is an
/// error, since the other changes must not be applied without that one.
pub(in crate::lsp) fn workspace_edit(
    set: &EditSet,
    uri: impl Fn(&str) -> String,
    annotate: Option<&dyn Fn(&FileEdit) -> protocol::ChangeAnnotation>,
    client: &Client,
) -> Result<protocol::WorkspaceEdit, Unsupported> {
    let able = |is_able: bool, what| match client.versioned_edits && is_able {
        true => Ok(()),
        false => Err(Unsupported(what)),
    };
    let annotate = annotate.filter(|_| client.annotates && client.versioned_edits);
    let mut annotations = BTreeMap::new();
    let mut changes = Vec::new();
    for file in set.files().iter().filter(|file| !file.is_unchanged()) {
        let own = uri(&file.path);
        let annotation = annotate.map(|annotate| {
            let id = format!("tandem-{}", annotations.len() + 1);
            annotations.insert(id.clone(), annotate(file));
            id
        });
        let edit = |uri: String, version, text: &str, edits: &[Edit]| {
            document_edit(uri, version, &Rope::from_str(text), edits, annotation.as_ref(), client.encoding)
        };
        let operation = |operation| {
            let annotation_id = annotation.clone();
            protocol::DocumentChange::File(protocol::AnnotatedOperation { operation, annotation_id })
        };
        match &file.change {
            FileChange::Create { text } => {
                able(client.creates_files, "create")?;
                changes.push(operation(protocol::FileOperation::Create { uri: own.clone() }));
                changes.push(edit(own, None, "", &[Edit::new(0..0, text.as_str())]));
            }
            FileChange::Edit { base, edits } => {
                changes.push(edit(own, version(base), &base.text, edits));
            }
            FileChange::Rename { base, edits, to } => {
                able(client.renames_files, "rename")?;
                // The version belongs to the old name.
                if !edits.is_empty() {
                    changes.push(edit(own.clone(), version(base), &base.text, edits));
                }
                changes.push(operation(protocol::FileOperation::Rename { old_uri: own, new_uri: uri(to) }));
            }
            FileChange::Delete { .. } => {
                able(client.deletes_files, "delete")?;
                changes.push(operation(protocol::FileOperation::Delete { uri: own }));
            }
        }
    }
    Ok(of_changes(changes, (!annotations.is_empty()).then_some(annotations), client))
}

/// Changes with versions and in order if the editor supports these; otherwise the edits alone.
fn of_changes(
    changes: Vec<protocol::DocumentChange>,
    change_annotations: Option<BTreeMap<String, protocol::ChangeAnnotation>>,
    client: &Client,
) -> protocol::WorkspaceEdit {
    if client.versioned_edits {
        return protocol::WorkspaceEdit {
            document_changes: Some(changes),
            changes: None,
            change_annotations,
        };
    }
    let edits = changes.into_iter().filter_map(|change| match change {
        protocol::DocumentChange::Edit(edit) => Some((edit.text_document.uri, edit.edits)),
        protocol::DocumentChange::File(_) => None,
    });
    protocol::WorkspaceEdit { document_changes: None, changes: Some(edits.collect()), change_annotations }
}

/// The version of an open document; `None` for a file that is not open.
fn version(base: &Base) -> Option<i32> {
    match base.revision {
        Revision::Version(version) => Some(version),
        Revision::Hash(_) => None,
    }
}

/// Converts edits of a text to LSP, with positions in the editor's units.
fn document_edit(
    uri: String,
    version: Option<i32>,
    text: &Rope,
    edits: &[Edit],
    annotation: Option<&String>,
    encoding: Encoding,
) -> protocol::DocumentChange {
    let position = |byte| {
        let at = position_at(text, byte, encoding);
        protocol::Position { line: at.line, character: at.column }
    };
    let edits = edits.iter().map(|edit| protocol::TextEdit {
        range: protocol::Range { start: position(edit.span.start), end: position(edit.span.end) },
        new_text: edit.text.clone(),
        annotation_id: annotation.cloned(),
    });
    let text_document = protocol::DocumentRef { uri, version };
    protocol::DocumentChange::Edit(protocol::DocumentEdit { text_document, edits: edits.collect() })
}

#[cfg(test)]
mod tests;
