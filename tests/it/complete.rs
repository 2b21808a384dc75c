//! Ghost text, from the request to the item, over a live socket.

use std::collections::BTreeSet;
use std::time::Duration;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::model::usage::{DayFiles, Tally, today};
use tandem::simulate::{Fault, Options};
use tempfile::TempDir;

use crate::support::{Editor, MARKED, Setup, at_cursor, capabilities, complete_params};

const URI: &str = "file:///no-such-folder/src/shape.rs";

/// Requests ghost text at the cursor of `marked` and shows the text with the suggestion inserted.
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
    let (line, column) = editor.open_at(URI, MARKED);
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
    assert_eq!(editor.model_requests(), 1, "typing what is on screen asks no model");
    let at = column + 5;
    editor.change(URI, 9, [line, at, line, at], "x");
    editor.complete(URI, line, at + 1).await;
    assert_eq!(editor.model_requests(), 2, "a letter that diverges asks again");
    editor.finish().await;
}

#[tokio::test]
async fn accepting_is_reported_by_the_items_command() {
    let mut editor = Editor::start().await;
    let (line, column) = editor.open_at(URI, MARKED);
    let items = editor.complete(URI, line, column).await;
    let done = editor.driver.request("workspace/executeCommand", items[0]["command"].clone()).await.unwrap();
    assert_eq!(done, Value::Null);
    // An accepted suggestion is no longer on screen: another request here asks the model.
    editor.complete(URI, line, column).await;
    assert_eq!(editor.model_requests(), 2);
    editor.finish().await;
}

