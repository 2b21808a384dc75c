//! Rewrites by comment and by command.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::simulate::{Fault, Options, Script};

use crate::support::{Editor, Setup, apply_edit, at_cursor};

const URI: &str = "file:///no-such-folder/src/shape.rs";

async fn actions(editor: &mut Editor, line: u32, character: u32) -> Value {
    let at = json!({ "line": line, "character": character });
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [], "only": ["refactor"] },
    });
    editor.driver.request("textDocument/codeAction", params).await.unwrap()
}

/// Picks the one action at the cursor of `marked` and shows the resulting text.
async fn check(language: &str, marked: &str, expect: Expect) {
    let mut editor = Editor::start().await;
    let (text, line, column) = at_cursor(marked);
    editor.open(URI, language, &text);
    let offered = actions(&mut editor, line, column).await;
    assert_eq!(offered.as_array().unwrap().len(), 1, "{offered}");
    assert_eq!(editor.model_requests(), 0, "a list of offers asks no model");
    let resolved = editor.driver.request("codeAction/resolve", offered[0].clone()).await.unwrap();
    let edit = &resolved["edit"];
    assert_eq!(edit["documentChanges"][0]["textDocument"], json!({ "uri": URI, "version": 1 }));
    let title = resolved["title"].as_str().unwrap();
    expect.assert_eq(&format!("{title}\n{}", apply_edit(&text, edit)));
    editor.finish().await;
}

