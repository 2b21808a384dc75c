//! The editor's positions, changes and paths to and from ours.

use std::path::{Path, PathBuf};

use ropey::Rope;
use serde_json::Value;
use tower_lsp::gen_lsp_types::Uri;

use super::capabilities::Client;
use super::protocol;
use crate::document::position::{Encoding, Position, clamped_byte_at, position_at};
use crate::document::{Change, Document, DocumentId, Splice};
use crate::edit::edit_set::{Base, Change as FileChange, FileEdit, Revision};
use crate::edit::{Edit, EditSet};
use crate::job::Reason;
use crate::lsp::limits::{DIAGNOSTIC_CHARS, LINE_SIDE_BYTES, RELATED_PLACES};
use crate::session::Tracked;
use crate::snapshot::{Diagnostic, Severity};

pub(super) fn position(from: protocol::Position) -> Position {
    Position::new(from.line, from.character)
}

/// The byte at a position in a request: past the end means the end.
pub(super) fn byte(document: &Document, at: protocol::Position, encoding: Encoding) -> usize {
    clamped_byte_at(document.text(), position(at), encoding)
}

/// The bytes of a range in a request; a reversed one is turned around.
pub(super) fn span(
    document: &Document,
    range: protocol::Range,
    encoding: Encoding,
) -> std::ops::Range<usize> {
    let (start, end) = (byte(document, range.start, encoding), byte(document, range.end, encoding));
    start.min(end)..start.max(end)
}

/// The line of a byte, from 0.
pub(super) fn line_of(document: &Document, byte: usize) -> u32 {
    u32::try_from(document.text().byte_to_line(byte)).unwrap_or(u32::MAX)
}

/// The text on both sides of a byte in its line, without the line end.
///
/// At most [`LINE_SIDE_BYTES`] bytes of each.
pub(super) fn line_around(document: &Document, byte: usize) -> (String, String) {
    let text = document.text();
    let whole = |byte: usize| text.char_to_byte(text.byte_to_char(byte));
    let start = document.line_start(byte).max(whole(byte.saturating_sub(LINE_SIDE_BYTES)));
    let end = document.next_line_start(byte).min(whole((byte + LINE_SIDE_BYTES).min(text.len_bytes())));
    let before = document.slice(start..byte);
    let mut after = document.slice(byte..end);
    after.truncate(after.trim_end_matches(['\n', '\r']).len());
    (before, after)
}

/// A byte's position, as the editor names it.
pub(super) fn to_position(document: &Document, byte: usize, encoding: Encoding) -> protocol::Position {
    let at = position_at(document.text(), byte, encoding);
    protocol::Position { line: at.line, character: at.column }
}

/// A span's range, as the editor names it.
pub(super) fn to_range(
    document: &Document,
    span: &std::ops::Range<usize>,
    encoding: Encoding,
) -> protocol::Range {
    protocol::Range {
        start: to_position(document, span.start, encoding),
        end: to_position(document, span.end, encoding),
    }
}

pub(super) fn changes(from: Vec<protocol::ContentChange>) -> Vec<Change> {
    from.into_iter()
        .map(|change| Change {
            range: change.range.map(|range| position(range.start)..position(range.end)),
            text: change.text,
        })
        .collect()
}

/// A change, as an edit of the text before it.
pub(super) fn to_edit(splice: Splice) -> Edit {
    Edit { span: splice.span, text: splice.text }
}

/// Where a range of an earlier version is in the current one.
///
/// `None` if its text changed.
pub(super) fn range_now(
    file: &Tracked,
    version: Option<i32>,
    range: protocol::Range,
) -> Option<protocol::Range> {
    let Some(version) = version.filter(|version| *version != file.document().version()) else {
        return Some(range);
    };
    let now = file.range_now(version, position(range.start)..position(range.end))?;
    let back = |at: Position| protocol::Position { line: at.line, character: at.column };
    Some(protocol::Range { start: back(now.start), end: back(now.end) })
}

/// A diagnostic of another server, in bytes of this text.
///
/// `shown` is the path shown for a URI.
pub(super) fn diagnostic(
    document: &Document,
    from: &protocol::Diagnostic,
    encoding: Encoding,
    shown: impl Fn(&str) -> String,
) -> Diagnostic {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        // LSP 3.18 `MarkupContent`.
        Value::Object(markup) => markup.get("value").and_then(Value::as_str).unwrap_or_default().to_owned(),
        other => other.to_string(),
    };
    let related = from.related_information.iter().flatten().take(RELATED_PLACES).map(|related| {
        let place =
            format!("{}:{}", shown(&related.location.uri), u64::from(related.location.range.start.line) + 1);
        (place, capped(related.message.clone()))
    });
    Diagnostic {
        span: span(document, from.range, encoding),
        severity: match from.severity {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Information,
            Some(4) => Severity::Hint,
            // LSP leaves the default severity to the client; most take an error.
            _ => Severity::Error,
        },
        message: capped(text(&from.message)),
        code: from.code.as_ref().filter(|code| !code.is_null()).map(|code| capped(text(code))),
        source: from.source.clone(),
        related: related.collect(),
    }
}

