//! Pins the order of the wire: a request sees exactly the version that was sent before it, however many wait.

use std::time::Duration;

use serde_json::json;
use tandem::simulate::{Options, Script};

use crate::support::{Editor, Setup, complete_params};

const CHANGES: usize = 3_000;
const EVERY: usize = 5;

/// Each request asks for its own file, so that none supersedes another; each file's text says which version it is, and
/// the script echoes the number that the model was shown.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_is_for_the_version_sent_before_its_request() {
    let mut editor = Editor::with(Setup { simulator: None, ..Setup::default() }).await;
    // The local engine goes on with `= 12` after `= 11`: a pure function of the text that the request saw.
    let mut asked = Vec::new();
    for number in 1..=CHANGES {
        let uri = format!("file:///work/{}.txt", number % 600);
        let text = format!("let step = {number};\nlet step = {number};\nlet next = ");
        let version = i32::try_from(number).unwrap();
        if number <= 600 {
            editor.open(&uri, "plaintext", &text);
        } else {
            let change = json!({
                "textDocument": { "uri": uri, "version": version },
                "contentChanges": [{ "text": text }],
            });
            editor.driver.notify("textDocument/didChange", change);
        }
        if number % EVERY == 0 {
            let id = editor.driver.ask("textDocument/inlineCompletion", complete_params(&uri, 2, 11));
            asked.push((id, number));
        }
        // Directly after the request, the next version: an answer made from it would be wrong.
        if number % EVERY == 0 {
            let change = json!({
                "textDocument": { "uri": uri, "version": version + 100_000 },
                "contentChanges": [{ "text": "gone" }],
            });
            editor.driver.notify("textDocument/didChange", change);
        }
    }
    assert!(asked.len() >= 600);
    for (id, number) in asked {
        let result = editor.driver.answer(id).await.unwrap()["result"].take();
        // Either it was made before the next change came, from its own version, or it is not shown.
        let text = result[0]["insertText"].as_str();
        assert!(text.is_none_or(|text| text == format!("{number};")), "request {number}: {result}");
    }
    editor.finish().await;
}

/// The same with answers that show what they were made from: one file, three thousand changes, six hundred requests in
/// between, each waited for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_prompt_shows_the_text_of_its_version() {
    let script = Script::parse("{\"reply\": \"seen\"}").unwrap();
    let record = tempfile::NamedTempFile::new().unwrap();
    let options = Options { script, record: Some(record.path().to_owned()), ..Options::default() };
    let mut editor = Editor::with(Setup { simulator: Some(options), ..Setup::default() }).await;
    let uri = "file:///work/a.txt";
    editor.open(uri, "plaintext", "v");
    let mut expected = Vec::new();
    let mut column = 1;
    for number in 1..=CHANGES {
        let letter = char::from(b'a' + u8::try_from(number % 26).unwrap()).to_string();
        editor.change(uri, i32::try_from(number + 1).unwrap(), [0, column, 0, column], &letter);
        column += 1;
        if number % EVERY == 0 {
            let items = editor.complete(uri, 0, column).await;
            assert_eq!(items[0]["insertText"], "seen");
            expected.push(format!("{letter}<|cursor|>"));
        }
    }
    let frames = std::fs::read_to_string(record.path()).unwrap();
    let prompts: Vec<&str> = frames.lines().filter(|frame| frame.contains("<|code|>")).collect();
    assert_eq!(prompts.len(), expected.len());
    for (prompt, expected) in prompts.iter().zip(expected) {
        assert!(prompt.contains(&expected), "{prompt} lacks {expected}");
    }
    editor.finish().await;
}

/// Six hundred requests wait for a model that takes its time; a change and the question about it go through at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_requests_delay_no_keystroke() {
    let options = Options { ttft: Duration::from_secs(3_600), ..Options::default() };
    let mut editor = Editor::with(Setup { simulator: Some(options), ..Setup::default() }).await;
    for number in 0..600 {
        let uri = format!("file:///work/{number}.rs");
        editor.open(&uri, "rust", "fn main() {}\n");
        editor.driver.ask("textDocument/inlineCompletion", complete_params(&uri, 0, 11));
    }
    let uri = "file:///work/typed.rs";
    editor.open(uri, "rust", "// ai: rename a to b\nlet a = 1;\n");
    editor.change(uri, 2, [0, 0, 0, 0], "\n\n");
    let at = json!({ "line": 3, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] },
    });
    let offered = editor.driver.request("textDocument/codeAction", params).await.unwrap();
    assert_eq!(offered[0]["data"]["version"], 2, "the change is seen while 600 requests wait");
    let unread = editor.driver.take_unread();
    assert!(unread.is_empty(), "none of the waiting requests was answered before: {unread:?}");
    drop(editor);
}