#[tokio::test]
async fn obeys_a_comment_above_the_code() {
    check(
        "rust",
        "fn 猫() {}\n\n// ai: rename width to breadth\nfn area(ˇwidth: u32) -> u32 {\n    width * width\n}\n\nfn width() {}\n",
        expect![[r#"
            Tandem: rename width to breadth
            fn 猫() {}

            fn area(breadth: u32) -> u32 {
                breadth * breadth
            }

            fn width() {}
        "#]],
    )
    .await;
}

#[tokio::test]
async fn obeys_a_comment_behind_the_code() {
    check(
        "python",
        "def area(width):  # AI: rename `width` to `w`\n    return width * 2ˇ\n\nwidth = 3\n",
        expect![[r#"
            Tandem: rename `width` to `w`
            def area(w):
                return w * 2

            width = 3
        "#]],
    )
    .await;
}

#[tokio::test]
async fn resolves_an_older_offer_where_its_comment_is_now() {
    let mut editor = Editor::start().await;
    let text = "// ai: rename a to b\nlet a = 1;\n";
    editor.open(URI, "rust", text);
    let offered = actions(&mut editor, 1, 0).await;
    editor.change(URI, 2, [0, 0, 0, 0], "use x;\n");
    let resolved = editor.driver.request("codeAction/resolve", offered[0].clone()).await.unwrap();
    let now = format!("use x;\n{text}");
    assert_eq!(apply_edit(&now, &resolved["edit"]), "use x;\nlet b = 1;\n");
    assert_eq!(resolved["edit"]["documentChanges"][0]["textDocument"]["version"], 2);
    editor.finish().await;
}

#[tokio::test]
async fn refuses_an_older_offer_whose_comment_is_gone() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", "// ai: rename a to b\nlet a = 1;\n");
    let offered = actions(&mut editor, 1, 0).await;
    editor.change(URI, 2, [0, 0, 1, 0], "");
    let id = editor.driver.ask("codeAction/resolve", offered[0].clone());
    let error = editor.driver.answer(id).await.unwrap()["error"].clone();
    assert_eq!(error["code"], -32801);
    assert_eq!(error["message"], "Tandem: the document changed while the answer was made; try again");
    editor.finish().await;
}

#[tokio::test]
async fn rewrites_a_range_by_command() {
    let mut editor = Editor::start().await;
    let text = "let a = 1;\nlet c = a;\nlet d = a;\n";
    editor.open(URI, "rust", text);
    let arguments = json!({
        "textDocument": { "uri": URI, "version": 1 },
        "range": { "start": { "line": 0, "character": 3 }, "end": { "line": 1, "character": 2 } },
        "instruction": "rename a to b",
    });
    let id = editor
        .driver
        .ask("workspace/executeCommand", json!({ "command": "tandem.rewrite", "arguments": [arguments] }));
    let apply = editor.driver.expect("workspace/applyEdit").await.unwrap();
    editor.driver.reply(&apply, json!({ "applied": true }));
    let answer = editor.driver.answer(id).await.unwrap();
    assert_eq!(answer["result"], json!({ "gear": "fast", "model": "test-model", "flags": [] }));
    let edited = apply_edit(text, &apply["params"]["edit"]);
    assert_eq!(edited, "let b = 1;\nlet c = b;\nlet d = a;\n", "only the lines of the range");
    editor.finish().await;
}

/// The first reply is talk; the second one is of the script's line for a prompt that shows the first.
#[tokio::test]
async fn refused_rewrite_is_asked_for_once_more() {
    let lines = [
        json!({ "when": "<|refused|>\nI would", "reply": "```rust\nlet a = 2;\n```\n" }),
        json!({ "when": "raise a", "reply": "I would raise it to two." }),
    ];
    let script = Script::parse(&lines.map(|line| line.to_string()).join("\n")).unwrap();
    let simulator = Some(Options { script, ..Options::default() });
    let mut editor = Editor::with(Setup { simulator, ..Setup::default() }).await;
    let text = "// ai: raise a\nlet a = 1;\n";
    editor.open(URI, "rust", text);
    let offered = actions(&mut editor, 0, 0).await;
    let resolved = editor.driver.request("codeAction/resolve", offered[0].clone()).await.unwrap();
    assert_eq!(apply_edit(text, &resolved["edit"]), "let a = 2;\n");
    assert_eq!(editor.model_requests(), 2);
    editor.finish().await;
}

#[tokio::test]
async fn says_so_when_there_is_nothing_to_change() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", "// ai: make it beautiful\nlet a = 1;\n");
    let offered = actions(&mut editor, 0, 0).await;
    let id = editor.driver.ask("codeAction/resolve", offered[0].clone());
    let error = editor.driver.answer(id).await.unwrap()["error"].clone();
    assert_eq!(error["code"], -32803);
    assert_eq!(error["data"]["reason"], "unchanged");
    editor.finish().await;
}

#[tokio::test]
async fn who_is_refused_hears_where_to_look() {
    let simulator = Some(Options { faults: vec![Fault::Refuse401], ..Options::default() });
    let mut editor = Editor::with(Setup { simulator, ..Setup::default() }).await;
    editor.open(URI, "rust", "// ai: make it beautiful\nlet a = 1;\n");
    let offered = actions(&mut editor, 0, 0).await;
    let error =
        editor.driver.request("codeAction/resolve", offered[0].clone()).await.unwrap_err().to_string();
    assert!(error.contains("(invalid_api_key); run `tandem doctor`"), "{error}");
    // There is also one message besides the answer.
    editor.driver.finish().await.unwrap();
}

/// The prompt box of an editor, before a model is asked.
#[tokio::test]
async fn names_what_would_be_rewritten() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", "use a;\nfn first(b: u32) -> u32 {\n    b * 2\n}\n");
    let mut show = async |start: [u32; 2], end: [u32; 2]| {
        let at = |[line, character]: [u32; 2]| json!({ "line": line, "character": character });
        let argument = json!({
            "textDocument": { "uri": URI, "version": 1 },
            "range": { "start": at(start), "end": at(end) },
            "show": true,
        });
        let params = json!({ "command": "tandem.rewrite", "arguments": [argument] });
        let answer = editor.driver.request("workspace/executeCommand", params).await.unwrap();
        answer["target"].to_string()
    };
    expect![[
        r#"{"name":"fn first","range":{"end":{"character":1,"line":3},"start":{"character":0,"line":1}}}"#
    ]]
    .assert_eq(&show([2, 6], [2, 6]).await);
    expect![[r#"{"name":null,"range":{"end":{"character":9,"line":2},"start":{"character":0,"line":0}}}"#]]
        .assert_eq(&show([0, 0], [2, 3]).await);
    assert_eq!(editor.model_requests(), 0);
    editor.finish().await;
}

#[tokio::test]
async fn rename_needs_no_model_that_cannot_be_reached() {
    let setup =
        Setup { simulator: None, base_url: Some("http://127.0.0.1:9/v1".to_owned()), ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    editor.open(URI, "rust", "// ai: rename a to b\nlet a = 1;\n");
    let offered = actions(&mut editor, 0, 0).await;
    let resolved = editor.driver.request("codeAction/resolve", offered[0].clone()).await.unwrap();
    assert_eq!(apply_edit("// ai: rename a to b\nlet a = 1;\n", &resolved["edit"]), "let b = 1;\n");
    // There is also a message that the model is unreachable.
    editor.driver.finish().await.unwrap();
}
