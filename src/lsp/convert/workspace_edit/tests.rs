use expect_test::{Expect, expect};
use serde_json::Value;

use super::*;
use crate::edit::Refusal;
use crate::edit::plan::{self, Entry, Identity, Kind, Permissions};
use crate::privacy::Verdict;

/// A folder with `a.rs`, open in version 7, and `b.rs` on disk.
struct Folder;

impl plan::Files for Folder {
    type Error = Refusal;

    fn entry(&self, path: &str) -> Result<Option<Entry>, Refusal> {
        let kind = match path {
            "" => Kind::Folder,
            "a.rs" | "b.rs" => Kind::File,
            _ => return Ok(None),
        };
        let identity = Identity(0, path.bytes().map(u64::from).sum());
        Ok(Some(Entry { real: path.to_owned(), kind, identity, is_link: false }))
    }

    fn names(&self, _: &str) -> Result<Vec<String>, Refusal> {
        Ok(Vec::new())
    }

    fn open(&self, entry: &Entry) -> Result<Base, Refusal> {
        let text = "let é = 1;\nlet b = 2;\n".to_owned();
        let hash = Revision::of_bytes(text.as_bytes());
        let revision = if entry.real == "a.rs" { Revision::Version(7) } else { hash };
        Ok(Base { text, revision })
    }
}

/// A client that supports versions and all file operations.
fn able() -> Client {
    Client {
        versioned_edits: true,
        creates_files: true,
        renames_files: true,
        deletes_files: true,
        ..Client::default()
    }
}

/// Converts the edits of a patch; one line per change.
///
/// Ranges are shown as `line:character-line:character`.
fn converted(body: &str, client: &Client) -> String {
    let reply = format!("*** Begin Patch\n{body}\n*** End Patch\n");
    let permissions = Permissions { access: &|_| Verdict::Open, instruction: "", allow_invisible: false };
    let set = plan::plan(&reply, &Folder, permissions).unwrap();
    let annotate = |file: &FileEdit| protocol::ChangeAnnotation {
        label: format!("change {}", file.path),
        needs_confirmation: matches!(file.change, FileChange::Delete { .. }),
        description: None,
    };
    let uri = |path: &str| format!("file:///w/{path}");
    match workspace_edit(&set, uri, Some(&annotate), client) {
        Ok(edit) => lines(serde_json::to_value(&edit).unwrap()),
        Err(error) => error.to_string(),
    }
}

fn lines(edit: Value) -> String {
    let mut lines = Vec::new();
    for (key, changes) in edit.as_object().unwrap() {
        lines.push(format!("{key}:"));
        match changes {
            Value::Array(changes) => lines.extend(changes.iter().map(|it| with_short_ranges(it).to_string())),
            Value::Object(changes) => {
                lines.extend(changes.iter().map(|(key, it)| format!("{key}: {}", with_short_ranges(it))));
            }
            other => lines.push(other.to_string()),
        }
    }
    lines.join("\n")
}

fn with_short_ranges(value: &Value) -> Value {
    let at = |position: &Value| format!("{}:{}", position["line"], position["character"]);
    match value {
        Value::Object(range) if range.contains_key("start") => {
            Value::String(format!("{}-{}", at(&range["start"]), at(&range["end"])))
        }
        Value::Object(entries) => {
            entries.iter().map(|(key, it)| (key.clone(), with_short_ranges(it))).collect()
        }
        Value::Array(items) => items.iter().map(with_short_ranges).collect(),
        other => other.clone(),
    }
}

fn check(body: &str, client: &Client, expected: &Expect) {
    expected.assert_eq(&converted(body, client));
}

const EDITS: &str =
    "*** Update File: a.rs\n@@\n-let é = 1;\n+let é = 3;\n*** Update File: b.rs\n@@\n-let b = 2;";

#[test]
fn edits_name_versions_where_the_client_checks_them() {
    let client = Client { versioned_edits: true, ..Client::default() };
    check(
        EDITS,
        &client,
        &expect![[r#"
        documentChanges:
        {"edits":[{"newText":"3","range":"0:8-0:9"}],"textDocument":{"uri":"file:///w/a.rs","version":7}}
        {"edits":[{"newText":"","range":"1:0-2:0"}],"textDocument":{"uri":"file:///w/b.rs","version":null}}"#]],
    );
    check(
        EDITS,
        &Client::default(),
        &expect![[r#"
        changes:
        file:///w/a.rs: [{"newText":"3","range":"0:8-0:9"}]
        file:///w/b.rs: [{"newText":"","range":"1:0-2:0"}]"#]],
    );
}

#[test]
fn annotations_name_each_file_where_the_client_shows_them() {
    let client = Client { annotates: true, encoding: Encoding::Utf8, ..able() };
    let body = "*** Update File: a.rs\n@@\n-let b = 2;\n*** Delete File: b.rs";
    check(
        body,
        &client,
        &expect![[r#"
        changeAnnotations:
        tandem-1: {"label":"change a.rs","needsConfirmation":false}
        tandem-2: {"label":"change b.rs","needsConfirmation":true}
        documentChanges:
        {"edits":[{"annotationId":"tandem-1","newText":"","range":"1:0-2:0"}],"textDocument":{"uri":"file:///w/a.rs","version":7}}
        {"annotationId":"tandem-2","kind":"delete","uri":"file:///w/b.rs"}"#]],
    );
}

#[test]
fn file_operations_come_in_order() {
    let body = "*** Add File: n.rs\n+x\n*** Update File: a.rs\n*** Move to: c.rs\n@@\n-let b = 2;\n*** Delete File: b.rs";
    check(
        body,
        &able(),
        &expect![[r#"
        documentChanges:
        {"edits":[{"newText":"","range":"1:0-2:0"}],"textDocument":{"uri":"file:///w/a.rs","version":7}}
        {"kind":"rename","newUri":"file:///w/c.rs","oldUri":"file:///w/a.rs"}
        {"kind":"delete","uri":"file:///w/b.rs"}
        {"kind":"create","uri":"file:///w/n.rs"}
        {"edits":[{"newText":"x\n","range":"0:0-0:0"}],"textDocument":{"uri":"file:///w/n.rs","version":null}}"#]],
    );
}

#[test]
fn file_operations_that_the_client_lacks_are_an_error() {
    let create = "*** Add File: n.rs\n+x";
    let rename = "*** Update File: a.rs\n*** Move to: c.rs\n@@\n-let b = 2;";
    let delete = "*** Delete File: b.rs";
    for (body, client, what) in [
        (create, Client { creates_files: false, ..able() }, "create"),
        (rename, Client { renames_files: false, ..able() }, "rename"),
        (delete, Client { deletes_files: false, ..able() }, "delete"),
        (create, Client { versioned_edits: false, ..able() }, "create"),
    ] {
        assert_eq!(converted(body, &client), format!("the editor cannot {what} files by an edit"));
    }
}
