//! `source.fixAll.tandem` over the wire.

use std::time::Duration;

use serde_json::{Value, json};

use super::{URI, actions, diagnostic};
use crate::support::{Editor, apply_edit};

const TEXT: &str = "\
use std::fmt;
use std::io;

fn area(width: u32) -> u32 {
    let total = width
    totl * 2
}
";

/// A compiler's diagnostics for the text.
fn reported() -> Vec<Value> {
    vec![
        diagnostic(4, 21, 21, "expected `;`, found `totl`"),
        diagnostic(
            5,
            4,
            8,
            "cannot find value `totl` in this scope; a local variable with a similar name exists: `total`",
        ),
        diagnostic(0, 4, 12, "unused import: `std::fmt`"),
        diagnostic(1, 4, 11, "unused import: `std::io`"),
        diagnostic(3, 0, 2, "this is not certain"),
    ]
}

#[tokio::test]
async fn every_certain_fix_is_in_one_edit_and_no_model_is_asked() {
    for kind in ["source.fixAll.tandem", "source.fixAll", "source"] {
        let mut editor = Editor::start().await;
        editor.open_only(URI, "rust", TEXT);
        let listed = actions(&mut editor, Some(kind), &reported()).await;
        let [action] = listed.as_array().unwrap().as_slice() else { panic!("{listed}") };
        assert_eq!(action["title"], "Tandem: make 4 certain fixes");
        assert_eq!(action["kind"], "source.fixAll.tandem");
        let expected = "\nfn area(width: u32) -> u32 {\n    let total = width;\n    total * 2\n}\n";
        assert_eq!(apply_edit(TEXT, &action["edit"]), expected);
        assert_eq!(action["edit"]["documentChanges"][0]["textDocument"]["version"], 1);
        assert_eq!(editor.model_requests(), 0);
        editor.finish().await;
    }
}

#[tokio::test]
async fn save_removes_no_import_that_was_just_written() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", TEXT);
    editor.change(URI, 2, [1, 0, 1, 0], "use std::rc;\n");
    let text = TEXT.replace("use std::io", "use std::rc;\nuse std::io");
    let reported = [
        diagnostic(0, 4, 12, "unused import: `std::fmt`"),
        diagnostic(1, 4, 11, "unused import: `std::rc`"),
        diagnostic(2, 4, 11, "unused import: `std::io`"),
    ];
    for (trigger, left) in [(2, "use std::rc;\n"), (1, "")] {
        let params = json!({
            "textDocument": { "uri": URI },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
            "context": { "diagnostics": reported, "only": ["source.fixAll"], "triggerKind": trigger },
        });
        let listed = editor.driver.request("textDocument/codeAction", params).await.unwrap();
        let expected = format!("{left}{}", TEXT.split_once("std::io;\n").unwrap().1);
        assert_eq!(apply_edit(&text, &listed[0]["edit"]), expected);
    }
    editor.finish().await;
}

#[tokio::test]
async fn reports_of_a_plugin_count_without_those_of_the_request() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", TEXT);
    let params = json!({ "uri": URI, "version": 1, "diagnostics": reported() });
    editor.driver.notify("tandem/diagnostics", params);
    let listed = actions(&mut editor, Some("source.fixAll"), &[]).await;
    assert_eq!(listed[0]["title"], "Tandem: make 4 certain fixes");
    editor.finish().await;
}

#[tokio::test]
async fn nothing_is_listed_unasked_for_or_without_a_certain_fix() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", TEXT);
    let kinds = |listed: Value| -> Vec<Value> {
        listed.as_array().unwrap().iter().map(|it| it["kind"].clone()).collect()
    };
    let all = kinds(actions(&mut editor, None, &reported()).await);
    assert!(all.iter().all(|kind| kind == "quickfix"), "{all:?}");
    let uncertain = [diagnostic(3, 0, 2, "this is not certain")];
    assert_eq!(actions(&mut editor, Some("source.fixAll.tandem"), &uncertain).await, json!([]));
    assert_eq!(actions(&mut editor, Some("source.fixAll.other"), &reported()).await, json!([]));
    assert_eq!(actions(&mut editor, Some("source.organizeImports"), &reported()).await, json!([]));
    editor.finish().await;
}

