//! Whatever input arrives, the server survives, every request gets one answer, and no message is repeated.

use serde_json::{Value, json};
use tandem::simulate::{Fault, Options};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use crate::support::{Editor, Setup, complete_params, uri};

const URI: &str = "file:///no-such-folder/a.rs";
const TEXT: &str = "    self.width = width;\n    self.height = \n";

/// Asserts that the server still answers correctly.
async fn assert_alive(editor: &mut Editor) {
    let uri = "file:///no-such-folder/alive.rs";
    editor.open(uri, "rust", "// ai: rename a to b\nlet a = 1;\n");
    let at = json!({ "line": 1, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] },
    });
    let offered = editor.driver.request("textDocument/codeAction", params).await.unwrap();
    assert_eq!(offered.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn messages_that_are_none_are_answered_and_passed_over() {
    let mut editor = Editor::start().await;
    for (body, code, id) in [
        ("{\"jsonrpc\": \"2.0\", \"id\": 1, ", -32700, Value::Null),
        ("\u{0}\u{1}", -32700, Value::Null),
        ("", -32700, Value::Null),
        ("[1, 2, 3]", -32600, Value::Null),
        ("{\"jsonrpc\": \"2.0\", \"id\": 77}", -32600, json!(77)),
        ("\"hello\"", -32600, Value::Null),
    ] {
        editor.driver.send_raw(body.as_bytes());
        let error = loop {
            let unread = editor.driver.take_unread();
            if let Some(message) = unread.into_iter().next() {
                break message;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!((&error["error"]["code"], &error["id"]), (&json!(code), &id), "{body:?}: {error}");
    }
    assert_alive(&mut editor).await;
    editor.finish().await;
}

#[tokio::test]
async fn parameters_may_be_left_out_where_none_is_needed() {
    let mut editor = Editor::start().await;
    for (method, answered) in [("tandem/status", "result"), ("tandem/nextEdit", "error")] {
        let message = json!({ "jsonrpc": "2.0", "id": method, "method": method });
        editor.driver.send_raw(message.to_string().as_bytes());
        let answer = loop {
            match editor.driver.take_unread().pop() {
                Some(message) if message["id"] == method => break message,
                _ => tokio::task::yield_now().await,
            }
        };
        assert!(answer[answered].is_object(), "{answer}");
    }
    editor.finish().await;
}

#[tokio::test]
async fn unknown_methods_and_wrong_params_get_one_error_each() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", TEXT);
    for (method, params, code) in [
        ("textDocument/hover", json!({}), -32601),
        ("tandem/noSuchThing", Value::Null, -32601),
        ("$/noSuchThing", json!({}), -32601),
        ("textDocument/inlineCompletion", json!({ "textDocument": 1 }), -32602),
        ("textDocument/inlineCompletion", Value::Null, -32602),
        ("textDocument/codeAction", json!({ "range": [] }), -32602),
        ("codeAction/resolve", json!({ "title": "t", "data": { "from": "another server" } }), -32602),
        ("workspace/executeCommand", json!({ "command": "rm" }), -32602),
        ("workspace/executeCommand", json!({ "command": "tandem.rewrite" }), -32602),
        ("workspace/executeCommand", json!({ "command": "tandem.accept", "arguments": ["x"] }), -32602),
    ] {
        let id = editor.driver.ask(method, params.clone());
        let answer = editor.driver.answer(id).await.unwrap();
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
    editor.driver.notify("tandem/noSuchNotification", json!({}));
    editor.driver.notify("$/setTrace", json!({ "value": "off" }));
    assert_alive(&mut editor).await;
    editor.finish().await;
}

#[tokio::test]
async fn acceptances_of_unknown_items_do_nothing() {
    let mut editor = Editor::start().await;
    let command = json!({ "command": "tandem.accept", "arguments": [123_456] });
    assert_eq!(editor.driver.request("workspace/executeCommand", command).await.unwrap(), Value::Null);
    editor.finish().await;
}

#[tokio::test]
async fn positions_past_the_end_mean_the_end() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", "let a = 1;\nlet b = ");
    for (line, column) in [(0, 4_000_000_000), (9, 0), (u32::MAX, u32::MAX)] {
        let items = editor.complete(URI, line, column).await;
        assert!(items.is_array(), "{items}");
    }
    assert_alive(&mut editor).await;
    editor.finish().await;
}

#[tokio::test]
async fn absurd_lines_and_reversed_ranges_are_as_good_as_others() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", TEXT);
    editor.complete(URI, u32::MAX, 0).await;
    let why = json!({ "command": "tandem.why" });
    let why = editor.driver.request("workspace/executeCommand", why).await.unwrap();
    assert!(why["text"].as_str().unwrap().contains("a.rs:4294967296, completion"), "{why}");
    // Of a version before the first line was deleted.
    editor.change(URI, 2, [0, 0, 1, 0], "");
    let far = json!({ "line": u32::MAX, "character": u32::MAX });
    let problem = json!({
        "range": { "start": { "line": 1, "character": 9 }, "end": { "line": 0, "character": 0 } },
        "message": "odd",
        "relatedInformation": [{ "location": { "uri": URI, "range": { "start": far, "end": far } }, "message": "odd" }],
    });
    editor.driver.notify("tandem/diagnostics", json!({ "uri": URI, "version": 1, "diagnostics": [problem] }));
    let context = json!({ "diagnostics": [problem] });
    let params = json!({ "textDocument": { "uri": URI }, "range": range(), "context": context });
    let actions = editor.driver.request("textDocument/codeAction", params).await.unwrap();
    assert_eq!(actions[0]["title"], "Tandem: fix “odd”");
    assert_alive(&mut editor).await;
    editor.finish().await;
}

#[tokio::test]
async fn a_file_that_is_not_open_has_no_answer_and_no_pop_up() {
    let mut editor = Editor::start().await;
    assert_eq!(editor.complete(URI, 0, 0).await, json!([]));
    editor.change(URI, 2, [0, 0, 0, 0], "x");
    editor.driver.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    let log = editor.driver.expect("window/logMessage").await.unwrap();
    assert_eq!(log["params"]["message"], "file:///no-such-folder/a.rs was changed, but it is not open here");
    let arguments = json!([{ "textDocument": { "uri": URI }, "range": range(), "instruction": "x" }]);
    let id = editor
        .driver
        .ask("workspace/executeCommand", json!({ "command": "tandem.rewrite", "arguments": arguments }));
    let error = editor.driver.answer(id).await.unwrap()["error"].clone();
    assert_eq!(error["message"], "Tandem: the file is not open; open it and try again");
    editor.finish().await;
}

fn range() -> Value {
    json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } })
}

