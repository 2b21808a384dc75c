//! Quick fixes over the wire.

mod ahead;
mod all;
mod corpus;
mod own;
mod scenarios;

use serde_json::{Value, json};

use crate::support::{Editor, Setup, apply_edit, capabilities};

const URI: &str = "file:///no-such-folder/src/shape.rs";
const TEXT: &str = "fn area(width: u32) -> u32 {\n    let total = width;\n    totl * 2\n}\n";

/// A compiler's diagnostic for the text between `start` and `end` on a line.
fn diagnostic(line: u32, start: u32, end: u32, message: &str) -> Value {
    json!({
        "range": { "start": { "line": line, "character": start }, "end": { "line": line, "character": end } },
        "severity": 1,
        "source": "rustc",
        "message": message,
        "data": { "theirs": true },
    })
}

/// A diagnostic that no rule can fix with certainty, and that the simulator's model fixes.
fn similar() -> Value {
    diagnostic(2, 4, 8, "there is no value `totl` here; a value with a similar name is `total`")
}

async fn actions(editor: &mut Editor, only: Option<&str>, diagnostics: &[Value]) -> Value {
    actions_in(editor, URI, only, diagnostics).await
}

async fn actions_in(editor: &mut Editor, uri: &str, only: Option<&str>, diagnostics: &[Value]) -> Value {
    let params = json!({
        "textDocument": { "uri": uri },
        "range": { "start": { "line": 2, "character": 5 }, "end": { "line": 2, "character": 5 } },
        "context": {
            "diagnostics": diagnostics,
            "only": only.map(|kind| vec![kind]),
            "triggerKind": only.map(|_| 1),
        },
    });
    editor.driver.request("textDocument/codeAction", params).await.unwrap()
}

fn with(change: impl FnOnce(&mut Value)) -> Setup {
    let mut capabilities = capabilities("utf-16");
    change(&mut capabilities);
    Setup { capabilities, ..Setup::default() }
}

#[tokio::test]
async fn listing_asks_no_model_and_resolving_does() {
    let mut editor = Editor::with(with(|it| {
        it["textDocument"]["codeAction"]["resolveSupport"]["properties"] = json!(["edit", "isPreferred"]);
        it["textDocument"]["codeAction"]["tagSupport"] = json!({ "valueSet": [1] });
    }))
    .await;
    editor.open_only(URI, "rust", TEXT);
    let listed = actions(&mut editor, Some("quickfix"), &[similar()]).await;
    assert_eq!(editor.model_requests(), 0);
    let action = listed[0].clone();
    assert_eq!(
        action["title"],
        "Tandem: fix “there is no value `totl` here; a value with a similar name i…”"
    );
    assert_eq!((&action["kind"], &action["diagnostics"]), (&json!("quickfix"), &json!([similar()])));
    assert_eq!((&action["tags"], action.get("isPreferred"), action.get("edit")), (&json!([1]), None, None));
    let resolved = editor.driver.request("codeAction/resolve", action).await.unwrap();
    assert_eq!(apply_edit(TEXT, &resolved["edit"]), TEXT.replace("totl", "total"));
    assert_eq!(resolved["edit"]["documentChanges"][0]["textDocument"]["version"], 1);
    assert_eq!(resolved.get("isPreferred"), None, "only what is certain is preferred");
    assert_eq!(editor.model_requests(), 1);
    editor.finish().await;
}

#[tokio::test]
async fn listing_of_many_diagnostics_is_bounded_and_asks_no_model() {
    for count in [200, 2_000] {
        let mut editor = Editor::start().await;
        let function = "fn area(width: u32) -> u32 {\n    let total = width;\n    totl * 2\n}\n";
        editor.open_only(URI, "rust", &function.repeat(count));
        let moved = |number: usize| {
            let line = u32::try_from(4 * number + 2).unwrap();
            diagnostic(line, 4, 8, "there is no value `totl` here; a value with a similar name is `total`")
        };
        let reported: Vec<Value> = (0..count).map(moved).collect();
        let params = json!({ "uri": URI, "version": 1, "diagnostics": reported });
        editor.driver.notify("tandem/diagnostics", params);
        let listed = actions(&mut editor, Some("quickfix"), &reported).await;
        // The maximum that is listed.
        assert_eq!(listed.as_array().unwrap().len(), 8);
        assert_eq!(editor.model_requests(), 0);
        editor.finish().await;
    }
}

