//! Pins the order on the wire: a request sees exactly the version that was sent before it, however many wait.

use std::time::Duration;

use serde_json::json;
use tandem::simulate::{Options, Script};

use crate::support::{Editor, Setup, capabilities, complete_params};

const CHANGES: usize = 3_000;
const EVERY: usize = 5;

/// A change, a request, and the next change are sent without waiting, six hundred times, each time in another file so
/// that none supersedes another. The prompt must show the text between the two changes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_sees_the_version_sent_before_it_and_not_the_next() {
    let record = tempfile::NamedTempFile::new().unwrap();
    let script = Script::parse("{\"reply\": \"seen\"}").unwrap();
    let options = Options { script, record: Some(record.path().to_owned()), ..Options::default() };
    let mut editor = Editor::with(Setup { simulator: Some(options), ..Setup::default() }).await;
    let mut asked = Vec::new();
    for number in 0..CHANGES / EVERY {
        let uri = format!("file:///no-such-folder/{number}.txt");
        editor.open(&uri, "plaintext", "");
        // Five changes for one request in total.
        for (version, text) in (2..).zip(["a", "ab", "abc", "before "]) {
            whole(&mut editor, &uri, version, &format!("{text}{number} "));
        }
        let column = u32::try_from(format!("before {number} ").len()).unwrap();
        // An explicit request, which is not delayed.
        let mut params = complete_params(&uri, 0, column);
        params["context"]["triggerKind"] = json!(1);
        asked.push(editor.driver.ask("textDocument/inlineCompletion", params));
        // A line above the cursor, since any other change would cancel the request.
        editor.change(&uri, 6, [0, 0, 0, 0], "after\n");
    }
    assert!(asked.len() >= 600);
    for id in asked {
        let answer = editor.driver.answer(id).await.unwrap();
        // An answer that arrived before the next change is shown; otherwise the list is empty.
        assert!(answer["result"].is_array(), "{answer}");
    }
    let frames = std::fs::read_to_string(record.path()).unwrap();
    let mut seen = 0;
    for frame in frames.lines() {
        let shown = &frame[frame.find("<|code|>").unwrap()..];
        assert!(shown.contains("before ") && !shown.contains("after "), "{shown}");
        seen += 1;
    }
    // On a slow machine some time out before a socket is available.
    assert!(seen >= 200, "only {seen} requests reached the model");
    editor.finish().await;
}

fn whole(editor: &mut Editor, uri: &str, version: i32, text: &str) {
    let params = json!({
        "textDocument": { "uri": uri, "version": version },
        "contentChanges": [{ "text": text }],
    });
    editor.driver.notify("textDocument/didChange", params);
}

/// One file, three thousand changes, six hundred requests in between, each waited for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_prompt_shows_the_text_of_its_version() {
    let script = Script::parse("{\"reply\": \"seen\"}").unwrap();
    let record = tempfile::NamedTempFile::new().unwrap();
    let options = Options { script, record: Some(record.path().to_owned()), ..Options::default() };
    // One suggestion for each request: of several, the later ones may be requested after the next key.
    let mut capabilities = capabilities("utf-16");
    capabilities["experimental"] = json!({ "tandem": { "candidates": 1 } });
    let setup = Setup { simulator: Some(options), capabilities, ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    let uri = "file:///no-such-folder/a.txt";
    editor.open(uri, "plaintext", "v");
    let mut expected = Vec::new();
    let mut column = 1;
    for number in 1..=CHANGES {
        let letter = char::from(b'a' + u8::try_from(number % 26).unwrap()).to_string();
        editor.change(uri, i32::try_from(number + 1).unwrap(), [0, column, 0, column], &letter);
        column += 1;
        if number % EVERY == 0 {
            let mut params = complete_params(uri, 0, column);
            params["context"]["triggerKind"] = json!(1);
            let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
            assert_eq!(items[0]["insertText"], "seen");
            expected.push(format!("{letter}<|cursor|>"));
        }
    }
    let frames = std::fs::read_to_string(record.path()).unwrap();
    let prompts: Vec<&str> = frames.lines().filter(|frame| frame.contains("<|code|>")).collect();
    assert_eq!(prompts.len(), expected.len());
    for (prompt, expected) in prompts.iter().zip(&expected) {
        assert!(prompt.contains(expected), "{prompt} lacks {expected}");
    }
    editor.finish().await;
}

/// Six hundred requests wait for a slow model; a change and the request after it are handled at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_requests_delay_no_keystroke() {
    let options = Options { ttft: Duration::from_secs(3_600), ..Options::default() };
    let mut editor = Editor::with(Setup { simulator: Some(options), ..Setup::default() }).await;
    for number in 0..600 {
        let uri = format!("file:///no-such-folder/{number}.rs");
        editor.open(&uri, "rust", "fn main() {}\n");
        editor.driver.ask("textDocument/inlineCompletion", complete_params(&uri, 0, 11));
    }
    let uri = "file:///no-such-folder/typed.rs";
    editor.open(uri, "rust", "// ai: rename a to b\nlet a = 1;\n");
    editor.change(uri, 2, [0, 0, 0, 0], "\n\n");
    let at = json!({ "line": 3, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] },
    });
    let offered = editor.driver.request("textDocument/codeAction", params).await.unwrap();
    assert_eq!(offered[0]["data"]["version"], 2, "the change is seen while 600 requests wait");
    let answered = editor.driver.take_unread().iter().filter(|it| it.get("result").is_some()).count();
    assert!(answered < 600, "the requests did not wait");
    drop(editor);
}
