//! Converts a workspace edit that the server made back to changes of files.

use ropey::Rope;

use crate::document::position::{Encoding, clamped_byte_at};
use crate::edit::Edit;
use crate::edit::edit_set::{Base, Change, FileEdit};
use crate::job::Reason;
use crate::lsp::protocol::{
    DocumentChange, DocumentEdit, DocumentRef, FileOperation, TextEdit, WorkspaceEdit,
};

/// Opens a path, in a version if one is given.
type OpenBase<'a> = dyn Fn(&str, Option<i32>) -> Result<Base, Reason> + 'a;

/// The changes of a workspace edit, file by file, made from the files as they are now.
///
/// `place` returns the path of a URI below the root, and `open` the text of a path, of a version if one is given.
/// Operations in an order that the server does not make are an error.
pub(in crate::lsp) fn file_changes(
    edit: WorkspaceEdit,
    encoding: Encoding,
    place: &dyn Fn(&str) -> Result<String, Reason>,
    open: &OpenBase<'_>,
) -> Result<Vec<FileEdit>, Reason> {
    let mut files: Vec<FileEdit> = Vec::new();
    for operation in operations(edit) {
        let (path, change) = match operation {
            DocumentChange::File(it) => match it.operation {
                FileOperation::Create { uri } => (place(&uri)?, Change::Create { text: String::new() }),
                FileOperation::Delete { uri } => {
                    let path = place(&uri)?;
                    let base = open(&path, None)?;
                    (path, Change::Delete { base })
                }
                FileOperation::Rename { old_uri, new_uri } => {
                    let (path, to) = (place(&old_uri)?, place(&new_uri)?);
                    let edited = files.iter().position(|file| file.path == path).map(|at| files.remove(at));
                    let (base, edits) = match edited.map(|file| file.change) {
                        Some(Change::Edit { base, edits }) => (base, edits),
                        Some(_) => return Err(twice(&path)),
                        None => (open(&path, None)?, Vec::new()),
                    };
                    (path, Change::Rename { base, edits, to })
                }
            },
            DocumentChange::Edit(it) => {
                let path = place(&it.text_document.uri)?;
                let known = files.iter_mut().find(|file| file.path == path);
                if let Some(Change::Create { text }) = known.map(|file| &mut file.change)
                    && text.is_empty()
                {
                    text.extend(it.edits.iter().map(|edit| edit.new_text.as_str()));
                    continue;
                }
                let base = open(&path, it.text_document.version)?;
                let edits = edits(&base.text, it.edits, encoding);
                (path, Change::Edit { base, edits })
            }
        };
        if files.iter().any(|file| file.path == path) {
            return Err(twice(&path));
        }
        files.push(FileEdit { path, change, flags: Vec::new() });
    }
    Ok(files)
}

fn operations(edit: WorkspaceEdit) -> Vec<DocumentChange> {
    let by_uri = edit.changes.into_iter().flatten().map(|(uri, edits)| {
        let text_document = DocumentRef { uri, version: None };
        DocumentChange::Edit(DocumentEdit { text_document, edits })
    });
    edit.document_changes.unwrap_or_else(|| by_uri.collect())
}

/// Edits of a text in bytes, sorted.
fn edits(text: &str, edits: Vec<TextEdit>, encoding: Encoding) -> Vec<Edit> {
    let rope = Rope::from_str(text);
    let byte = |at| clamped_byte_at(&rope, super::position(at), encoding);
    let mut edits: Vec<Edit> = edits
        .into_iter()
        .map(|edit| Edit::new(byte(edit.range.start)..byte(edit.range.end), edit.new_text))
        .collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits
}

fn twice(path: &str) -> Reason {
    Reason::Unusable { code: "unfit-edit", why: format!("the edit changes `{path}` twice") }
}