#[tokio::test]
async fn only_what_is_asked_for_is_listed() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", &TEXT.replace("    totl", "    // ai: rename total to sum\n    totl"));
    assert_eq!(actions(&mut editor, Some("refactor"), &[similar()]).await.as_array().unwrap().len(), 1);
    assert_eq!(actions(&mut editor, Some("source"), &[similar()]).await, json!([]));
    assert_eq!(actions(&mut editor, Some("quickfix"), &[]).await, json!([]));
    assert_eq!(
        actions(&mut editor, None, &[similar(), json!({ "no": "diagnostic" })])
            .await
            .as_array()
            .unwrap()
            .len(),
        2
    );
    editor.finish().await;
}

#[tokio::test]
async fn what_is_certain_needs_no_model() {
    let mut editor = Editor::with(Setup { simulator: None, ..Setup::default() }).await;
    let text = "fn area(width: u32) -> u32 {\n    let total = width\n    total * 2\n}\n";
    editor.open_only(URI, "rust", text);
    let missing = diagnostic(2, 4, 9, "expected `;`, found `total`");
    let listed = actions(&mut editor, None, &[missing, diagnostic(0, 0, 2, "mismatched types")]).await;
    assert_eq!(listed.as_array().unwrap().len(), 1, "what would take a model is not offered without one");
    assert_eq!(
        (&listed[0]["title"], &listed[0]["isPreferred"]),
        (&json!("Tandem: add the missing `;`"), &json!(true))
    );
    assert_eq!(apply_edit(text, &listed[0]["edit"]), text.replace("= width", "= width;"));
    editor.finish().await;
}

#[tokio::test]
async fn an_import_comes_from_another_open_file() {
    let mut editor = Editor::with(Setup { simulator: None, ..Setup::default() }).await;
    editor.open_only("file:///no-such-folder/src/other.rs", "rust", "use std::collections::HashMap;\n");
    let text = "fn f() {\n    let 猫 = 1;\n    HashMap::new()\n}\n";
    editor.open_only(URI, "rust", text);
    let unknown = diagnostic(2, 4, 11, "failed to resolve: use of undeclared type `HashMap`");
    let listed = actions(&mut editor, None, &[unknown]).await;
    assert_eq!(apply_edit(text, &listed[0]["edit"]), format!("use std::collections::HashMap;\n\n{text}"));
    editor.finish().await;
}

#[tokio::test]
async fn editors_that_do_not_resolve_get_a_command() {
    let mut editor = Editor::with(with(|it| {
        it["textDocument"]["codeAction"]["resolveSupport"] = json!(null);
    }))
    .await;
    editor.open_only(URI, "rust", TEXT);
    let listed = actions(&mut editor, None, &[similar()]).await;
    assert_eq!(listed[0]["command"]["command"], "tandem.fix");
    let id = editor.driver.ask("workspace/executeCommand", listed[0]["command"].clone());
    let apply = editor.driver.expect("workspace/applyEdit").await.unwrap();
    editor.driver.reply(&apply, json!({ "applied": true }));
    let answer = editor.driver.answer(id).await.unwrap();
    assert_eq!(answer["result"], json!({ "gear": "fast", "model": "test-model", "flags": [] }));
    assert_eq!(apply_edit(TEXT, &apply["params"]["edit"]), TEXT.replace("totl", "total"));
    editor.finish().await;
}

#[tokio::test]
async fn refusals_say_why() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", TEXT);
    let listed = actions(&mut editor, None, &[similar(), diagnostic(0, 0, 2, "what a mess")]).await;
    let id = editor.driver.ask("codeAction/resolve", listed[1].clone());
    let error = editor.driver.answer(id).await.unwrap()["error"].clone();
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(-32803), &json!("unchanged")));
    editor.change(URI, 2, [2, 5, 2, 5], "o");
    let id = editor.driver.ask("codeAction/resolve", listed[0].clone());
    let error = editor.driver.answer(id).await.unwrap()["error"].clone();
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(-32801), &json!("stale")));
    editor.finish().await;
}

#[tokio::test]
async fn a_fix_is_made_where_its_problem_is_now() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", TEXT);
    let listed = actions(&mut editor, None, &[similar()]).await;
    editor.change(URI, 2, [0, 0, 0, 0], "use 猫;\n");
    editor.change(URI, 3, [2, 0, 2, 4], "\t");
    let resolved = editor.driver.request("codeAction/resolve", listed[0].clone()).await.unwrap();
    let now = format!("use 猫;\n{}", TEXT.replacen("    let", "\tlet", 1));
    assert_eq!(apply_edit(&now, &resolved["edit"]), now.replace("totl", "total"));
    assert_eq!(resolved["edit"]["documentChanges"][0]["textDocument"]["version"], 3);
    // An action listed for a version that never existed.
    let mut other = listed[0].clone();
    other["data"]["version"] = json!(99);
    let id = editor.driver.ask("codeAction/resolve", other);
    assert_eq!(editor.driver.answer(id).await.unwrap()["error"]["data"]["reason"], "stale");
    editor.finish().await;
}
