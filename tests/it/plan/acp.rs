//! `tandem acp` as an editor uses it: prompts, progress, permission, and the resulting files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::EIGHT;
use super::fixture::{Fixture, without_figures};

/// The editor's response to a request for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    Allows,
    /// Changes `a.py` first.
    ChangesAndAllows,
    Refuses,
    /// Picks this option for every question.
    Picks(&'static str),
    /// Cancels the turn instead of answering.
    Cancels,
    /// Cancels the turn after this many messages, and never grants permission.
    CancelsAfter(usize),
    /// Cancels the prompt's request instead of answering.
    CancelsRequest,
}

/// An editor with a session in a fixture's project.
pub(super) struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
    session: Value,
    /// The editor's texts of open files; it supports reading files if this is not empty.
    open: BTreeMap<String, String>,
    root: String,
}

/// The answer to a prompt, and the updates before it.
#[derive(Default)]
pub(super) struct Turn {
    answer: Value,
    said: String,
    /// The last state of the plan's entries.
    entries: Vec<Value>,
    /// Calls by their ids: title, kind, each status, and the paths of the diffs.
    calls: BTreeMap<String, (String, Vec<String>)>,
    permission: Value,
    /// The questions, up to the question mark.
    questions: Vec<String>,
    messages: usize,
}

impl Editor {
    pub(super) fn start(fixture: &Fixture, arguments: &[&str], open: &[(&str, &str)]) -> Self {
        let mut command = fixture.program(&[&["acp"], arguments].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let root = fs::canonicalize(fixture.root()).unwrap().display().to_string();
        let open = open.iter().map(|(path, text)| (format!("{root}/{path}"), (*text).to_owned())).collect();
        let output = BufReader::new(output);
        let mut editor = Self { child, input, output, asked: 0, session: Value::Null, open, root };
        let able = json!({ "fs": { "readTextFile": !editor.open.is_empty() } });
        let greeting =
            editor.request("initialize", json!({ "protocolVersion": 1, "clientCapabilities": able }));
        assert_eq!(greeting["result"]["protocolVersion"], 1, "{greeting}");
        let opened = editor.request("session/new", json!({ "cwd": editor.root, "mcpServers": [] }));
        editor.session = opened["result"]["sessionId"].clone();
        assert!(editor.session.is_string(), "{opened}");
        editor
    }

    fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        self.asked
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request, and handles the messages before its answer.
    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer_to(id)
    }