#[tokio::test]
async fn losing_a_file_is_said_once_and_its_whole_text_brings_it_back() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", TEXT);
    editor.change(URI, 2, [99, 0, 99, 0], "x");
    let said = editor.driver.expect("window/showMessage").await.unwrap();
    assert_eq!(
        said["params"]["message"],
        "Tandem lost track of file:///no-such-folder/a.rs (a change is at line 99, but the text has 3 lines); \
         close and open the file again to go on with it"
    );
    editor.change(URI, 3, [0, 0, 0, 0], "y");
    assert_eq!(editor.complete(URI, 1, 18).await, json!([]));
    let whole = json!({ "textDocument": { "uri": URI, "version": 4 }, "contentChanges": [{ "text": TEXT }] });
    editor.driver.notify("textDocument/didChange", whole);
    assert_eq!(editor.complete(URI, 1, 18).await[0]["insertText"], "height;");
    editor.finish().await;
}

#[tokio::test]
async fn a_change_that_cannot_be_read_loses_the_file() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", TEXT);
    let broken = json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": [{ "text": 1 }] });
    editor.driver.notify("textDocument/didChange", broken);
    editor.driver.expect("window/logMessage").await.unwrap();
    editor.driver.expect("window/showMessage").await.unwrap();
    assert_eq!(editor.complete(URI, 1, 18).await, json!([]));
    editor.finish().await;
}

