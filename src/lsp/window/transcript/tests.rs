//! What a window sends to a new server, and what it answers by itself.

use super::*;

fn request(id: i64, method: &str) -> Vec<u8> {
    message(json!({ "id": id, "method": method, "params": {} }))
}

fn answer(id: impl Into<Value>, result: Value) -> Vec<u8> {
    message(json!({ "id": id.into(), "result": result }))
}

fn notification(method: &str, params: Value) -> Vec<u8> {
    message(json!({ "method": method, "params": params }))
}

/// A session after its handshake.
fn session() -> Transcript {
    let mut transcript = Transcript::default();
    assert!(transcript.pass_to_server(request(0, "initialize")).is_some());
    transcript.pass_to_editor(answer(0, json!({ "capabilities": { "positionEncoding": "utf-8" } })));
    assert!(transcript.pass_to_server(notification("initialized", json!({}))).is_some());
    transcript
}

fn read(messages: &[Vec<u8>]) -> Vec<Value> {
    messages.iter().map(|it| serde_json::from_slice(it).unwrap()).collect()
}

fn methods(messages: &[Vec<u8>]) -> Vec<String> {
    read(messages).iter().map(|it| it["method"].as_str().unwrap().to_owned()).collect()
}

/// The first messages to a new server, after its handshake; the loss leaves these errors behind.
fn replay<const N: usize>(transcript: &mut Transcript, left: [(i64, i64); N]) -> Vec<Vec<u8>> {
    let lost = transcript.lost();
    assert_eq!(errors(&lost), left);
    assert_eq!(read(&lost.to_server)[0]["id"], REPLAYED);
    assert!(transcript.is_replaying);
    let passed = transcript.pass_to_editor(answer(REPLAYED, json!({})));
    assert_eq!(passed.to_editor, Vec::<Vec<u8>>::new(), "the editor has its answer");
    assert!(!transcript.is_replaying);
    passed.to_server
}

#[test]
fn a_new_server_gets_what_is_open_and_not_what_was_closed() {
    let mut transcript = session();
    let open =
        |uri: &str| json!({ "textDocument": { "uri": uri, "languageId": "c", "version": 1, "text": "" } });
    let notebook = json!({ "notebookDocument": { "uri": "n" } });
    for (method, params) in [
        ("tandem/didFocus", open("a")),
        ("textDocument/didOpen", open("a")),
        ("textDocument/didOpen", open("b")),
        ("tandem/diagnostics", json!({ "uri": "b", "diagnostics": [] })),
        ("tandem/diagnostics", json!({ "uri": "a", "diagnostics": [] })),
        ("textDocument/didClose", open("b")),
        ("workspace/didChangeConfiguration", json!({ "settings": 1 })),
        ("workspace/didChangeConfiguration", json!({ "settings": 2 })),
        ("workspace/didChangeWorkspaceFolders", json!({ "event": {} })),
        ("notebookDocument/didOpen", notebook.clone()),
        ("notebookDocument/didChange", notebook),
        ("textDocument/didSave", open("a")),
    ] {
        transcript.pass_to_server(notification(method, params));
    }
    let replayed = replay(&mut transcript, []);
    assert_eq!(
        methods(&replayed),
        [
            "initialized",
            "workspace/didChangeConfiguration",
            "workspace/didChangeWorkspaceFolders",
            "textDocument/didOpen",
            "notebookDocument/didOpen",
            "notebookDocument/didChange",
            "tandem/diagnostics",
            "tandem/didFocus",
        ]
    );
    assert_eq!(read(&replayed)[1]["params"]["settings"], 2);
}

/// The errors that a lost server leaves behind: the request, and the code.
fn errors(lost: &Passed) -> Vec<(i64, i64)> {
    let answers = read(&lost.to_editor).into_iter().filter(|it| it.get("error").is_some());
    let mut errors: Vec<_> =
        answers.map(|it| (it["id"].as_i64().unwrap(), it["error"]["code"].as_i64().unwrap())).collect();
    errors.sort_unstable();
    errors
}

#[test]
fn requests_without_an_answer_are_repeated_once_unless_they_may_have_had_an_effect() {
    let mut transcript = session();
    for (id, method) in
        [(1, "textDocument/inlineCompletion"), (3, "textDocument/codeAction"), (4, "tandem/nextEdit")]
    {
        transcript.pass_to_server(request(id, method));
    }
    transcript.pass_to_server(request(2, COMMAND));
    transcript.pass_to_editor(answer(3, json!([])));
    transcript.pass_to_editor(request(1, "workspace/applyEdit"));
    transcript.pass_to_server(request(5, COMMAND));
    transcript.pass_to_server(notification("$/cancelRequest", json!({ "id": 4 })));
    let mut again = replay(&mut transcript, [(2, -32603), (4, -32800)]);
    again[1..].sort();
    assert_eq!(methods(&again), ["initialized", "textDocument/inlineCompletion", COMMAND]);
    assert_eq!(errors(&transcript.lost()), [(1, -32603), (5, -32603)], "one of them may end each server");
}

