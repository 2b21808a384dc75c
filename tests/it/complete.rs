//! Ghost text, from the request to the item, over a live socket.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::simulate::{Fault, Options};

use crate::support::{Editor, Setup, at_cursor, complete_params};

const URI: &str = "file:///work/src/shape.rs";

/// Asks at the cursor of `marked` and shows the text with the suggestion in it.
async fn check(language: &str, marked: &str, expect: Expect) {
    let mut editor = Editor::start().await;
    let (text, line, column) = at_cursor(marked);
    editor.open(URI, language, &text);
    let items = editor.complete(URI, line, column).await;
    let shown = match items[0]["insertText"].as_str() {
        Some(suggestion) => {
            let at = json!({ "line": line, "character": column });
            assert_eq!(items[0]["range"], json!({ "start": at, "end": at }));
            marked.replace('ˇ', &format!("⟦{suggestion}⟧"))
        }
        None => format!("{items}"),
    };
    expect.assert_eq(&shown);
    editor.finish().await;
}

#[tokio::test]
async fn shows_ghost_text_from_the_socket() {
    check(
        "rust",
        "fn new(width: u32, height: u32) {\n    self.宽 = \"🙂\";\n    self.width = width;\n    self.height = ˇ\n}\n",
        expect![[r#"
            fn new(width: u32, height: u32) {
                self.宽 = "🙂";
                self.width = width;
                self.height = ⟦height;⟧
            }
        "#]],
    )
    .await;
}

#[tokio::test]
async fn answers_an_empty_list_where_there_is_nothing() {
    check("rust", "fn mainˇ", expect!["[]"]).await;
    check("no such language", "ˇ", expect!["[]"]).await;
}

#[tokio::test]
async fn types_through_without_asking_the_model() {
    let mut editor = Editor::start().await;
    let (text, line, column) = at_cursor("    self.width = width;\n    self.height = ˇ\n");
    editor.open(URI, "rust", &text);
    let first = editor.complete(URI, line, column).await;
    let suggestion = first[0]["insertText"].as_str().unwrap().to_owned();
    assert_eq!(suggestion, "height;");
    assert_eq!(editor.model_requests(), 1);
    for (typed, letter) in suggestion.char_indices().take(5) {
        let at = column + u32::try_from(typed).unwrap();
        editor.change(URI, 2 + typed as i32, [line, at, line, at], &letter.to_string());
        let items = editor.complete(URI, line, at + 1).await;
        assert_eq!(items[0]["insertText"], suggestion[typed + 1..]);
    }
    assert_eq!(editor.model_requests(), 1, "typing what is on screen asks nobody");
    let at = column + 5;
    editor.change(URI, 9, [line, at, line, at], "x");
    editor.complete(URI, line, at + 1).await;
    assert_eq!(editor.model_requests(), 2, "a letter that diverges asks again");
    editor.finish().await;
}

#[tokio::test]
async fn accepting_is_reported_by_the_items_command() {
    let mut editor = Editor::start().await;
    let (text, line, column) = at_cursor("    self.width = width;\n    self.height = ˇ\n");
    editor.open(URI, "rust", &text);
    let items = editor.complete(URI, line, column).await;
    let done = editor.driver.request("workspace/executeCommand", items[0]["command"].clone()).await.unwrap();
    assert_eq!(done, Value::Null);
    // What was accepted is no longer on screen: asking here again asks the model.
    editor.complete(URI, line, column).await;
    assert_eq!(editor.model_requests(), 2);
    editor.finish().await;
}

#[tokio::test]
async fn a_newer_request_for_the_file_takes_over() {
    let options = Options { ttft: std::time::Duration::from_millis(300), ..Options::default() };
    let mut editor = Editor::with(Setup { simulator: Some(options), ..Setup::default() }).await;
    let (text, line, column) = at_cursor("    self.width = width;\n    self.height = ˇ\n");
    editor.open(URI, "rust", &text);
    let older = editor.driver.ask("textDocument/inlineCompletion", complete_params(URI, line, column));
    let newer = editor.driver.ask("textDocument/inlineCompletion", complete_params(URI, line, column));
    assert_eq!(editor.driver.answer(older).await.unwrap()["result"], json!([]));
    assert_eq!(editor.driver.answer(newer).await.unwrap()["result"][0]["insertText"], "height;");
    editor.finish().await;
}

#[tokio::test]
async fn an_answer_that_comes_after_the_next_key_is_not_shown_but_kept() {
    let options = Options { ttft: std::time::Duration::from_millis(200), ..Options::default() };
    let mut editor = Editor::with(Setup { simulator: Some(options), ..Setup::default() }).await;
    let (text, line, column) = at_cursor("    self.width = width;\n    self.height = ˇ\n");
    editor.open(URI, "rust", &text);
    let asked = editor.driver.ask("textDocument/inlineCompletion", complete_params(URI, line, column));
    editor.change(URI, 2, [line, column, line, column], "h");
    assert_eq!(editor.driver.answer(asked).await.unwrap()["result"], json!([]), "made for an older text");
    let items = editor.complete(URI, line, column + 1).await;
    assert_eq!(items[0]["insertText"], "eight;", "it still fits what was typed");
    assert_eq!(editor.model_requests(), 1);
    editor.finish().await;
}

#[tokio::test]
async fn a_request_for_another_version_is_not_answered_with_this_one() {
    let mut editor = Editor::start().await;
    let (text, line, column) = at_cursor("    self.width = width;\n    self.height = ˇ\n");
    editor.open(URI, "rust", &text);
    let mut params = complete_params(URI, line, column);
    params["textDocument"]["version"] = json!(0);
    let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
    assert_eq!(items, json!([]));
    editor.finish().await;
}

#[tokio::test]
async fn a_cancelled_request_is_answered_as_such() {
    let options = Options { faults: vec![Fault::Hang], ..Options::default() };
    let mut editor = Editor::with(Setup { simulator: Some(options), ..Setup::default() }).await;
    let (text, line, column) = at_cursor("    self.width = width;\n    self.height = ˇ\n");
    editor.open(URI, "rust", &text);
    let asked = editor.driver.ask("textDocument/inlineCompletion", complete_params(URI, line, column));
    editor.driver.notify("$/cancelRequest", json!({ "id": asked }));
    assert_eq!(editor.driver.answer(asked).await.unwrap()["error"]["code"], -32800);
    editor.finish().await;
}

#[tokio::test]
async fn works_without_a_model() {
    let mut editor = Editor::with(Setup { simulator: None, ..Setup::default() }).await;
    let (text, line, column) = at_cursor("    self.width = width;\n    self.height = ˇ\n");
    editor.open(URI, "rust", &text);
    assert_eq!(editor.complete(URI, line, column).await[0]["insertText"], "height;");
    editor.finish().await;
}
