//! Every reason to suppress a suggestion, over the wire: its name in `tandem.why`, and that an explicit request is
//! answered all the same.

use serde_json::{Value, json};

use crate::support::{Editor, MARKED, Setup, at_cursor, complete_params};

const URI: &str = "file:///no-such-folder/src/shape.rs";

/// The event before the editor's request.
enum Before {
    /// The file was opened, but not changed.
    Opened,
    /// A letter was typed.
    Typed,
    /// The text this many columns left of the cursor was replaced, in several changes.
    Changed(&'static [(u32, &'static str)]),
    /// A command was executed.
    Command(&'static str, Value),
    /// A suggestion was dismissed.
    Dismissed,
}

use Before::{Changed, Command, Dismissed, Opened, Typed};

async fn ask(editor: &mut Editor, line: u32, column: u32, trigger: u32) -> Value {
    let mut params = complete_params(URI, line, column);
    params["context"] = json!({ "triggerKind": trigger });
    editor.driver.request("textDocument/inlineCompletion", params).await.unwrap()
}

async fn why(editor: &mut Editor) -> Value {
    let params = json!({ "command": "tandem.why", "arguments": [{ "textDocument": { "uri": URI } }] });
    let answer = editor.driver.request("workspace/executeCommand", params).await.unwrap();
    assert!(!answer["decisions"][0]["why"].as_str().unwrap().is_empty());
    answer["decisions"][0]["code"].clone()
}

/// Checks the reason for no automatic suggestion at `ˇ`, and the suggestion on request.
async fn check(options: Value, marked: &str, before: Before, code: &str, on_request: Option<&str>) {
    let mut editor = Editor::with(Setup { options, ..Setup::default() }).await;
    let (text, line, mut column) = at_cursor(marked);
    match &before {
        Opened => editor.open_only(URI, "rust", &text),
        _ => editor.open(URI, "rust", &text),
    }
    match before {
        Opened | Typed => {}
        Changed(changes) => {
            for (version, (left, new)) in (2..).zip(changes) {
                editor.change(URI, version, [line, column - left, line, column], new);
                column = column - left + u32::try_from(new.len()).unwrap();
            }
        }
        Command(command, argument) => {
            let params = json!({ "command": command, "arguments": [argument] });
            editor.driver.request("workspace/executeCommand", params).await.unwrap();
        }
        Dismissed => {
            let id = ask(&mut editor, line, column, 2).await[0]["command"]["arguments"][0].clone();
            let params = json!({ "command": "tandem.reject", "arguments": [id] });
            editor.driver.request("workspace/executeCommand", params).await.unwrap();
            // At another position, where nothing was dismissed, and nothing is predicted either.
            editor.change(URI, 2, [line, column, line, column], "q");
            column += 1;
        }
    }
    assert_eq!(ask(&mut editor, line, column, 2).await, json!([]), "{code}");
    assert_eq!(why(&mut editor).await, code);
    let asked = editor.model_requests();
    let items = ask(&mut editor, line, column, 1).await;
    assert_eq!(items[0]["insertText"].as_str(), on_request, "{code}, on request");
    assert_eq!(
        editor.model_requests() > asked,
        code != "language-off",
        "{code}: on request a model is asked"
    );
    editor.finish().await;
}

#[tokio::test]
async fn what_is_switched_off() {
    let off = json!({ "languages": { "rust": { "enabled": false } } });
    check(off, MARKED, Typed, "language-off", None).await;
    let comment = "fn f() {\n    // self.width = width;\n    // self.height = ˇ\n}\n";
    check(json!({ "disable_in": ["comment"] }), comment, Typed, "disabled-here", None).await;
    check(json!({ "indicator_only": true }), MARKED, Typed, "indicator-only", Some("height;")).await;
    let minute = Command("tandem.snooze", json!({ "minutes": 1 }));
    check(json!({}), MARKED, minute, "snoozed", Some("height;")).await;
}

#[tokio::test]
async fn what_the_last_change_says() {
    check(json!({}), MARKED, Opened, "untouched", Some("height;")).await;
    check(json!({}), MARKED, Changed(&[(0, "xy"), (2, "")]), "after-undo", Some("height;")).await;
    check(json!({}), &MARKED.replace('ˇ', "xˇ"), Changed(&[(1, "")]), "after-deletion", Some("height;"))
        .await;
    check(json!({}), MARKED, Dismissed, "cool-down", None).await;
}

#[tokio::test]
async fn where_the_cursor_is() {
    let word = "    self.width = width;\n    self.height = heiˇght;\n";
    check(json!({}), word, Typed, "mid-word", None).await;
    let secret = "    let password = \"ˇ\n";
    check(json!({}), secret, Typed, "secret-string", None).await;
    let line = "    f(width, width);\n    f(height, ˇ, 2);\n";
    check(json!({ "eagerness": "low" }), line, Typed, "mid-line", None).await;
    let rust = json!({ "languages": { "rust": { "eagerness": "low" } } });
    check(rust, line, Typed, "mid-line", None).await;
}

/// Checks the reason for no automatic next edit after a rename, and whether there is one on request.
async fn check_next(options: Value, before: Before, code: &str, is_there: bool) {
    let mut editor = Editor::with(Setup { options, simulator: None, ..Setup::default() }).await;
    editor.open_only(URI, "rust", "fn area(width: u32) -> u32 {\n    width * 2\n}\n");
    if !matches!(before, Opened) {
        editor.change(URI, 2, [0, 8, 0, 13], "breadth");
    }
    if let Command(command, argument) = before {
        let params = json!({ "command": command, "arguments": [argument] });
        editor.driver.request("workspace/executeCommand", params).await.unwrap();
    }
    let params = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 15 } });
    let answer = editor.driver.request("tandem/nextEdit", params.clone()).await.unwrap();
    assert_eq!(answer["edits"], json!([]), "{code}");
    assert_eq!(why(&mut editor).await, code);
    let mut on_request = params;
    on_request["context"] = json!({ "triggerKind": 1 });
    let answer = editor.driver.request("tandem/nextEdit", on_request).await.unwrap();
    assert_eq!(answer["edits"][0]["text"].as_str(), is_there.then_some("breadth"), "{code}, on request");
    editor.finish().await;
}

#[tokio::test]
async fn next_edits_keep_quiet_for_the_same_reasons() {
    check_next(json!({}), Opened, "nothing-done", false).await;
    check_next(json!({ "next_edit": false }), Typed, "off", true).await;
    let off = json!({ "languages": { "rust": { "next_edit": false } } });
    check_next(off, Typed, "off", true).await;
    let off = json!({ "languages": { "rust": { "enabled": false } } });
    check_next(off, Typed, "language-off", false).await;
    check_next(json!({ "indicator_only": true }), Typed, "indicator-only", true).await;
    let minute = Command("tandem.snooze", json!({ "minutes": 1 }));
    check_next(json!({}), minute, "snoozed", true).await;
}