#[tokio::test]
async fn fixes_of_one_kind_are_offered_where_there_are_several() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", TEXT);
    let params = json!({ "uri": URI, "version": 1, "diagnostics": reported() });
    editor.driver.notify("tandem/diagnostics", params);
    let unused = [diagnostic(0, 4, 12, "unused import: `std::fmt`")];
    // The fixes are made in the background; without them there is nothing to offer yet.
    let offered = async {
        loop {
            let listed = actions(&mut editor, Some("quickfix"), &unused).await;
            if let [_, all] = listed.as_array().unwrap().as_slice() {
                return all.clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let action = tokio::time::timeout(Duration::from_secs(60), offered).await.unwrap();
    assert_eq!(action["title"], "Tandem: fix all of this kind in this file: unused import, 2 times");
    let resolved = editor.driver.request("codeAction/resolve", action.clone()).await.unwrap();
    assert_eq!(apply_edit(TEXT, &resolved["edit"]), TEXT.split_once("std::io;\n").unwrap().1);
    // An edit for another version is not applied.
    editor.change(URI, 2, [0, 0, 0, 0], "// é\n");
    let id = editor.driver.ask("codeAction/resolve", action);
    let error = editor.driver.answer(id).await.unwrap()["error"].clone();
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(-32801), &json!("stale")));
    assert_eq!(editor.model_requests(), 0);
    editor.finish().await;
}

#[tokio::test]
async fn mistake_that_two_servers_report_has_one_action() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", TEXT);
    let one = diagnostic(0, 4, 12, "unused import: `std::fmt`");
    let other = diagnostic(0, 0, 13, "unused import `std::fmt`");
    let params = json!({ "uri": URI, "version": 1, "diagnostics": [one, other] });
    editor.driver.notify("tandem/diagnostics", params);
    let listed = actions(&mut editor, Some("quickfix"), &[one.clone(), other.clone()]).await;
    let [action] = listed.as_array().unwrap().as_slice() else { panic!("{listed}") };
    assert_eq!(action["diagnostics"], json!([one, other]));
    editor.finish().await;
}

#[tokio::test]
async fn save_right_behind_a_key_makes_all_fixes_and_no_part_of_them() {
    const FUNCTIONS: u32 = 200;
    let function =
        |n| format!("fn area_{n}(width: u32) -> u32 {{\n    let total = width;\n    totl * 2\n}}\n");
    let text: String = (0..FUNCTIONS).map(function).collect();
    let said = "cannot find value `totl` in this scope; a local variable with a similar name exists: `total`";
    let reported: Vec<Value> = (0..FUNCTIONS).map(|n| diagnostic(4 * n + 2, 4, 8, said)).collect();
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", &text);
    editor.driver.notify("tandem/diagnostics", json!({ "uri": URI, "version": 1, "diagnostics": reported }));
    editor.change(URI, 2, [0, 0, 0, 0], "// é\n");
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
        "context": { "diagnostics": [], "only": ["source.fixAll.tandem"], "triggerKind": 2 },
    });
    let listed = editor.driver.request("textDocument/codeAction", params).await.unwrap();
    let expected = format!("// é\n{}", text.replace("totl", "total"));
    assert_eq!(apply_edit(&format!("// é\n{text}"), &listed[0]["edit"]), expected);
    editor.finish().await;
}

#[tokio::test]
async fn forty_files_are_saved_at_once() {
    let mut editor = Editor::start().await;
    let uri = |number: usize| format!("file:///no-such-folder/src/file_{number}.rs");
    let said = "cannot find value `totl` in this scope; a local variable with a similar name exists: `total`";
    let text = "fn area(width: u32) -> u32 {\n    let total = width;\n    totl * 2\n}\n";
    for number in 0..40 {
        editor.open_only(&uri(number), "rust", text);
    }
    let ask = |editor: &mut Editor, number: usize| {
        let params = json!({
            "textDocument": { "uri": uri(number) },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 4, "character": 0 } },
            "context": { "diagnostics": [diagnostic(2, 4, 8, said)], "only": ["source.fixAll.tandem"], "triggerKind": 2 },
        });
        editor.driver.ask("textDocument/codeAction", params)
    };
    let asked: Vec<i64> = (0..40).map(|number| ask(&mut editor, number)).collect();
    for id in asked {
        let answer = editor.driver.answer(id).await.unwrap();
        assert_eq!(apply_edit(text, &answer["result"][0]["edit"]), text.replace("totl", "total"));
    }
    editor.finish().await;
}