#[tokio::test]
async fn a_change_that_is_no_json_loses_every_file() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", TEXT);
    // Half a surrogate pair: some editors send it, though it is not valid text.
    let body = r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///no-such-folder/a.rs",
        "version":2},"contentChanges":[{"text":"\ud83d"}]}}"#;
    editor.driver.send_raw(body.as_bytes());
    let said = editor.driver.expect("window/showMessage").await.unwrap();
    let message = said["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("lost track of file:///no-such-folder/a.rs (a change could not be read)"),
        "{message}"
    );
    assert_eq!(editor.driver.take_unread()[0]["error"]["code"], -32700);
    assert_eq!(editor.complete(URI, 1, 18).await, json!([]));
    editor.finish().await;
}

#[tokio::test]
async fn a_file_that_is_opened_again_may_be_lost_again() {
    let mut editor = Editor::start().await;
    for _ in 0..2 {
        editor.open(URI, "rust", TEXT);
        editor.change(URI, 2, [99, 0, 99, 0], "x");
        editor.driver.expect("window/showMessage").await.unwrap();
        editor.driver.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    }
    editor.finish().await;
}

#[tokio::test]
async fn a_large_file_is_declined_with_one_message() {
    let options = json!({ "max_file_bytes": 10 });
    let mut editor = Editor::with(Setup { options, ..Setup::default() }).await;
    editor.open_only(URI, "rust", TEXT);
    editor.change(URI, 2, [0, 0, 0, 0], "x");
    let said = editor.driver.expect("window/showMessage").await.unwrap();
    let expected = "Tandem does not follow file:///no-such-folder/a.rs: it has 43 bytes; raise `max_file_bytes` (10) to work in it";
    assert_eq!(said["params"]["message"], expected);
    assert_eq!(editor.complete(URI, 1, 18).await, json!([]));
    editor.finish().await;
}

/// Sends two requests to a model with this fault: expects ghost text from the local engine if the model is excluded,
/// else none; and one message.
async fn check_fault(setup: Setup, is_local: bool, message: &str) {
    let mut editor = Editor::with(setup).await;
    editor.open(URI, "rust", TEXT);
    for _ in 0..2 {
        let items = editor.complete(URI, 1, 18).await;
        let text = items[0]["insertText"].as_str();
        assert_eq!(text, is_local.then_some("height;"));
    }
    let said = editor.driver.expect("window/showMessage").await.unwrap();
    let words = said["params"]["message"].as_str().unwrap();
    assert!(words.contains(message), "{words}");
    assert_alive(&mut editor).await;
    editor.finish().await;
}

fn with_fault(fault: Fault) -> Setup {
    Setup { simulator: Some(Options { faults: vec![fault], ..Options::default() }), ..Setup::default() }
}

#[tokio::test]
async fn a_socket_that_refuses() {
    check_fault(with_fault(Fault::Refuse401), true, "test refused (status 401)").await;
    check_fault(with_fault(Fault::Refuse503), true, "test failed (status 503)").await;
    let closed_port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    let setup =
        Setup { simulator: None, base_url: Some(format!("http://{closed_port}/v1")), ..Setup::default() };
    check_fault(setup, true, "test cannot be reached at http://127.0.0.1").await;
}

#[tokio::test]
async fn a_server_that_is_no_web_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            socket.write_all(b"220 mail.example ESMTP\r\n").await.unwrap();
        }
    });
    let setup = Setup { simulator: None, base_url: Some(format!("http://{address}/v1")), ..Setup::default() };
    check_fault(setup, true, "test cannot be reached").await;
}

#[tokio::test]
async fn a_socket_that_closes_in_the_middle() {
    check_fault(
        with_fault(Fault::CloseMidStream),
        false,
        "closed the connection before its answer was complete",
    )
    .await;
}