#[test]
fn repeated_command_goes_on_with_its_progress_unless_it_was_cancelled() {
    let command = |id: i64, token: &str| {
        message(json!({ "id": id, "method": COMMAND, "params": { "workDoneToken": token } }))
    };
    let progress = |token: &str, kind: &str| {
        notification("$/progress", json!({ "token": token, "value": { "kind": kind } }))
    };
    let mut transcript = session();
    for (id, token) in [(1, "a"), (2, "b")] {
        transcript.pass_to_server(command(id, token));
        transcript.pass_to_editor(progress(token, "begin"));
    }
    transcript.pass_to_server(notification("window/workDoneProgress/cancel", json!({ "token": "b" })));
    let lost = transcript.lost();
    assert_eq!(errors(&lost), [(2, -32800)]);
    assert_eq!(read(&lost.to_editor)[1], read(&[progress("b", "end")])[0]);
    transcript.pass_to_editor(answer(REPLAYED, json!({})));
    let shown = ["begin", "end"].map(|kind| transcript.pass_to_editor(progress("a", kind)).to_editor);
    assert_eq!(read(&shown.concat()), read(&[progress("a", "report"), progress("a", "end")]));
}

#[test]
fn new_server_gets_the_state_of_the_session_that_the_lost_one_reported() {
    let mut transcript = session();
    for number in [1, 2] {
        let state = notification(SESSION_STATE, json!({ "suggestion": number }));
        assert_eq!(transcript.pass_to_editor(state), Passed::default(), "it is nothing to the editor");
    }
    let resumed = &read(&transcript.lost().to_server)[0];
    assert_eq!(
        resumed["params"],
        json!({ "capabilities": { "experimental": { "tandem": { "session": { "suggestion": 2 } } } } })
    );
}

#[test]
fn files_are_opened_in_the_order_of_their_last_changes() {
    let mut transcript = session();
    for uri in ["a", "b", "c"] {
        let item = json!({ "uri": uri, "languageId": "c", "version": 1, "text": "" });
        transcript.pass_to_server(notification("textDocument/didOpen", json!({ "textDocument": item })));
    }
    for uri in ["c", "b", "c", "a"] {
        let params = json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [] });
        transcript.pass_to_server(notification("textDocument/didChange", params));
    }
    let opened: Vec<_> = read(&replay(&mut transcript, []))
        .iter()
        .filter(|it| it["method"] == "textDocument/didOpen")
        .map(|it| it["params"]["textDocument"]["uri"].clone())
        .collect();
    assert_eq!(opened, ["b", "c", "a"]);
}

#[test]
fn a_handshake_without_an_answer_is_made_again() {
    let mut transcript = Transcript::default();
    let initialize = request(0, "initialize");
    transcript.pass_to_server(initialize.clone());
    assert_eq!(transcript.lost(), Passed { to_server: vec![initialize], ..Passed::default() });
    assert!(!transcript.is_replaying);
    let answered = transcript.pass_to_editor(answer(0, json!({})));
    assert_eq!(answered.to_editor.len(), 1);
}

#[test]
fn answers_reach_the_server_that_asked() {
    let mut transcript = session();
    transcript.pass_to_editor(request(7, "workspace/configuration"));
    replay(&mut transcript, []);
    assert_eq!(transcript.pass_to_server(answer(7, json!([]))), None, "the lost one asked");
    let passed = transcript.pass_to_editor(request(7, "workspace/applyEdit"));
    let shown = read(&passed.to_editor)[0]["id"].clone();
    assert_ne!(shown, 7, "the editor may still answer the first one");
    let passed = transcript.pass_to_server(answer(shown, json!({ "applied": true }))).unwrap();
    assert_eq!(read(&[passed])[0], json!({ "jsonrpc": "2.0", "id": 7, "result": { "applied": true } }));
}

#[test]
fn what_the_editor_was_told_ends_with_the_server() {
    let mut transcript = session();
    let progress = |token: &str, kind: &str| {
        notification("$/progress", json!({ "token": token, "value": { "kind": kind } }))
    };
    for (token, kind) in [("a", "begin"), ("b", "begin"), ("a", "report"), ("b", "end")] {
        transcript.pass_to_editor(progress(token, kind));
    }
    assert_eq!(read(&transcript.lost().to_editor), read(&[progress("a", "end")]));
    let registered = transcript.pass_to_editor(request(1, "client/registerCapability"));
    assert_eq!(registered.to_editor, Vec::<Vec<u8>>::new(), "it has these already");
    assert_eq!(registered.to_server, [answer(1, Value::Null)]);
}

#[test]
fn a_session_that_shuts_down_ends_well_without_its_server() {
    let mut transcript = session();
    transcript.pass_to_server(request(1, "shutdown"));
    let lost = transcript.lost();
    assert_eq!(lost.to_editor, [answer(1, Value::Null)]);
    assert_eq!(transcript.ended(), Ended::Abandoned);
    transcript.pass_to_server(notification("exit", json!({})));
    assert_eq!(transcript.ended(), Ended::Exit);
}

#[test]
fn session_of_an_editor_that_has_gone_is_not_continued() {
    let mut transcript = session();
    transcript.pass_to_editor(notification(SESSION_ENDED, json!({})));
    assert!(transcript.has_exited);
    assert_eq!(transcript.ended(), Ended::Abandoned);
}

#[test]
fn answer_to_a_probe_is_not_passed_on() {
    let mut transcript = session();
    let asked: Value = serde_json::from_slice(&probe()).unwrap();
    assert_eq!(transcript.pass_to_editor(answer(asked["id"].clone(), Value::Null)), Passed::default());
}
