//! Edits of files, as the changes that the editor is to carry out.

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

/// What an editor would have to do and cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the editor cannot {0} files by an edit")]
pub(in crate::lsp) struct Unsupported(&'static str);

impl From<Unsupported> for Reason {
    fn from(error: Unsupported) -> Self {
        Self::Refused { code: "unsupported-edit", why: error.to_string() }
    }
}

/// Edits of one document by themselves, as the editor takes them.
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

/// Edits of one document, as the editor takes them. It takes no time for the rest of the text.
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

/// Edits of several files, as the editor takes them: with versions and in order if it knows these. `uri`
/// names a file, and `annotate` says what is shown of its change, where the editor shows that.
///
/// # Errors
///
/// [`Unsupported`] if the editor cannot carry one of the changes out, since the others must not come without
/// it.
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
    Ok(of_changes(changes, (!annotations.is_empty()).then_some(annotations), client))
}

/// Changes with versions and in order if the editor knows these; else the edits alone.
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
mod tests {
    use super::*;
    use crate::edit::plan;
    use expect_test::expect;

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