#[tokio::test]
async fn a_newer_request_for_the_file_takes_over() {
    let options = Options { ttft: std::time::Duration::from_millis(300), ..Options::default() };
    let mut editor = Editor::with(Setup { simulator: Some(options), ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, MARKED);
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
    let (line, column) = editor.open_at(URI, MARKED);
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
    let (line, column) = editor.open_at(URI, MARKED);
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
    let (line, column) = editor.open_at(URI, MARKED);
    let asked = editor.driver.ask("textDocument/inlineCompletion", complete_params(URI, line, column));
    editor.driver.notify("$/cancelRequest", json!({ "id": asked }));
    assert_eq!(editor.driver.answer(asked).await.unwrap()["error"]["code"], -32800);
    editor.finish().await;
}

#[tokio::test]
async fn works_without_a_model() {
    let mut editor = Editor::with(Setup { simulator: None, ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, MARKED);
    assert_eq!(editor.complete(URI, line, column).await[0]["insertText"], "height;");
    editor.finish().await;
}

/// Requests ghost text explicitly or as if by typing, with further fields in the context.
async fn ask(editor: &mut Editor, line: u32, column: u32, context: Value) -> Value {
    let mut params = complete_params(URI, line, column);
    params["context"] = context;
    editor.driver.request("textDocument/inlineCompletion", params).await.unwrap()
}

#[tokio::test]
async fn nothing_is_suggested_unasked_in_an_unchanged_file() {
    let mut editor = Editor::start().await;
    let (text, line, column) = at_cursor(MARKED);
    editor.open_only(URI, "rust", &text);
    assert_eq!(ask(&mut editor, line, column, json!({ "triggerKind": 2 })).await, json!([]));
    assert_eq!(editor.model_requests(), 0);
    let items = ask(&mut editor, line, column, json!({ "triggerKind": 1 })).await;
    assert_eq!(items[0]["insertText"], "height;", "requested explicitly it is");
    editor.finish().await;
}

#[tokio::test]
async fn nothing_is_suggested_after_a_deletion_or_an_undo() {
    let mut editor = Editor::start().await;
    let (line, column) = editor.open_at(URI, MARKED);
    editor.change(URI, 2, [0, 22, 0, 23], "");
    assert_eq!(editor.complete(URI, line, column).await, json!([]));
    editor.change(URI, 3, [line, column, line, column], "abc");
    editor.change(URI, 4, [line, column, line, column + 3], "");
    assert_eq!(editor.complete(URI, line, column).await, json!([]));
    assert_eq!(editor.model_requests(), 0);
    editor.finish().await;
}

#[tokio::test]
async fn explicit_request_shows_several() {
    let script = [
        r#"{"reply": "height;", "ttft_ms": 50, "once": true}"#,
        r#"{"reply": "height.max(1);", "once": true}"#,
        r#"{"reply": "height;", "ttft_ms": 50}"#,
    ];
    let script = simulate_script(&script.join("\n"));
    let mut editor = Editor::with(Setup { simulator: Some(script), ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, MARKED);
    let explicit = json!({ "triggerKind": 1 });
    let first = ask(&mut editor, line, column, explicit.clone()).await;
    let shown_first = first[0].clone();
    // Editors send a request for each step through the list.
    let mut items = first;
    for _ in 0..100 {
        if items.as_array().unwrap().len() == 2 {
            break;
        }
        items = ask(&mut editor, line, column, explicit.clone()).await;
    }
    let texts: BTreeSet<&str> =
        items.as_array().unwrap().iter().map(|it| it["insertText"].as_str().unwrap()).collect();
    assert_eq!(texts, BTreeSet::from(["height;", "height.max(1);"]));
    assert_eq!(items.as_array().unwrap().len(), 2, "the same text is not listed twice");
    assert_eq!(items[0], shown_first, "what is shown stays the first");
    assert_eq!(editor.model_requests(), 3);
    assert_eq!(ask(&mut editor, line, column, explicit).await, items, "asking again makes no call");
    assert_eq!(editor.model_requests(), 3);
    editor.finish().await;
}

#[tokio::test]
async fn explicit_request_shows_the_first_statement_while_the_model_writes_on() {
    let script =
        r#"{"deltas": ["height;", "\n", "    self.depth", " = depth;"], "fault": "hang-mid-stream"}"#;
    let mut editor =
        Editor::with(Setup { simulator: Some(simulate_script(script)), ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, MARKED);
    let items = ask(&mut editor, line, column, json!({ "triggerKind": 1 })).await;
    assert_eq!(items[0]["insertText"], "height;");
    editor.finish().await;
}

#[tokio::test]
async fn answer_that_breaks_off_before_anything_was_shown_is_asked_for_again() {
    let script = [
        r#"{"deltas": ["hei", "ght"], "fault": "close-mid-stream", "once": true}"#,
        r#"{"reply": "height;"}"#,
    ];
    let script = simulate_script(&script.join("\n"));
    let mut editor = Editor::with(Setup { simulator: Some(script), ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, MARKED);
    assert_eq!(editor.complete(URI, line, column).await[0]["insertText"], "height;");
    assert_eq!(editor.model_requests(), 2);
    editor.finish().await;
}

#[tokio::test]
async fn explicit_request_that_is_refused_for_its_rate_gets_at_once_what_there_is() {
    let script = simulate_script(r#"{"reply": "height;", "fault": "rate-limit-frame"}"#);
    let mut editor = Editor::with(Setup { simulator: Some(script), ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, MARKED);
    let items = ask(&mut editor, line, column, json!({ "triggerKind": 1 })).await;
    assert_eq!(items[0]["insertText"], "height;", "the local engine's");
    assert_eq!(editor.model_requests(), 3, "one for each suggestion, and none again");
    editor.driver.expect("window/showMessage").await.unwrap();
    editor.finish().await;
}

#[tokio::test]
async fn explicit_request_that_is_refused_names_the_refusal_if_there_is_nothing_else() {
    let script = simulate_script(r#"{"reply": "height;", "fault": "rate-limit-frame"}"#);
    let mut editor = Editor::with(Setup { simulator: Some(script), ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, "fn f() {\n    let mystery = ˇ\n}\n");
    assert_eq!(ask(&mut editor, line, column, json!({ "triggerKind": 1 })).await, json!([]));
    let about = json!({ "command": "tandem.why", "arguments": [] });
    let why = editor.driver.request("workspace/executeCommand", about).await.unwrap();
    let decision = &why["decisions"][0];
    assert_eq!(decision["code"], "model");
    assert!(decision["why"].as_str().unwrap().contains("status 429"), "{decision}");
    editor.driver.expect("window/showMessage").await.unwrap();
    editor.finish().await;
}

#[tokio::test]
async fn explicit_request_waits_as_long_as_is_set_for_a_quick_model_that_thinks() {
    let slow = Options { ttft: Duration::from_millis(2_500), ..simulate_script(r#"{"reply": "height;"}"#) };
    let mut editor = Editor::with(Setup { simulator: Some(slow), ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, "fn f(height: u32) {\n    let mystery = ˇ\n}\n");
    let items = ask(&mut editor, line, column, json!({ "triggerKind": 1 })).await;
    assert_eq!(items[0]["insertText"], "height;");
    editor.finish().await;
}

/// The suggestions on explicit request for a model reply of three lines, and the remaining parts after the last one
/// is accepted.
async fn explicit(tandem: Value) -> Vec<String> {
    let mut capabilities = capabilities("utf-16");
    capabilities["experimental"] = json!({ "tandem": tandem });
    let script = simulate_script(r#"{"reply": "if height > 0 {\n        return height;\n    }"}"#);
    let setup = Setup { simulator: Some(script), capabilities, ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    let (line, column) = editor.open_at(URI, "fn f(height: u32) -> u32 {\n    ˇ\n    0\n}\n");
    let items = ask(&mut editor, line, column, json!({ "triggerKind": 1 })).await;
    let items = items.as_array().unwrap();
    let mut texts: Vec<String> =
        items.iter().map(|it| it["insertText"].as_str().unwrap().to_owned()).collect();
    let last = texts.last().unwrap();
    editor.change(URI, 2, [line, column, line, column], last);
    editor
        .driver
        .request("workspace/executeCommand", items.last().unwrap()["command"].clone())
        .await
        .unwrap();
    if !last.contains('\n') {
        let end = column + last.encode_utf16().count() as u32;
        texts.push(editor.complete(URI, line, end).await[0]["insertText"].as_str().unwrap().to_owned());
        assert_eq!(editor.model_requests(), 3, "no model is asked for the rest");
    }
    editor.finish().await;
    texts
}

#[tokio::test]
async fn who_takes_all_or_nothing_can_take_the_first_line() {
    let (whole, first, rest) = (
        "if height > 0 {\n        return height;\n    }",
        "if height > 0 {",
        "\n        return height;\n    }",
    );
    assert_eq!(explicit(json!({})).await, [whole, first, rest]);
    assert_eq!(explicit(json!({ "partialAccept": true })).await, [whole]);
}

#[tokio::test]
async fn what_was_dismissed_stays_away() {
    let mut editor = Editor::start().await;
    let (line, column) = editor.open_at(URI, MARKED);
    let mut command = editor.complete(URI, line, column).await[0]["command"].clone();
    command["command"] = json!("tandem.reject");
    editor.driver.request("workspace/executeCommand", command).await.unwrap();
    assert_eq!(editor.complete(URI, line, column).await, json!([]), "it cools down");
    assert_eq!(ask(&mut editor, line, column, json!({ "triggerKind": 1 })).await, json!([]));
    editor.finish().await;
}

#[tokio::test]
async fn the_rest_stays_when_a_part_is_accepted() {
    let folder = TempDir::new().unwrap();
    let state = Some(folder.path().to_owned());
    let mut editor = Editor::with(Setup { state, ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, MARKED);
    let items = editor.complete(URI, line, column).await;
    let item = &items[0]["command"]["arguments"][0];
    editor.driver.notify("tandem/didShow", json!({ "item": item }));
    editor.change(URI, 2, [line, column, line, column], "height");
    editor.driver.notify("tandem/didPartiallyAccept", json!({ "item": item, "acceptedLength": 6 }));
    let alias = json!({ "item": { "command": { "arguments": [item] } }, "acceptedLength": 6 });
    editor.driver.notify("textDocument/didPartiallyAcceptCompletion", alias);
    let rest = editor.complete(URI, line, column + 6).await;
    assert_eq!(rest[0]["insertText"], ";");
    assert_eq!(&rest[0]["command"]["arguments"][0], item, "it is the same suggestion");
    assert_eq!(editor.model_requests(), 1);
    // The counts are written after two seconds.
    let files = DayFiles::new(folder.path());
    let counted = loop {
        let found = files.of(today()).jobs.get("completion").and_then(|it| it.get("test-model")).copied();
        match found {
            Some(tally) => break tally,
            None => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    let Tally { requests, shown, accepted, .. } = counted;
    assert_eq!((requests, shown, accepted), (1, 1, 1), "each counts once, also if it is reported again");
    editor.finish().await;
}

#[tokio::test]
async fn an_item_extends_the_entry_that_is_selected_in_the_menu() {
    let script = simulate_script(r#"{"reply": "(width);"}"#);
    let mut editor = Editor::with(Setup { simulator: Some(script), ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, "fn f(width: u32) {\n    scˇ\n}\n");
    let at = |character: u32| json!({ "line": line, "character": character });
    let range = json!({ "start": at(column - 2), "end": at(column) });
    let selected = json!({ "triggerKind": 2, "selectedCompletionInfo": { "range": range, "text": "scale" } });
    let items = ask(&mut editor, line, column, selected.clone()).await;
    assert_eq!(items[0]["insertText"], "scale(width);");
    assert_eq!(items[0]["range"], range);
    assert_eq!(ask(&mut editor, line, column, selected).await, items);
    assert_eq!(editor.model_requests(), 1);
    let elsewhere = json!({ "start": at(0), "end": { "line": line + 1, "character": 0 } });
    let selected = json!({ "triggerKind": 2, "selectedCompletionInfo": { "range": elsewhere, "text": "x" } });
    assert_eq!(ask(&mut editor, line, column, selected).await, json!([]), "a range of two lines");
    editor.finish().await;
}

fn simulate_script(text: &str) -> Options {
    Options { script: tandem::simulate::Script::parse(text).unwrap(), ..Options::default() }
}

#[tokio::test]
async fn an_indicator_replaces_what_could_be_shown() {
    let options = json!({ "indicator_only": true });
    let mut editor = Editor::with(Setup { options, ..Setup::default() }).await;
    let (line, column) = editor.open_at(URI, MARKED);
    assert_eq!(editor.complete(URI, line, column).await, json!([]));
    let status = editor.driver.request("tandem/status", json!({})).await.unwrap();
    assert_eq!((&status["indicatorOnly"], &status["available"]), (&json!(true), &json!(true)));
    let items = ask(&mut editor, line, column, json!({ "triggerKind": 1 })).await;
    assert_eq!(items[0]["insertText"], "height;", "requested explicitly it is shown");
    editor.change(URI, 2, [line, column, line, column], "x");
    let status = editor.driver.request("tandem/status", json!({})).await.unwrap();
    assert_eq!(status["available"], false);
    editor.finish().await;
}

/// An editor with no model, in which a file is open and learned: its lines, and a line begun afterwards.
async fn local(lines: &str, typed: &str) -> Editor {
    let mut editor = Editor::with(Setup { simulator: None, ..Setup::default() }).await;
    begin(&mut editor, URI, lines, typed);
    until(&mut editor, URI, lines, typed, |shown| !shown.is_empty()).await;
    editor
}

/// Opens a file and begins a line below its lines.
fn begin(editor: &mut Editor, uri: &str, lines: &str, typed: &str) {
    editor.open(uri, "rust", &format!("{lines}\n"));
    let line = u32::try_from(lines.lines().count()).unwrap();
    editor.change(uri, 2, [line, 0, line, 0], typed);
}

/// Sends explicit requests at the end of a line below others until the suggestion satisfies `wanted`: files are
/// learned in the background.
async fn until(
    editor: &mut Editor,
    uri: &str,
    above: &str,
    line: &str,
    wanted: impl Fn(&str) -> bool,
) -> String {
    let number = u32::try_from(above.lines().count()).unwrap();
    let mut params = complete_params(uri, number, u32::try_from(line.len()).unwrap());
    params["context"] = json!({ "triggerKind": 1 });
    for _ in 0..500 {
        let items = editor.driver.request("textDocument/inlineCompletion", params.clone()).await.unwrap();
        let shown = items[0]["insertText"].as_str().unwrap_or_default();
        if wanted(shown) {
            return shown.to_owned();
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("no such suggestion in 5 s: {line}");
}

/// An editor, which requests again on a refresh if `asks_again`, with a model that answers after 300 ms.
async fn beside_model(reply: &str, asks_again: bool) -> Editor {
    let mut capabilities = capabilities("utf-16");
    capabilities["experimental"] = json!({ "tandem": { "ghostTextNotification": asks_again } });
    let reply = json!({ "reply": reply, "ttft_ms": 300 }).to_string();
    let options = json!({ "eagerness": "high" });
    let setup = Setup { simulator: Some(simulate_script(&reply)), capabilities, options, ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    // Other lines between those to learn from: a fifth in a row would count as a repetition.
    let lines =
        ["one", "two", "three", "four"].map(|it| format!("    self.queue.push(item);\n    {it}();\n"));
    editor.open(URI, "rust", &format!("fn f() {{\n{}}}\n", lines.concat()));
    editor
}

/// Begins one line after the other until an automatic request at its end shows `wanted`: files are learned in the
/// background. Returns the request's parameters and the item.
async fn begin_until(editor: &mut Editor, wanted: &str) -> (Value, Value) {
    for version in 2..40 {
        editor.change(URI, version, [9, 0, 9, 0], "    self.qu\n");
        let params = complete_params(URI, 9, 11);
        let items = editor.driver.request("textDocument/inlineCompletion", params.clone()).await.unwrap();
        if items[0]["insertText"] == wanted {
            return (params, items[0].clone());
        }
    }
    panic!("{wanted} is not shown");
}

#[tokio::test]
async fn prediction_is_shown_until_the_model_goes_on_with_it() {
    let mut editor = beside_model("eue.push(item);\n    self.count += 1;", true).await;
    let (params, item) = begin_until(&mut editor, "eue.push(item);").await;
    assert_eq!(item["isProvisional"], true);
    let changed = editor.driver.expect("tandem/ghostTextChanged").await.unwrap();
    assert_eq!(changed["params"]["textDocument"]["uri"], URI);
    let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
    assert_eq!(items[0]["insertText"], "eue.push(item);\n    self.count += 1;");
    assert_eq!(items[0]["isProvisional"], Value::Null);
    editor.finish().await;
}

#[tokio::test]
async fn prediction_under_the_menu_is_taken_over_all_the_same() {
    // The completion menu opens over it, with an entry that it continues or not, and is closed. A request may follow.
    for (entry, follows) in [("qualm", false), ("queue", false), ("queue", true)] {
        let mut editor = beside_model("eue.push(item);\n    self.count += 1;", true).await;
        let (params, _) = begin_until(&mut editor, "eue.push(item);").await;
        let at = |character: u32| json!({ "line": 9, "character": character });
        let mut under_menu = params.clone();
        under_menu["context"]["selectedCompletionInfo"] =
            json!({ "range": { "start": at(9), "end": at(11) }, "text": entry });
        let under_menu = editor.driver.ask("textDocument/inlineCompletion", under_menu);
        if entry == "qualm" {
            editor.driver.notify("$/cancelRequest", json!({ "id": under_menu }));
        }
        editor.driver.answer(under_menu).await.unwrap();
        if follows {
            editor.driver.request("textDocument/inlineCompletion", params.clone()).await.unwrap();
        }
        editor.driver.expect("tandem/ghostTextChanged").await.unwrap();
        let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
        assert_eq!(items[0]["insertText"], "eue.push(item);\n    self.count += 1;", "{entry}");
        editor.finish().await;
    }
}

#[tokio::test]
async fn prediction_that_the_model_differs_from_stays_and_why_reports_it() {
    let mut editor = beside_model("ite.different();", true).await;
    let (params, _) = begin_until(&mut editor, "eue.push(item);").await;
    let about = json!({ "command": "tandem.why", "arguments": [{ "textDocument": { "uri": URI } }] });
    for _ in 0..200 {
        let why = editor.driver.request("workspace/executeCommand", about.clone()).await.unwrap();
        if why["decisions"][0]["beside"] == "prediction-stays" {
            let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
            assert_eq!(items[0]["insertText"], "eue.push(item);");
            return editor.finish().await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("no reason in 4 s");
}

#[tokio::test]
async fn prediction_is_shown_where_the_model_has_nothing() {
    let mut editor = beside_model("NO_EDITS", false).await;
    let (_, item) = begin_until(&mut editor, "eue.push(item);").await;
    assert_eq!(item["isProvisional"], Value::Null);
    editor.finish().await;
}

const QUEUE: &str =
    "self.queue.push(item);\nself.queue.push(item);\nself.queue.push(item);\nself.queue.push(item);\n";

/// Types at the end of the file, key by key, and returns the final position of the cursor.
fn type_on(editor: &mut Editor, version: &mut i32, mut line: u32, mut column: u32, text: &str) -> [u32; 2] {
    for letter in text.chars() {
        *version += 1;
        editor.change(URI, *version, [line, column, line, column], &letter.to_string());
        [line, column] = if letter == '\n' { [line + 1, 0] } else { [line, column + 1] };
    }
    [line, column]
}

#[tokio::test]
async fn line_is_predicted_unasked_from_what_was_typed() {
    let mut editor = local(QUEUE, "self.qu").await;
    let mut version = 3;
    let typed = format!("eue.push(item);\n{}let de", "let depth = measure(x);\n".repeat(3));
    let [line, column] = type_on(&mut editor, &mut version, 4, 7, &typed);
    assert_eq!(editor.complete(URI, line, column).await[0]["insertText"], "pth = measure(x);");
    editor.finish().await;
}

#[tokio::test]
async fn neighbor_that_is_open_is_learned_until_it_is_closed() {
    let other = "file:///no-such-folder/src/other.rs";
    let depth = "let depth = measure(x);\n".repeat(4);
    for (is_closed, expected) in [(false, "ue"), (true, "")] {
        let mut editor = local(QUEUE, "self.qu").await;
        if is_closed {
            editor.driver.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
        }
        begin(&mut editor, other, &depth, "let de");
        until(&mut editor, other, &depth, "let de", |shown| !shown.is_empty()).await;
        editor.change(other, 3, [4, 0, 4, 6], "self.que");
        let shown = until(&mut editor, other, &depth, "self.que", |_| true).await;
        assert_eq!(shown, expected, "closed: {is_closed}");
        editor.finish().await;
    }
}

#[tokio::test]
async fn secret_file_teaches_nothing() {
    let mut editor = local(QUEUE, "self.qu").await;
    let secret = "file:///no-such-folder/.env";
    editor.open_only(secret, "rust", &"let password = hunter(2);\n".repeat(4));
    editor.driver.expect("window/logMessage").await.unwrap();
    editor.change(URI, 3, [4, 0, 4, 7], "let password = hun");
    // After the first request is answered, the second file would have been learned, too.
    until(&mut editor, URI, QUEUE, "let password = hun", str::is_empty).await;
    let third = "file:///no-such-folder/src/third.rs";
    begin(&mut editor, third, QUEUE, "self.qu");
    until(&mut editor, third, QUEUE, "self.qu", |shown| !shown.is_empty()).await;
    until(&mut editor, URI, QUEUE, "let password = hun", str::is_empty).await;
    editor.finish().await;
}