fn capped(mut words: String) -> String {
    if let Some((end, _)) = words.char_indices().nth(DIAGNOSTIC_CHARS) {
        words.truncate(end);
    }
    words
}

/// What an editor would have to do and cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the editor cannot {0} files by an edit")]
pub(super) struct Unsupported(&'static str);

impl From<Unsupported> for Reason {
    fn from(error: Unsupported) -> Self {
        Self::Refused { code: "unsupported-edit", why: error.to_string() }
    }
}

/// Edits of one document by themselves, as the editor takes them.
pub(super) fn text_edits(document: &Document, edits: &[Edit], encoding: Encoding) -> Vec<protocol::TextEdit> {
    let edit = |edit: &Edit| protocol::TextEdit {
        range: to_range(document, &edit.span, encoding),
        new_text: edit.text.clone(),
        annotation_id: None,
    };
    edits.iter().map(edit).collect()
}

/// Edits of one document, as the editor takes them.
///
/// # Errors
///
/// As [`workspace_edit`].
pub(super) fn document_edits(
    document: &Document,
    edits: Vec<Edit>,
    client: &Client,
) -> Result<protocol::WorkspaceEdit, Unsupported> {
    let base = Base { text: document.text().to_string(), revision: Revision::Version(document.version()) };
    let set = EditSet::of_file(document.id().as_str(), base, edits);
    workspace_edit(&set, str::to_owned, None, client)
}

/// Edits of several files, as the editor takes them: with versions and in order if it knows these. `uri` names a file,
/// and `annotate` says what is shown of its change, where the editor shows that.
///
/// # Errors
///
/// [`Unsupported`] if the editor cannot carry one of the changes out, since the others must not come without it.
pub(super) fn workspace_edit(
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
    let mut annotations = std::collections::BTreeMap::new();
    let mut changes = Vec::new();
    for file in set.files().iter().filter(|file| !file.is_unchanged()) {
        let own = uri(&file.path);
        let annotation = annotate.map(|annotate| {
            let id = format!("tandem-{}", annotations.len() + 1);
            annotations.insert(id.clone(), annotate(file));
            id
        });
        let edit = |uri: String, version, text: &str, edits: &[Edit]| {
            document_edit(uri, version, text, edits, annotation.as_ref(), client.encoding)
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
                // The old name is the one that the version belongs to.
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
    let change_annotations = (!annotations.is_empty()).then_some(annotations);
    if client.versioned_edits {
        return Ok(protocol::WorkspaceEdit {
            document_changes: Some(changes),
            changes: None,
            change_annotations,
        });
    }
    let edits = changes.into_iter().filter_map(|change| match change {
        protocol::DocumentChange::Edit(edit) => Some((edit.text_document.uri, edit.edits)),
        protocol::DocumentChange::File(_) => None,
    });
    Ok(protocol::WorkspaceEdit { document_changes: None, changes: Some(edits.collect()), change_annotations })
}

/// The version of an open document; a file that is not open has none.
fn version(base: &Base) -> Option<i32> {
    match base.revision {
        Revision::Version(version) => Some(version),
        Revision::Hash(_) => None,
    }
}

/// Edits of a text, as the editor names their places.
fn document_edit(
    uri: String,
    version: Option<i32>,
    text: &str,
    edits: &[Edit],
    annotation: Option<&String>,
    encoding: Encoding,
) -> protocol::DocumentChange {
    let rope = Rope::from_str(text);
    let position = |byte| {
        let at = position_at(&rope, byte, encoding);
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

/// The path shown to the user and to a model: below its workspace folder, with `/`.
///
/// Outside of all folders it is the name alone, so that no private path is shown.
pub(super) fn shown_path(uri: &str, folders: &[PathBuf]) -> String {
    let Some(path) = file_path(uri) else {
        // An unsaved buffer, a notebook's cell, a file of another machine: its name alone, for the same reason.
        let path = uri.split(['?', '#']).next().unwrap_or(uri);
        let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path);
        return name.split_once(':').map_or(name, |(_, name)| name).to_owned();
    };
    shown_file(&path, folders)
}

/// The same, for a file of this machine.
pub(crate) fn shown_file(path: &Path, folders: &[PathBuf]) -> String {
    let below = folders.iter().filter_map(|folder| path.strip_prefix(folder).ok());
    let shown = below.min_by_key(|below| below.components().count());
    let shown = shown.unwrap_or_else(|| path.file_name().map_or(path, Path::new));
    shown.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The `file:` URI of an absolute path.
pub(crate) fn file_uri(path: &Path) -> Option<String> {
    Some(Uri::from_file_path(path).ok()?.to_string())
}

/// The path of a `file:` URI.
pub(super) fn file_path(uri: &str) -> Option<PathBuf> {
    path_in(uri).filter(|_| DocumentId::new(uri).is_file())
}

/// The path in a URI of any scheme, such as that of the notebook that a cell belongs to.
///
/// The rules for that path hold for the document, too, but the document is not what the disk has there.
pub(super) fn path_in(uri: &str) -> Option<PathBuf> {
    Uri::parse(uri).ok()?.to_file_path().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::plan;
    use expect_test::expect;

    #[test]
    fn a_line_is_looked_at_near_the_cursor() {
        let check = |text: &str, byte, before: &str, after: &str| {
            let document = Document::new(crate::document::DocumentId::new("a"), "", 0, text);
            assert_eq!(line_around(&document, byte), (before.to_owned(), after.to_owned()));
        };
        check("a\nbé c\r\nd", 5, "bé", " c");
        check("a", 1, "a", "");
        let long = "é".repeat(10_000);
        check(
            &format!("{long}x{long}"),
            20_000,
            &long[..LINE_SIDE_BYTES],
            &format!("x{}", &long[..LINE_SIDE_BYTES - 2]),
        );
    }

    #[test]
    fn shows_paths_below_their_nearest_folder() {
        let folders = [PathBuf::from("/home/me/work"), PathBuf::from("/home/me/work/lib")];
        let check = |uri, expected| assert_eq!(shown_path(uri, &folders), expected);
        check("file:///home/me/work/src/a%20b.rs", "src/a b.rs");
        check("file:///home/me/work/lib/猫.rs", "猫.rs");
        check("file:///home/me/notes/secret/plan.md", "plan.md");
        check("untitled:Untitled-1", "Untitled-1");
        check("vscode-notebook-cell:/home/me/clients/acme/n.ipynb#W0", "n.ipynb");
        check("ssh://host/home/me/a.rs", "a.rs");
        check("git:/home/me/work/src/a.rs?ref=HEAD", "a.rs");
        check("no uri", "no uri");
    }

    /// Converts the edits that a patch makes of `a.rs` (open, version 7) and `b.rs` (on disk).
    fn converted(body: &str, client: &Client) -> String {
        struct Two;
        impl plan::Files for Two {
            type Error = crate::edit::Refusal;
            fn entry(&self, path: &str) -> Result<Option<plan::Entry>, Self::Error> {
                let kind = match path {
                    "" => plan::Kind::Folder,
                    "a.rs" | "b.rs" => plan::Kind::File,
                    _ => return Ok(None),
                };
                let identity = plan::Identity(0, path.bytes().map(u64::from).sum());
                Ok(Some(plan::Entry { real: path.to_owned(), kind, identity, is_link: false }))
            }
            fn names(&self, _: &str) -> Result<Vec<String>, Self::Error> {
                Ok(Vec::new())
            }
            fn open(&self, entry: &plan::Entry) -> Result<Base, Self::Error> {
                let text = "let é = 1;\nlet b = 2;\n".to_owned();
                let hash = Revision::of_bytes(text.as_bytes());
                let revision = if entry.real == "a.rs" { Revision::Version(7) } else { hash };
                Ok(Base { text, revision })
            }
        }
        let reply = format!("*** Begin Patch\n{body}\n*** End Patch\n");
        let set = plan::plan(
            &reply,
            &Two,
            plan::Permissions { access: &|_| crate::privacy::Verdict::Open, allow_invisible: false },
        )
        .unwrap();
        let annotate = |file: &FileEdit| protocol::ChangeAnnotation {
            label: format!("change {}", file.path),
            needs_confirmation: matches!(file.change, FileChange::Delete { .. }),
            description: None,
        };
        match workspace_edit(&set, |path| format!("file:///w/{path}"), Some(&annotate), client) {
            Ok(edit) => serde_json::to_string_pretty(&edit).unwrap(),
            Err(error) => error.to_string(),
        }
    }

    const EDITS: &str =
        "*** Update File: a.rs\n@@\n-let é = 1;\n+let é = 3;\n*** Update File: b.rs\n@@\n-let b = 2;";

    #[test]
    fn edits_name_versions_where_the_client_checks_them() {
        let client = Client { versioned_edits: true, ..Client::default() };
        expect![[r#"
            {
              "documentChanges": [
                {
                  "textDocument": {
                    "uri": "file:///w/a.rs",
                    "version": 7
                  },
                  "edits": [
                    {
                      "range": {
                        "start": {
                          "line": 0,
                          "character": 8
                        },
                        "end": {
                          "line": 0,
                          "character": 9
                        }
                      },
                      "newText": "3"
                    }
                  ]
                },
                {
                  "textDocument": {
                    "uri": "file:///w/b.rs",
                    "version": null
                  },
                  "edits": [
                    {
                      "range": {
                        "start": {
                          "line": 1,
                          "character": 0
                        },
                        "end": {
                          "line": 2,
                          "character": 0
                        }
                      },
                      "newText": ""
                    }
                  ]
                }
              ]
            }"#]]
        .assert_eq(&converted(EDITS, &client));
        expect![[r#"
            {
              "changes": {
                "file:///w/a.rs": [
                  {
                    "range": {
                      "start": {
                        "line": 0,
                        "character": 8
                      },
                      "end": {
                        "line": 0,
                        "character": 9
                      }
                    },
                    "newText": "3"
                  }
                ],
                "file:///w/b.rs": [
                  {
                    "range": {
                      "start": {
                        "line": 1,
                        "character": 0
                      },
                      "end": {
                        "line": 2,
                        "character": 0
                      }
                    },
                    "newText": ""
                  }
                ]
              }
            }"#]]
        .assert_eq(&converted(EDITS, &Client::default()));
    }

    #[test]
    fn annotations_name_each_file_where_the_client_shows_them() {
        let client = Client {
            versioned_edits: true,
            deletes_files: true,
            annotates: true,
            encoding: Encoding::Utf8,
            ..Client::default()
        };
        let body = "*** Update File: a.rs\n@@\n-let b = 2;\n*** Delete File: b.rs";
        expect![[r#"
            {
              "documentChanges": [
                {
                  "textDocument": {
                    "uri": "file:///w/a.rs",
                    "version": 7
                  },
                  "edits": [
                    {
                      "range": {
                        "start": {
                          "line": 1,
                          "character": 0
                        },
                        "end": {
                          "line": 2,
                          "character": 0
                        }
                      },
                      "newText": "",
                      "annotationId": "tandem-1"
                    }
                  ]
                },
                {
                  "kind": "delete",
                  "uri": "file:///w/b.rs",
                  "annotationId": "tandem-2"
                }
              ],
              "changeAnnotations": {
                "tandem-1": {
                  "label": "change a.rs",
                  "needsConfirmation": false
                },
                "tandem-2": {
                  "label": "change b.rs",
                  "needsConfirmation": true
                }
              }
            }"#]]
        .assert_eq(&converted(body, &client));
    }

    #[test]
    fn file_operations_come_in_order() {
        let client = Client {
            versioned_edits: true,
            creates_files: true,
            renames_files: true,
            deletes_files: true,
            ..Client::default()
        };
        let body = "*** Add File: n.rs\n+x\n*** Update File: a.rs\n*** Move to: c.rs\n@@\n-let b = 2;\n*** Delete File: b.rs";
        expect![[r#"
            {
              "documentChanges": [
                {
                  "textDocument": {
                    "uri": "file:///w/a.rs",
                    "version": 7
                  },
                  "edits": [
                    {
                      "range": {
                        "start": {
                          "line": 1,
                          "character": 0
                        },
                        "end": {
                          "line": 2,
                          "character": 0
                        }
                      },
                      "newText": ""
                    }
                  ]
                },
                {
                  "kind": "rename",
                  "oldUri": "file:///w/a.rs",
                  "newUri": "file:///w/c.rs"
                },
                {
                  "kind": "delete",
                  "uri": "file:///w/b.rs"
                },
                {
                  "kind": "create",
                  "uri": "file:///w/n.rs"
                },
                {
                  "textDocument": {
                    "uri": "file:///w/n.rs",
                    "version": null
                  },
                  "edits": [
                    {
                      "range": {
                        "start": {
                          "line": 0,
                          "character": 0
                        },
                        "end": {
                          "line": 0,
                          "character": 0
                        }
                      },
                      "newText": "x\n"
                    }
                  ]
                }
              ]
            }"#]]
        .assert_eq(&converted(body, &client));
    }

    #[test]
    fn file_operations_that_the_client_lacks_are_an_error() {
        let all = Client {
            versioned_edits: true,
            creates_files: true,
            renames_files: true,
            deletes_files: true,
            ..Client::default()
        };
        let create = "*** Add File: n.rs\n+x";
        let rename = "*** Update File: a.rs\n*** Move to: c.rs\n@@\n-let b = 2;";
        let delete = "*** Delete File: b.rs";
        for (body, client, what) in [
            (create, Client { creates_files: false, ..all.clone() }, "create"),
            (rename, Client { renames_files: false, ..all.clone() }, "rename"),
            (delete, Client { deletes_files: false, ..all.clone() }, "delete"),
            (create, Client { versioned_edits: false, ..all.clone() }, "create"),
        ] {
            assert_eq!(converted(body, &client), format!("the editor cannot {what} files by an edit"));
        }
    }
}
