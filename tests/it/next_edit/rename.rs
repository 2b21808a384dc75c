//! The rename that a next edit reports as its cause, so that a client can have a language server perform it.

use serde_json::{Value, json};

use crate::support::{Editor, Setup, capabilities};

const SHAPE: &str = "file:///no-such-folder/src/shape.rs";
const MAIN: &str = "file:///no-such-folder/src/main.rs";
const SHAPE_TEXT: &str = "pub fn area(width: u32) -> u32 {\n    width * 2 + width\n}\n";
const MAIN_TEXT: &str = "use crate::shape::area;\n\nfn main() {\n    area(2);\n    area(3);\n}\n";

async fn editor(takes_renames: bool) -> Editor {
    let mut capabilities = capabilities("utf-16");
    capabilities["experimental"] = json!({ "tandem": { "rename": takes_renames } });
    let mut editor = Editor::with(Setup { simulator: None, capabilities, ..Setup::default() }).await;
    editor.open_only(MAIN, "rust", MAIN_TEXT);
    editor.open_only(SHAPE, "rust", SHAPE_TEXT);
    editor
}

async fn edits(editor: &mut Editor, uri: &str, all: bool) -> Value {
    let params = json!({
        "textDocument": { "uri": uri },
        "position": { "line": 0, "character": 11 },
        "context": { "triggerKind": 1, "all": all },
    });
    editor.driver.request("tandem/nextEdit", params).await.unwrap()["edits"].clone()
}

/// The rename of a name on the first line.
fn rename(from: &str, to: &str, columns: [u32; 2], version: i32) -> Value {
    let [start, end] = columns.map(|character| json!({ "line": 0, "character": character }));
    json!({
        "from": from, "to": to, "range": { "start": start, "end": end },
        "textDocument": { "uri": SHAPE, "version": version },
    })
}

#[tokio::test]
async fn edit_that_follows_from_a_renamed_declaration_names_it() {
    let mut editor = editor(true).await;
    editor.change(SHAPE, 2, [0, 12, 0, 17], "breadth");
    let found = edits(&mut editor, SHAPE, true).await;
    let expected = rename("width", "breadth", [12, 19], 2);
    assert_eq!([&found[0]["rename"], &found[1]["rename"]], [&expected, &expected]);
    // One edit is made by the user: the rest has the same cause.
    editor.change(SHAPE, 3, [1, 4, 1, 9], "breadth");
    let left = edits(&mut editor, SHAPE, true).await;
    assert_eq!(left.as_array().unwrap().len(), 1);
    assert_eq!(left[0]["rename"], rename("width", "breadth", [12, 19], 3));
    editor.finish().await;
}

#[tokio::test]
async fn edit_in_another_file_names_the_declaration_in_its_own() {
    let mut editor = editor(true).await;
    editor.change(SHAPE, 2, [0, 7, 0, 11], "surface");
    let found = edits(&mut editor, SHAPE, false).await;
    assert_eq!(found[0]["textDocument"]["uri"], MAIN);
    assert_eq!(found[0]["rename"], rename("area", "surface", [7, 14], 2));
    editor.finish().await;
}

#[tokio::test]
async fn client_that_takes_no_renames_is_sent_none() {
    let mut editor = editor(false).await;
    editor.change(SHAPE, 2, [0, 12, 0, 17], "breadth");
    let found = edits(&mut editor, SHAPE, false).await;
    assert_eq!((found[0]["text"].as_str(), found[0].get("rename")), (Some("breadth"), None));
    editor.finish().await;
}

#[tokio::test]
async fn declaration_is_named_where_it_is_now_and_no_more_once_it_changed() {
    let mut editor = editor(true).await;
    editor.change(SHAPE, 2, [0, 7, 0, 11], "surface");
    let found = edits(&mut editor, SHAPE, false).await;
    assert_eq!(found[0]["textDocument"]["uri"], MAIN);
    // The queue of the other file survives only a change of that file.
    editor.change(MAIN, 2, [0, 18, 0, 22], "surface");
    let found = edits(&mut editor, MAIN, false).await;
    assert_eq!(found[0]["rename"], rename("area", "surface", [7, 14], 2));
    editor.change(SHAPE, 3, [0, 14, 0, 14], "s");
    assert_eq!(edits(&mut editor, MAIN, false).await, json!([]));
    editor.finish().await;
}

/// The same changes, made by an editor when the language server renames.
#[tokio::test]
async fn places_that_another_server_renamed_are_gone() {
    let mut editor = editor(true).await;
    editor.change(SHAPE, 2, [0, 7, 0, 11], "surface");
    assert_eq!(edits(&mut editor, SHAPE, false).await[0]["textDocument"]["uri"], MAIN);
    // The declaration is restored, and renamed with its uses.
    editor.change(SHAPE, 3, [0, 7, 0, 14], "area");
    editor.change(SHAPE, 4, [0, 7, 0, 11], "surface");
    editor.change(MAIN, 2, [3, 4, 4, 8], "surface(2);\n    surface");
    editor.change(MAIN, 3, [0, 18, 0, 22], "surface");
    assert_eq!(edits(&mut editor, SHAPE, true).await, json!([]));
    assert_eq!(edits(&mut editor, MAIN, true).await, json!([]));
    editor.finish().await;
}