#[tokio::test]
async fn thousands_of_diagnostics_and_those_of_an_older_version_are_bounded() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", TEXT);
    editor.change(URI, 2, [0, 0, 0, 0], "// one\n");
    // Of version 1: its line is one further down by now.
    let mut all = reported();
    all.extend((0..5_000).map(|number| diagnostic(number % 8, 0, 2, &format!("remark {number}"))));
    let params = json!({ "uri": URI, "version": 1, "diagnostics": all });
    editor.driver.notify("tandem/diagnostics", params);
    let listed = actions(&mut editor, Some("source.fixAll"), &[]).await;
    let expected = "// one\n\nfn area(width: u32) -> u32 {\n    let total = width;\n    total * 2\n}\n";
    assert_eq!(apply_edit(&format!("// one\n{TEXT}"), &listed[0]["edit"]), expected);
    // Diagnostics for a version that never existed are ignored.
    editor
        .driver
        .notify("tandem/diagnostics", json!({ "uri": URI, "version": 99, "diagnostics": reported() }));
    assert_eq!(actions(&mut editor, Some("source.fixAll"), &[]).await, json!([]));
    editor.finish().await;
}

#[tokio::test]
async fn save_in_the_middle_of_typing_applies_nothing_stale() {
    let mut editor = Editor::start().await;
    editor.open_only(URI, "rust", TEXT);
    let report = |editor: &mut Editor| {
        let params = json!({ "uri": URI, "version": 1, "diagnostics": reported() });
        editor.driver.notify("tandem/diagnostics", params);
    };
    report(&mut editor);
    let listed = actions(&mut editor, Some("source.fixAll.tandem"), &[]).await;
    assert_eq!(listed[0]["title"], "Tandem: make 4 certain fixes");
    // The user fixes the misspelt name, which no tool has seen yet: neither before nor after a late report.
    editor.change(URI, 2, [5, 7, 5, 8], "");
    for _ in 0..2 {
        let listed = actions(&mut editor, Some("source.fixAll.tandem"), &[]).await;
        let expected = "\nfn area(width: u32) -> u32 {\n    let total = width;\n    tot * 2\n}\n";
        assert_eq!(apply_edit(&TEXT.replace("totl", "tot"), &listed[0]["edit"]), expected);
        assert_eq!(listed[0]["edit"]["documentChanges"][0]["textDocument"]["version"], 2);
        report(&mut editor);
    }
    editor.finish().await;
}

#[tokio::test]
async fn two_tools_that_contradict_each_other_do_not_turn_the_text_over_with_every_save() {
    let mut editor = Editor::start().await;
    let text = "fn area(width: u32) -> u32 {\n    let total = width;\n    totl * 2\n}\n\nfn f(totl: u32) -> u32 {\n    totl\n}\n";
    editor.open_only(URI, "rust", text);
    let said = |end: u32, name: &str, other: &str| {
        diagnostic(2, 4, end, &format!("`{name}` is not what was meant; did you mean `{other}`?"))
    };
    let save = async |editor: &mut Editor, reported: Value| {
        let params = json!({
            "textDocument": { "uri": URI },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 5, "character": 0 } },
            "context": { "diagnostics": [reported], "only": ["source.fixAll.tandem"], "triggerKind": 2 },
        });
        editor.driver.request("textDocument/codeAction", params).await.unwrap()
    };
    let listed = save(&mut editor, said(8, "totl", "total")).await;
    assert_eq!(apply_edit(text, &listed[0]["edit"]), text.replace("totl *", "total *"));
    editor.change(URI, 2, [2, 4, 2, 8], "total");
    // The other tool would revert it. A name that the file contains is not a misspelling, not even on request.
    assert_eq!(save(&mut editor, said(9, "total", "totl")).await, json!([]));
    assert_eq!(actions(&mut editor, Some("source.fixAll"), &[said(9, "total", "totl")]).await, json!([]));
    editor.finish().await;
}