    /// Handles the messages before the answer to a request.
    fn answer_to(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
        }
    }

    /// Sends a prompt; returns the request's id.
    fn ask_prompt(&mut self, blocks: Value) -> u64 {
        self.ask("session/prompt", json!({ "sessionId": self.session, "prompt": blocks }))
    }

    fn cancel(&mut self) {
        let params = json!({ "sessionId": self.session });
        self.send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params }));
    }

    pub(super) fn prompt(&mut self, text: &str, user: User) -> Turn {
        self.prompt_of(words(text), user)
    }

    fn prompt_of(&mut self, blocks: Value, user: User) -> Turn {
        let id = self.ask_prompt(blocks);
        let mut turn = Turn::default();
        loop {
            if user == User::CancelsAfter(turn.messages) {
                self.cancel();
            }
            let message = self.receive();
            turn.messages += 1;
            match message["method"].as_str() {
                None => {
                    assert_eq!(message["id"], id, "{message}");
                    turn.answer = message;
                    return turn;
                }
                Some("session/update") => turn.take(&message["params"]["update"], &self.root),
                Some("session/request_permission") => {
                    turn.permission = message["params"].clone();
                    let title = message["params"]["toolCall"]["title"].as_str().unwrap();
                    turn.questions.push(title.split('?').next().unwrap().to_owned());
                    if user == User::ChangesAndAllows {
                        fs::write(format!("{}/a.py", self.root), "mine = 1\n").unwrap();
                    }
                    let outcome = match user {
                        User::Allows | User::ChangesAndAllows => {
                            json!({ "outcome": "selected", "optionId": "allow" })
                        }
                        User::Refuses => json!({ "outcome": "selected", "optionId": "reject" }),
                        User::Picks(option) => json!({ "outcome": "selected", "optionId": option }),
                        User::CancelsRequest => {
                            let params = json!({ "requestId": id });
                            self.send(
                                &json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": params }),
                            );
                            json!({ "outcome": "cancelled" })
                        }
                        User::Cancels | User::CancelsAfter(_) => {
                            self.cancel();
                            json!({ "outcome": "cancelled" })
                        }
                    };
                    let result = json!({ "outcome": outcome });
                    self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
                }
                Some("fs/read_text_file") => {
                    let text = self.open.get(message["params"]["path"].as_str().unwrap());
                    let mut answer = json!({ "jsonrpc": "2.0", "id": message["id"] });
                    match text {
                        Some(text) => answer["result"] = json!({ "content": text }),
                        None => answer["error"] = json!({ "code": -32002, "message": "it is not open" }),
                    }
                    self.send(&answer);
                }
                Some(other) => panic!("unexpected {other}"),
            }
        }
    }

    /// Closes the connection; the agent must then exit.
    pub(super) fn leave(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

/// A prompt of text alone.
fn words(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

impl Turn {
    fn take(&mut self, update: &Value, root: &str) {
        match update["sessionUpdate"].as_str().unwrap() {
            "agent_message_chunk" => self.said.push_str(update["content"]["text"].as_str().unwrap()),
            "plan" => self.entries = update["entries"].as_array().unwrap().clone(),
            "tool_call" => {
                let id = update["toolCallId"].as_str().unwrap().to_owned();
                let head =
                    format!("{} ({})", update["title"].as_str().unwrap(), update["kind"].as_str().unwrap());
                let status = vec![update["status"].as_str().unwrap().to_owned()];
                assert!(self.calls.insert(id, (head, status)).is_none(), "a call begins once: {update}");
            }
            "tool_call_update" => {
                let (_, told) = self.calls.get_mut(update["toolCallId"].as_str().unwrap()).unwrap();
                for content in update["content"].as_array().into_iter().flatten() {
                    told.push(match content["path"].as_str() {
                        Some(path) => format!("diff {}", path.strip_prefix(root).unwrap()),
                        None => format!("{:?}", content["content"]["text"].as_str().unwrap()),
                    });
                }
                told.extend(update["status"].as_str().map(str::to_owned));
            }
            "available_commands_update" | "agent_thought_chunk" => {}
            other => panic!("unexpected {other}"),
        }
    }

    /// The end of the turn, without messages: the reason, the plan and the calls.
    fn shown(&self) -> String {
        let mut shown = self.ended();
        for entry in &self.entries {
            shown.push_str(&format!(
                "[{}] {}\n",
                entry["status"].as_str().unwrap(),
                entry["content"].as_str().unwrap()
            ));
        }
        for (id, (head, told)) in &self.calls {
            shown.push_str(&format!("{id}: {head}: {}\n", told.join(", ")));
        }
        shown
    }

    /// The end of the turn: the reason, or the error.
    pub(super) fn ended(&self) -> String {
        match self.answer["result"]["stopReason"].as_str() {
            Some(reason) => format!("{reason}\n"),
            None => format!("error: {}\n", self.answer["error"]["message"].as_str().unwrap()),
        }
    }

    /// The messages, with the parts that vary between runs masked.
    pub(super) fn said(&self) -> String {
        let said = self.said.replace("* ", "tandem: ");
        without_figures(&said).replace("tandem: ", "* ")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_files_are_shown_and_written_where_the_user_allows_it() {
    let (fixture, terminal) = (Fixture::new(EIGHT).await, Fixture::new(EIGHT).await);
    terminal.run(&["prices with tax", "--write"]).await;
    let mut editor = Editor::start(&fixture, &[], &[]);
    let turn = editor.prompt("prices with tax", User::Allows);
    expect![[r#"
        end_turn
        [completed] create `shop/tax.py`: Define `with_tax(cents, rate=19)`, which returns the cents with tax, rounded.
        [completed] edit `shop/price.py`: Let `price_of(item)` return the price with tax, by `shop.tax.with_tax`.
        [completed] rename `shop/util.py` to `shop/money.py`: Add a docstring to `to_money`.
        [completed] edit `shop/cart.py`: Import `to_money` from `shop.money`.
        [completed] edit `shop/receipt.py`: Import `to_money` from `shop.money`.
        [completed] delete `shop/old_discount.py`
        [completed] edit `tests/test_cart.py`: The total is 917 cents now.
        [completed] edit `README.md`: Say that tax is included.
        1-step-1: create `shop/tax.py` (edit): in_progress, diff /shop/tax.py, completed
        1-step-2: edit `shop/price.py` (edit): in_progress, diff /shop/price.py, completed
        1-step-3: rename `shop/util.py` to `shop/money.py` (move): in_progress, diff /shop/money.py, diff /shop/util.py, completed
        1-step-4: edit `shop/cart.py` (edit): in_progress, diff /shop/cart.py, completed
        1-step-5: edit `shop/receipt.py` (edit): in_progress, diff /shop/receipt.py, completed
        1-step-6: delete `shop/old_discount.py` (delete): in_progress, diff /shop/old_discount.py, completed
        1-step-7: edit `tests/test_cart.py` (edit): in_progress, diff /tests/test_cart.py, completed
        1-step-8: edit `README.md` (edit): in_progress, diff /README.md, completed
        1-write: Write 8 changes: edit `README.md`, edit `shop/cart.py`, delete `shop/old_discount.py`, edit `shop/price.py`, edit `shop/receipt.py`, create `shop/tax.py`, rename `shop/util.py` to `shop/money.py`, edit `tests/test_cart.py` (edit): pending, completed
    "#]].assert_eq(&turn.shown());
    expect![[r#"
        Planned by deep-model (deep: it plans for several files).

        * the tests run with `python -m pytest tests/test_cart.py`
        * 8 files, 12 lines added, 9 removed
        * deep: 2 requests, …
        * fast: 6 requests, …
        * … s

        8 files written.

    "#]]
    .assert_eq(&turn.said());
    let diffs = turn.permission["toolCall"]["content"].as_array().unwrap();
    assert_eq!(diffs.len(), 9, "{}", turn.permission);
    let created = &diffs.iter().find(|it| it["oldText"].is_null()).unwrap();
    assert!(created["newText"].as_str().unwrap().contains("def"), "{created}");
    let kinds: Vec<&str> = turn.permission["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["allow_once", "reject_once"]);
    assert_eq!(fixture.contents(), terminal.contents(), "what the terminal's form writes");
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_where_the_user_refuses_or_cancels() {
    let (fixture, mut editor) = started(EIGHT).await;
    let before = fixture.contents();
    let mut shown = String::new();
    for user in [User::Refuses, User::Cancels, User::CancelsRequest] {
        let turn = editor.prompt("prices with tax", user);
        let is_said = turn.said.contains("Nothing was written.");
        let unwritten = turn.calls.values().filter(|(_, told)| told.last().unwrap() == "failed").count();
        shown.push_str(&format!(
            "{user:?}: {}said: {is_said}, {unwritten} of {} calls failed\n",
            turn.ended(),
            turn.calls.len()
        ));
        assert_eq!(fixture.contents(), before);
    }
    expect![[r#"
        Refuses: end_turn
        said: true, 9 of 9 calls failed
        Cancels: cancelled
        said: false, 9 of 9 calls failed
        CancelsRequest: cancelled
        said: false, 9 of 9 calls failed
    "#]]
    .assert_eq(&shown);
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn turn_that_is_cancelled_at_any_message_changes_nothing() {
    let (fixture, mut editor) = started(EIGHT).await;
    let before = fixture.contents();
    for at in 0.. {
        let turn = editor.prompt("prices with tax", User::CancelsAfter(at));
        assert_eq!(turn.ended(), "cancelled\n", "after {at} messages");
        assert_eq!(fixture.contents(), before, "after {at} messages");
        let open = turn.calls.values().find(|(_, told)| told.last().unwrap() != "failed");
        assert!(open.is_none(), "{open:?} is left open after {at} messages");
        // Late enough for the permission request to come first.
        if !turn.permission.is_null() && turn.messages <= at {
            assert!(at > 20, "{at}");
            break;
        }
    }
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn editor_that_leaves_cancels_its_turns() {
    let fixture = Fixture::new(EIGHT).await;
    let before = fixture.contents();
    for messages in [0, 3, 12] {
        let mut editor = Editor::start(&fixture, &[], &[]);
        editor.ask_prompt(words("prices with tax"));
        (0..messages).for_each(|_| drop(editor.receive()));
        editor.leave();
        assert_eq!(fixture.contents(), before);
    }
}

/// Two files, and a plan for the first.
const TWO: &str = "//- a.py\none = 1\nsame = 1\n//- b.py\ntwo = 2\nsame = 1\n\
     //= deep: You plan\n```\n1. edit `a.py`: count from zero\n```\n\
     //= fast: The file: a.py\n```python\none = 0\nsame = 1\n```\n\
     //= fast: Where is `one`\nIn a.py:1 it is.\n";

/// A project, and an editor with a session in it that has no file open.
async fn started(project: &str) -> (Fixture, Editor) {
    let fixture = Fixture::new(project).await;
    let editor = Editor::start(&fixture, &[], &[]);
    (fixture, editor)
}

/// Checks the messages for prompts, and the end of each turn.
fn check(editor: &mut Editor, prompts: &[&str], user: User, expect: Expect) {
    let mut shown = String::new();
    for prompt in prompts {
        let turn = editor.prompt(prompt, user);
        shown.push_str(&format!("> {}\n{}{}", prompt.replace('\n', "⏎"), turn.said(), turn.ended()));
    }
    expect.assert_eq(&shown);
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_is_shown_and_carried_out_when_it_is_sent_back() {
    let (fixture, mut editor) = started(TWO).await;
    check(
        &mut editor,
        &["/plan count", "1. delete `b.py`"],
        User::Allows,
        expect![[r#"
        > /plan count
        Planned by deep-model (deep: it plans for several files).

        ````markdown
        # count

        1. edit `a.py`
           gear: fast (one file, quick to check)

           count from zero
        ````

        Nothing is changed. Send the plan back, changed if need be, to have it carried out.

        end_turn
        > 1. delete `b.py`
        * 1 file, 0 lines added, 2 removed
        * … s

        1 file written.

        end_turn
    "#]],
    );
    assert_eq!(fixture.contents().into_keys().collect::<Vec<_>>(), ["a.py"]);
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn mentioned_file_is_changed_without_a_plan() {
    let (fixture, mut editor) = started(TWO).await;
    let uri = format!("file://{}/a.py#L1", editor.root);
    let turn = editor.prompt_of(
        json!([
            { "type": "text", "text": "/edit count from zero in " },
            { "type": "resource_link", "uri": uri, "name": "a.py" },
        ]),
        User::Allows,
    );
    expect![[r#"
        end_turn
        [completed] edit `a.py`: count from zero in `a.py` Change only line 1.
        1-step-1: edit `a.py` (edit): in_progress, diff /a.py, completed
        1-write: Write: edit `a.py` (edit): pending, completed
    "#]]
    .assert_eq(&turn.shown());
    assert_eq!(fixture.contents()["a.py"], "one = 0\nsame = 1\n");
    assert_eq!(fixture.requests(), 1, "the deep model is not asked");
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn question_is_answered_and_changes_nothing() {
    let (fixture, mut editor) = started(TWO).await;
    let turn = editor.prompt("where is one?", User::Refuses);
    assert!(turn.permission.is_null());
    assert!(turn.said.contains("By fast-model"), "{}", turn.said);
    assert_eq!(turn.ended(), "end_turn\n");
    fixture.write("../config.toml", "");
    check(
        &mut editor,
        &["where is the definition of one?", "/ask about nothing at all"],
        User::Refuses,
        expect![[r#"
            > where is the definition of one?
            ```
            a.py:1: one = 1
            ```

            end_turn
            > /ask about nothing at all
            No name or doc comment in the project matches.

            end_turn
        "#]],
    );
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn file_with_other_changes_is_not_written() {
    let fixture = Fixture::new(TWO).await;
    let identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
    fixture.git(&["init", "-q"]);
    fixture.git(&["add", "."]);
    fixture.git(&[&identity[..], &["commit", "-qm", "t"]].concat());
    // Editors differ in the end of the last line.
    let mut editor =
        Editor::start(&fixture, &[], &[("a.py", "one = 11\nsame = 1\n"), ("b.py", "two = 2\r\nsame = 1")]);
    check(
        &mut editor,
        &["count", "1. delete `b.py`"],
        User::Allows,
        expect![[r#"
        > count
        Planned by deep-model (deep: it plans for several files).

        error: Unsaved changes in a.py; save them first.
        > 1. delete `b.py`
        * 1 file, 0 lines added, 2 removed
        * … s

        1 file written.

        end_turn
    "#]],
    );
    editor.leave();
    fixture.write("a.py", "one = 11\nsame = 1\n");
    let mut editor = Editor::start(&fixture, &[], &[]);
    check(
        &mut editor,
        &["count"],
        User::Allows,
        expect![[r#"
        > count
        Planned by deep-model (deep: it plans for several files).

        error: Uncommitted changes in a.py; commit them, or start the agent with --allow-dirty.
    "#]],
    );
    editor.leave();
    assert_eq!(fixture.contents()["a.py"], "one = 11\nsame = 1\n");
    let mut editor = Editor::start(&fixture, &["--allow-dirty"], &[]);
    assert_eq!(editor.prompt("count", User::Allows).ended(), "end_turn\n");
    assert_eq!(fixture.contents()["a.py"], "one = 0\nsame = 1\n");
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn file_that_changes_before_it_is_written_refuses_the_whole() {
    let (fixture, mut editor) = started(&TWO.replace("from zero\n", "from zero\n2. delete `b.py`\n")).await;
    let turn = editor.prompt("count", User::ChangesAndAllows);
    let path = format!("{}/a.py", editor.root);
    let said = format!("Nothing was written: {path}: it was changed meanwhile; try again.");
    assert_eq!(turn.ended(), format!("error: {said}\n"));
    assert!(turn.calls.values().all(|(_, told)| told.last().unwrap() == "failed"), "{}", turn.shown());
    let now: Vec<String> = fixture.contents().into_iter().map(|(path, text)| path + ": " + &text).collect();
    assert_eq!(now, ["a.py: mine = 1\n", "b.py: two = 2\nsame = 1\n"]);
    editor.leave();
}

/// Checks the messages for a prompt that writes nothing, in a project with these settings.
async fn check_unwritten(project: &str, settings: &str, prompt: &str, expect: Expect) {
    let fixture = Fixture::with_settings(project, settings).await;
    let before = fixture.contents();
    let mut editor = Editor::start(&fixture, &[], &[]);
    check(&mut editor, &[prompt], User::Allows, expect);
    assert_eq!(fixture.contents(), before);
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_done_is_said_in_a_sentence() {
    let outside = TWO.replace("edit `a.py`", "create `../x`");
    let fails = TWO.replace("```python\none = 0", "```python\none = (0");
    check_unwritten(
        &outside,
        "",
        "count",
        expect![[r#"
            > count
            error: Step 1: the path `../x` leads out of the workspace.
        "#]],
    )
    .await;
    check_unwritten(
            TWO,
            "",
            "1. edit `.git/config`: x\n2. edit `gone.py`: x",
            expect![[r#"
            > 1. edit `.git/config`: x⏎2. edit `gone.py`: x
            error: The plan cannot be carried out: step 1: `.git/config` is not changed: it belongs to version control; step 2: there is no file `gone.py`.
        "#]],
    )
    .await;
    check_unwritten(
        &fails,
        "",
        "count",
        expect![[r#"
            > count
            Planned by deep-model (deep: it plans for several files).

            * step 1, edit a.py: fast: the result would have 1 syntax error where there were 0
            * step 1, edit a.py: fast: the result would have 1 syntax error where there were 0
            * step 1, edit a.py failed: deep: the model left the code as it is
            * nothing changes
            * deep: 2 requests, …
            * fast: 2 requests, …
            * … s

            error: Nothing was written, since not all steps are done; change the plan, or try again.
        "#]],
    )
    .await;
    check_unwritten(
            TWO,
            "[budget]\nsession_tokens = 1\n",
            "count",
            expect![[r#"
                > count
                Planned by deep-model (deep: it plans for several files).

                * step 1, edit a.py failed: fast: `budget.session_tokens` is reached (381 of 1 tokens in this session); raise it under `[budget]`, it applies to each run separately
                * nothing changes
                * deep: 1 requests, …
                * … s

                Nothing was written, since the plan was stopped: `budget.session_tokens` is reached (381 of 1 tokens in this session); raise it under `[budget]`, it applies to each run separately.

                max_tokens
            "#]],
    )
    .await;
    check_unwritten(
        TWO,
        "",
        "/rm all",
        expect![[r#"
            > /rm all
            error: there is no command `/rm`; there are /ask, /plan and /edit
        "#]],
    )
    .await;
    let fixture = Fixture::new(TWO).await;
    fixture.write("../config.toml", "");
    let mut editor = Editor::start(&fixture, &[], &[]);
    check(
        &mut editor,
        &["count"],
        User::Allows,
        expect![[r#"
        > count
        error: No model is configured, and this needs one; `tandem setup` chooses one.
    "#]],
    );
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_message_is_answered_with_its_fault() {
    let (_fixture, mut editor) = started(TWO).await;
    let session = editor.session.clone();
    let mut shown = String::new();
    for (method, params) in [
        ("session/new", json!({ "cwd": "src" })),
        ("session/new", json!({ "cwd": "/no/such/folder" })),
        ("session/prompt", json!({ "sessionId": "session-9", "prompt": [] })),
        ("session/prompt", json!({ "sessionId": session, "prompt": [{ "type": "image" }] })),
        ("session/fork", json!({ "sessionId": session })),
        ("session/load", json!({ "sessionId": "../x", "cwd": "/" })),
        ("authenticate", json!({ "methodId": "none" })),
        ("session/close", json!({ "sessionId": session })),
        ("session/prompt", json!({ "sessionId": session, "prompt": [] })),
    ] {
        let answer = editor.request(method, params);
        let error = &answer["error"];
        shown.push_str(&format!(
            "{method}: {} {}\n",
            error["code"],
            error["message"].as_str().unwrap_or("fine")
        ));
    }
    editor.send(&json!("no message"));
    shown.push_str(&format!("{}\n", editor.receive()["error"]["code"]));
    // An answer without a request is ignored.
    editor.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": null }));
    expect![[r#"
        session/new: -32602 `cwd` is the absolute path of the workspace's folder
        session/new: -32602 cannot open the workspace /no/such/folder: No such file or directory (os error 2)
        session/prompt: -32602 there is no session `session-9`
        session/prompt: -32602 a prompt has text and files, no `image`
        session/fork: -32601 there is no method `session/fork`
        session/load: -32602 there is no such session
        authenticate: -32602 there is no method `none` to authenticate by
        session/close: null fine
        session/prompt: -32602 there is no session `…`
        -32600
    "#]]
    .assert_eq(&shown.replace(session.as_str().unwrap(), "…"));
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn session_is_listed_shown_again_continued_and_deleted() {
    let (fixture, mut editor) = started(TWO).await;
    assert_eq!(editor.request("session/list", json!({}))["result"], json!({ "sessions": [] }));
    assert_eq!(editor.prompt("/ask about nothing\nat all", User::Refuses).ended(), "end_turn\n");
    let (session, root) = (editor.session.clone(), editor.root.clone());
    editor.leave();
    let mut editor = Editor::start(&fixture, &[], &[]);
    let listed = editor.request("session/list", json!({ "cwd": root }))["result"]["sessions"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(listed[0]["sessionId"], session);
    assert_eq!(listed[0]["title"], "/ask about nothing");
    assert_eq!(listed[0]["updatedAt"].as_str().map(str::len), Some("2026-01-02T03:04:05Z".len()));
    let elsewhere = editor.request("session/list", json!({ "cwd": "/elsewhere" }));
    assert_eq!(elsewhere["result"], json!({ "sessions": [] }));
    let load = json!({ "sessionId": session, "cwd": root, "mcpServers": [] });
    let wrong = editor.request("session/load", json!({ "sessionId": session, "cwd": "/", "mcpServers": [] }));
    assert!(wrong["error"]["message"].as_str().unwrap().starts_with("the session"), "{wrong}");
    let id = editor.ask("session/load", load.clone());
    let mut shown = String::new();
    loop {
        let message = editor.receive();
        let update = &message["params"]["update"];
        if message["id"] == id {
            assert_eq!(message["result"], json!({}));
            break;
        }
        let said = update["content"]["text"].as_str().unwrap_or_default().trim();
        shown.push_str(&format!("{}: {said}\n", update["sessionUpdate"].as_str().unwrap()));
    }
    expect![[r#"
        user_message_chunk: /ask about nothing
        at all
        agent_message_chunk: The lines do not answer this. [cites no line]

        * 1 paragraph cites no line

        By fast-model (fast: nothing here calls for the deep gear).
    "#]]
    .assert_eq(&shown);
    editor.session = session.clone();
    assert_eq!(editor.request("session/resume", load.clone())["result"], json!({}));
    assert_eq!(editor.prompt("1. delete `b.py`", User::Allows).ended(), "end_turn\n");
    assert_eq!(editor.request("session/delete", json!({ "sessionId": session }))["result"], json!({}));
    assert_eq!(editor.request("session/list", json!({}))["result"], json!({ "sessions": [] }));
    assert!(editor.request("session/load", load)["error"].is_object());
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn editor_is_offered_the_way_to_a_model_that_fits_it() {
    let (fixture, mut editor) = started(TWO).await;
    let mut shown = String::new();
    for able in [
        json!({}),
        json!({ "auth": { "terminal": false } }),
        json!({ "auth": { "terminal": true } }),
        json!({ "_meta": { "terminal-auth": true } }),
    ] {
        let greeting =
            editor.request("initialize", json!({ "protocolVersion": 1, "clientCapabilities": able }));
        let method = &greeting["result"]["authMethods"][0];
        shown.push_str(&format!("{} {} {}\n", method["id"], method["type"], method["args"]));
    }
    expect![[r#"
        "configured" null null
        "configured" null null
        "setup" "terminal" ["setup"]
        "setup" "terminal" ["setup"]
    "#]]
    .assert_eq(&shown);
    let authenticate = json!({ "methodId": "configured" });
    assert_eq!(editor.request("authenticate", authenticate.clone())["result"], json!({}));
    fixture.write("../config.toml", "");
    assert_eq!(editor.request("authenticate", authenticate)["error"]["code"], -32000);
    assert_eq!(editor.prompt("count", User::Allows).answer["error"]["code"], -32000);
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn session_that_is_refused_is_offered_no_commands() {
    let (_fixture, mut editor) = started(TWO).await;
    assert_eq!(editor.receive()["params"]["update"]["sessionUpdate"], "available_commands_update");
    let refused = editor.ask("session/new", json!({ "cwd": "/no/such/folder" }));
    assert_eq!(editor.receive()["id"], refused);
    let next = editor.ask("session/close", json!({ "sessionId": editor.session }));
    assert_eq!(editor.receive()["id"], next, "nothing is said in between");
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn second_prompt_knows_what_the_first_one_wrote() {
    let again = "//= deep: You plan\n```\n1. edit `a.py`: count from zero\n2. create `c.py`: hold three\n```\n\
        //= fast: one = 1\n```python\none = 0\nsame = 1\n```\n//= fast: one = 0\n```python\none = 2\nsame = 1\n```\n\
        //= deep: The new file: c.py\n```python\nthree = 3\n```\n";
    let fixture = Fixture::new(&format!("//- a.py\none = 1\nsame = 1\n//- b.py\ntwo = 2\n{again}")).await;
    let identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
    fixture.git(&["init", "-q"]);
    fixture.git(&["add", "."]);
    fixture.git(&[&identity[..], &["commit", "-qm", "t"]].concat());
    let mut editor = Editor::start(&fixture, &[], &[]);
    let first = editor.prompt("count", User::Allows);
    assert_eq!(first.ended(), "end_turn\n", "{} {}", first.said(), first.shown());
    assert_eq!(editor.prompt("1. edit `a.py`: count", User::Allows).ended(), "end_turn\n");
    assert_eq!(fixture.contents()["a.py"], "one = 2\nsame = 1\n");
    // Later changes belong to the user.
    fixture.write("a.py", "one = 0\nmine = 1\n");
    let refused = editor.prompt("1. edit `a.py`: count", User::Allows).ended();
    assert!(refused.starts_with("error: Uncommitted changes in a.py; commit them"), "{refused}");
    assert_eq!(fixture.contents()["a.py"], "one = 0\nmine = 1\n");
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn session_that_is_refused_is_offered_nothing() {
    let (_fixture, mut editor) = started(TWO).await;
    assert!(editor.request("session/new", json!({ "cwd": "src" }))["error"].is_object());
    let id = editor.ask("session/new", json!({ "cwd": editor.root, "mcpServers": [] }));
    assert_eq!(editor.receive()["id"], id, "nothing is told of a session that there is not");
    editor.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn second_prompt_waits_for_the_first() {
    let (_fixture, mut editor) = started(TWO).await;
    let first = editor.ask_prompt(words("count"));
    let second = editor.ask_prompt(words("count"));
    let refused = editor.answer_to(second);
    assert_eq!(refused["error"]["message"], "the prompt before is still worked on; cancel it, or wait");
    editor.cancel();
    assert_eq!(editor.answer_to(first)["result"]["stopReason"], "cancelled");
    assert_eq!(editor.prompt("count", User::Refuses).ended(), "end_turn\n");
    editor.leave();
}

/// The question to the user, whether the command ran, and the written files, by the user's choice.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn command_runs_and_files_are_written_as_the_user_picks() {
    const TEXT: &str = "//- a.py\none = 1\nsame = 1\n\
        //= deep: You plan\n```\n1. edit `a.py`: count\n```\n\
        //= deep: You correct\n```\n1. edit `a.py`: set one to zero\n```\n\
        //= fast: set one to zero\n<<<<<<< SEARCH\none = 5\n=======\none = 0\n>>>>>>> REPLACE\n\
        //= fast: The file: a.py\n<<<<<<< SEARCH\none = 1\n=======\none = 5\n>>>>>>> REPLACE\n";
    let settings = |command: &str| format!("[verify]\ncommand = [\"sh\", \"-c\", \"{command}\"]\n");
    let mut shown = String::new();
    for (option, command) in [
        ("run-and-write", "grep -q one a.py"),
        ("run", "grep -q one a.py"),
        ("write", "grep -q one a.py"),
        ("reject", "grep -q one a.py"),
        ("run-and-write", "grep -q zero a.py"),
        ("run-and-write", "grep -q 0 a.py"),
    ] {
        let fixture = Fixture::with_settings(TEXT, &settings(command)).await;
        let mut editor = Editor::start(&fixture, &[], &[]);
        let turn = editor.prompt("count", User::Picks(option));
        let ran = if turn.calls.contains_key("1-check") { "ran" } else { "not run" };
        let text = fixture.contents()["a.py"].replace("\nsame = 1\n", "");
        shown.push_str(&format!("{option}, {command}: {ran}, {text}\n"));
        for question in &turn.questions {
            shown.push_str(&format!("    {question}\n"));
        }
        editor.leave();
    }
    expect![[r#"
        run-and-write, grep -q one a.py: ran, one = 5
            Run `sh -c 'grep -q one a.py'` on this change
        run, grep -q one a.py: ran, one = 1
            Run `sh -c 'grep -q one a.py'` on this change
            Write: edit `a.py`
        write, grep -q one a.py: not run, one = 5
            Run `sh -c 'grep -q one a.py'` on this change
        reject, grep -q one a.py: not run, one = 1
            Run `sh -c 'grep -q one a.py'` on this change
        run-and-write, grep -q zero a.py: ran, one = 1
            Run `sh -c 'grep -q zero a.py'` on this change
            Run `sh -c 'grep -q zero a.py'` on this corrected change
            Write: edit `a.py`
        run-and-write, grep -q 0 a.py: ran, one = 0
            Run `sh -c 'grep -q 0 a.py'` on this change
            Run `sh -c 'grep -q 0 a.py'` on this corrected change
    "#]]
    .assert_eq(&shown);
}

#[test]
fn registry_entry_is_of_this_version_and_each_release() {
    let read = |path: &str| fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let entry: Value = serde_json::from_str(&read("editors/acp-registry/tandem/agent.json")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(entry["version"], version);
    assert_eq!(entry["repository"], env!("CARGO_PKG_REPOSITORY"));
    let release = read(".github/workflows/release.yml");
    let targets = release.split("target: ").skip(1).filter_map(|it| it.split_once(" }"));
    let targets: Vec<&str> = targets.map(|(target, _)| target).collect();
    let binaries = entry["distribution"]["binary"].as_object().unwrap();
    assert_eq!((targets.len(), binaries.len()), (4, 4), "{targets:?}");
    for target in targets {
        let name = format!("tandem-{version}-{target}");
        let archive = format!("{}/releases/download/v{version}/{name}.tar.gz", env!("CARGO_PKG_REPOSITORY"));
        let binary = binaries.values().find(|it| it["archive"] == archive).expect(&archive);
        assert!(binary["cmd"].as_str().unwrap().starts_with(&format!("./{name}/bin/tandem")), "{binary}");
    }
}