#[tokio::test]
async fn a_socket_that_never_answers_is_given_up() {
    let mut editor = Editor::with(with_fault(Fault::Hang)).await;
    editor.open(URI, "rust", TEXT);
    assert_eq!(editor.complete(URI, 1, 18).await, json!([]), "after the deadline");
    let said = editor.driver.expect("window/showMessage").await.unwrap();
    let expected = "Tandem: no ghost text for now: the model did not answer in time; try again";
    assert_eq!(said["params"]["message"], expected);
    assert_alive(&mut editor).await;
    editor.finish().await;
}

#[tokio::test]
async fn unknown_events_are_passed_over() {
    let mut editor = Editor::with(with_fault(Fault::UnknownEvents)).await;
    editor.open(URI, "rust", TEXT);
    assert_eq!(editor.complete(URI, 1, 18).await[0]["insertText"], "height;");
    editor.finish().await;
}

#[tokio::test]
async fn an_editor_that_floods_gets_one_answer_each() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", TEXT);
    let params = complete_params(URI, 1, 18);
    let asked: Vec<i64> =
        (0..2_000).map(|_| editor.driver.ask("textDocument/inlineCompletion", params.clone())).collect();
    for id in asked {
        let answer = editor.driver.answer(id).await.unwrap();
        assert!(answer["result"].is_array(), "{answer}");
    }
    editor.finish().await;
}

#[tokio::test]
async fn reports_about_unknown_suggestions_change_nothing() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", TEXT);
    for method in ["tandem/didShow", "textDocument/didShowCompletion", "textDocument/didShowInlineEdit"] {
        editor.driver.notify(method, json!({ "item": 99 }));
        editor.driver.notify(method, json!({ "item": { "command": { "arguments": [99] } } }));
    }
    editor
        .driver
        .notify("tandem/didPartiallyAccept", json!({ "item": 99, "acceptedLength": 4_000_000_000_u64 }));
    let reject = json!({ "command": "tandem.reject", "arguments": [99] });
    assert_eq!(editor.driver.request("workspace/executeCommand", reject).await.unwrap(), Value::Null);
    assert_eq!(editor.complete(URI, 1, 18).await[0]["insertText"], "height;");
    editor.finish().await;
}

/// A thousand requests without a cancel, a version or a pause, half of them past the end, get one answer each, and
/// the model is asked only a few times.
#[tokio::test]
async fn a_flood_of_requests_gets_one_answer_each() {
    let mut editor = Editor::start().await;
    editor.open(URI, "rust", TEXT);
    let asked: Vec<i64> = (0..1_000)
        .map(|number| {
            let (line, column) = if number % 2 == 0 { (1, 18) } else { (4_000_000_000, 4_000_000_000) };
            editor.driver.ask("textDocument/inlineCompletion", complete_params(URI, line, column))
        })
        .collect();
    let last = editor.complete(URI, 1, 18).await;
    assert_eq!(last[0]["insertText"], "height;");
    for id in asked {
        assert!(editor.driver.answer(id).await.unwrap()["result"].is_array());
    }
    assert!(editor.model_requests() <= 8, "{} calls", editor.model_requests());
    editor.finish().await;
}

#[tokio::test]
async fn what_a_walk_cannot_read_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    std::fs::write(root.join("broken.rs"), [0xff, 0xfe]).unwrap();
    std::fs::write(root.join("whole.rs"), "fn whole_and_well() {}\n").unwrap();
    let setup = Setup { simulator: None, workspace: root.clone(), ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    let said = editor.driver.expect("window/logMessage").await.unwrap();
    let expected =
        "Tandem knows 1 files of the workspace, and not the rest: 1 files or folders cannot be read";
    assert_eq!(said["params"]["message"], expected);
    // Changed ignore rules cause a new walk.
    let changes = json!([{ "uri": uri(&root.join(".gitignore")), "type": 2 }]);
    editor.driver.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    let about = json!({ "command": "tandem.ask", "arguments": [{ "question": "whole", "quiet": true }] });
    while editor.driver.request("workspace/executeCommand", about.clone()).await.unwrap()["answers"]
        == json!([])
    {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    // Unread messages would fail this.
    editor.finish().await;
}
