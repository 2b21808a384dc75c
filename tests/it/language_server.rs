//! A language server as the model for ghost text, as an editor sees it.
//!
//! The server is the one that `tandem simulate --language-server` is.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tandem::simulate::Options;
use tempfile::TempDir;

use crate::support::{Editor, MARKED, Setup, complete_params};

const URI: &str = "file:///no-such-folder/a.rs";

/// Code that the local engine does not continue, and what the server is to suggest there.
const CODE: &str = "fn main() {\n    let x = ˇ\n}\n";
const TEXT: &str = "1 + 2;";

/// An editor whose fast candidates are a language server with these arguments, and then a model if `has_other`.
struct Tried {
    editor: Editor,
    folder: TempDir,
}

impl Tried {
    async fn start(arguments: &[&str], has_other: bool) -> Self {
        Self::with(arguments, has_other, Setup::default()).await
    }

    async fn with(arguments: &[&str], has_other: bool, setup: Setup) -> Self {
        let folder = TempDir::new().unwrap();
        let mut command = vec![env!("CARGO_BIN_EXE_tandem"), "simulate", "--language-server", "--record"];
        let record = folder.path().join("record");
        command.push(record.to_str().unwrap());
        command.extend(arguments);
        let mut candidates = vec![json!({ "provider": "server", "model": "simulated" })];
        if has_other {
            candidates.push(json!({ "provider": "test", "model": "test-model" }));
        }
        let editor = Editor::with(Setup {
            settings: format!("[providers.server]\nwire = \"lsp\"\ncommand = {command:?}\n"),
            options: json!({ "fast": { "candidates": candidates } }),
            simulator: Some(Options::default()),
            ..setup
        });
        Self { editor: editor.await, folder }
    }

    fn record(&self) -> PathBuf {
        self.folder.path().join("record")
    }

    /// The messages that the server got, in order, without those of its beginning.
    fn received(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.record()).unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Waits until the server has got a message of this method; returns its parameters.
    async fn received_of(&self, method: &str) -> Value {
        self.received_nth(method, 0).await
    }

    async fn received_nth(&self, method: &str, nth: usize) -> Value {
        // Half a minute, which only a failure takes.
        for _ in 0..1_500 {
            let found = self.received().into_iter().filter(|it| it["method"] == method).nth(nth);
            if let Some(found) = found {
                return found["params"].clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("no {method} among {:?}", self.methods());
    }

    fn methods(&self) -> Vec<String> {
        self.received().iter().map(|it| it["method"].as_str().unwrap_or("answer").to_owned()).collect()
    }

    /// Waits until a status satisfies a condition.
    async fn status(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let mut status = Value::Null;
        for _ in 0..1_500 {
            status = self.editor.driver.request("tandem/status", json!({})).await.unwrap();
            if is_wanted(&status) {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{status:#}");
    }

    /// The reason why there was no ghost text.
    async fn why(&mut self) -> String {
        let params = json!({ "command": "tandem.why", "arguments": [] });
        let why = self.editor.driver.request("workspace/executeCommand", params).await.unwrap();
        why.to_string()
    }

    /// Invokes ghost text.
    async fn invoke(&mut self, line: u32, column: u32) -> Value {
        let mut params = complete_params(URI, line, column);
        params["context"]["triggerKind"] = 1.into();
        self.editor.driver.request("textDocument/inlineCompletion", params).await.unwrap()
    }
}

#[tokio::test]
async fn ghost_text_of_a_language_server_is_shown_and_the_server_is_told() {
    let mut it = Tried::start(&["--suggest", "height;"], false).await;
    let (line, column) = it.editor.open_at(URI, MARKED);
    let shown = it.editor.complete(URI, line, column).await;
    assert_eq!(shown[0]["insertText"], "height;", "{shown}");
    let opened = it.received_of("textDocument/didOpen").await;
    assert_eq!(opened["textDocument"]["text"], MARKED.replace('ˇ', ""));
    assert_eq!(opened["textDocument"]["languageId"], "rust");
    it.received_of("textDocument/didFocus").await;
    let item = it.received_of("textDocument/didShowCompletion").await["item"].clone();
    assert_eq!(item["insertText"], "    self.height = height;");
    let part = json!({ "item": { "command": shown[0]["command"] }, "acceptedLength": 3 });
    it.editor.driver.notify("textDocument/didPartiallyAcceptCompletion", part);
    let partly = it.received_of("textDocument/didPartiallyAcceptCompletion").await;
    assert_eq!((&partly["acceptedLength"], &partly["item"]), (&json!(21), &item));
    it.editor.change(URI, 2, [line, column, line, column], "height;");
    let accept = json!({ "command": "tandem.accept", "arguments": shown[0]["command"]["arguments"] });
    it.editor.driver.request("workspace/executeCommand", accept).await.unwrap();
    let executed = it.received_of("workspace/executeCommand").await;
    assert_eq!(executed, json!({ "command": "simulated.accept", "arguments": ["item"] }));
    let status = it.status(|status| status["gears"]["fast"]["state"] == "ready").await;
    let fast = &status["gears"]["fast"];
    assert_eq!(
        (&fast["wire"], &fast["provider"], &fast["asked"]),
        (&json!("lsp"), &json!("server"), &json!("simulated"))
    );
    it.editor.driver.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(it.received_of("textDocument/didClose").await["textDocument"]["uri"], URI);
    let Tried { editor, folder } = it;
    editor.finish().await;
    drop(folder);
}

#[tokio::test]
async fn one_document_is_known_by_its_changes() {
    let mut it = Tried::start(&["--suggest", TEXT], false).await;
    let (line, column) = it.editor.open_at(URI, CODE);
    assert_eq!(it.editor.complete(URI, line, column).await[0]["insertText"], TEXT);
    // The simulated server ends if a change does not fit.
    it.editor.change(URI, 2, [0, 0, 0, 0], "// é😀\n");
    it.editor.change(URI, 3, [line + 1, column, line + 1, column], "x");
    let shown = it.invoke(line + 1, column + 1).await;
    assert_eq!(shown[0]["insertText"], TEXT, "{shown}");
    let text: Vec<Value> =
        it.received().into_iter().filter(|it| it["method"] == "textDocument/didChange").collect();
    let last = text.last().unwrap();
    assert!(last["params"]["contentChanges"][0]["range"].is_object(), "{last}");
    it.editor.finish().await;
}

#[tokio::test]
async fn request_that_is_not_wanted_any_more_is_cancelled() {
    let mut it = Tried::start(&["--suggest", TEXT, "--server-fault", "waits-for-cancel"], false).await;
    let (line, column) = it.editor.open_at(URI, CODE);
    let id = it.editor.driver.ask("textDocument/inlineCompletion", complete_params(URI, line, column));
    it.received_of("textDocument/inlineCompletion").await;
    let asked = it.received().into_iter().find(|it| it["method"] == "textDocument/inlineCompletion").unwrap();
    // What is typed does not agree with any text.
    it.editor.change(URI, 2, [0, 0, 1, 0], "");
    it.editor.driver.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(it.received_of("$/cancelRequest").await["id"], asked["id"]);
    assert_eq!(it.editor.driver.answer(id).await.unwrap()["result"], json!([]));
    it.editor.finish().await;
}

/// Each fault, the reason in the status, and that the other candidate answers.
#[tokio::test]
async fn language_server_that_fails_is_named_and_the_others_go_on() {
    for (fault, told) in [
        ("ends", "ended (exit status: 0)"),
        ("floods", "sent over 20000 messages within 10 s"),
        ("huge", "sent a message of over 4 MiB"),
        ("prints", "wrote something that is no message of LSP"),
        ("offers-nothing", "offers no `textDocument/inlineCompletion`"),
        ("not-signed-in", "server: You are not signed in"),
        ("never-answers", "left several requests in a row without an answer"),
        ("wrong-ids", "left several requests in a row without an answer"),
    ] {
        let mut it = Tried::start(&["--suggest", TEXT, "--server-fault", fault], true).await;
        let (line, column) = it.editor.open_at(URI, MARKED);
        // A request that is not answered takes two seconds, and three of them are needed.
        let refused =
            |status: &Value| status["gears"]["fast"]["refused"][0]["why"].as_str().map(str::to_owned);
        let mut why = None;
        while why.is_none() {
            it.invoke(line, column).await;
            why = refused(&it.editor.driver.request("tandem/status", json!({})).await.unwrap());
        }
        let why = why.unwrap();
        assert!(why.contains(told), "{fault}: {why}");
        it.invoke(line, column).await;
        let is_other = |status: &Value| status["gears"]["fast"]["provider"] == "test";
        let status = it.status(is_other).await;
        assert_eq!(status["gears"]["fast"]["state"], "ready", "{fault}: {status:#}");
        assert!(it.editor.model_requests() > 0, "{fault}");
        drop(it.editor);
    }
}

#[tokio::test]
async fn language_server_whose_items_do_not_fit_is_refused_with_the_reason() {
    for (fault, told) in [
        ("malformed", "its suggestion has no text"),
        ("snippet", "its suggestion is a snippet"),
        ("outside", "its suggestion does not end behind the cursor, or outside the file"),
    ] {
        let mut it = Tried::start(&["--suggest", TEXT, "--server-fault", fault], false).await;
        let (line, column) = it.editor.open_at(URI, CODE);
        assert_eq!(it.invoke(line, column).await, json!([]), "{fault}");
        let why = it.why().await;
        assert!(why.contains(told), "{fault}: {why}");
        drop(it.editor);
    }
}

#[tokio::test]
async fn language_server_that_is_odd_but_answers_is_used() {
    for fault in ["asks", "noisy", "out-of-order"] {
        let mut it = Tried::start(&["--suggest", TEXT, "--server-fault", fault], false).await;
        let (line, column) = it.editor.open_at(URI, CODE);
        if fault == "out-of-order" {
            // The first request is overtaken by the second.
            let first =
                it.editor.driver.ask("textDocument/inlineCompletion", complete_params(URI, line, column));
            it.received_of("textDocument/inlineCompletion").await;
            it.editor.change(URI, 2, [0, 0, 0, 0], " ");
            it.editor.driver.answer(first).await.unwrap();
        }
        let mut shown = json!([]);
        for _ in 0..50 {
            shown = it.invoke(line, column).await;
            if shown[0].is_object() {
                break;
            }
        }
        assert_eq!(shown[0]["insertText"], TEXT, "{fault}");
        drop(it.editor);
    }
}

#[tokio::test]
async fn language_server_that_ended_is_started_again() {
    let mut it = Tried::start(&["--suggest", TEXT, "--server-fault", "ends-once"], false).await;
    let (line, column) = it.editor.open_at(URI, CODE);
    let mut shown = it.invoke(line, column).await;
    assert_eq!(shown, json!([]));
    let why = it.status(|status| status["gears"]["fast"]["degraded"].is_string()).await;
    assert!(why.to_string().contains("ended (exit status: 0): simulated end"), "{why:#}");
    for _ in 0..300 {
        shown = it.invoke(line, column).await;
        if shown[0].is_object() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(shown[0]["insertText"], TEXT);
    it.received_nth("initialize", 1).await;
    drop(it.editor);
}

#[tokio::test]
async fn sign_in_is_begun_by_an_explicit_request_and_its_code_is_shown() {
    let mut it = Tried::start(&["--server-fault", "not-signed-in"], false).await;
    let (line, column) = it.editor.open_at(URI, CODE);
    let said = it.editor.driver.expect("window/showMessage").await.unwrap();
    assert_eq!(
        said["params"]["message"],
        "Tandem: the language server of server says: You are not signed in."
    );
    assert_eq!(it.invoke(line, column).await, json!([]));
    let code = "to sign in, enter the code ABCD-1234 at https://example.test/device";
    while !it.editor.driver.expect("window/showMessage").await.unwrap().to_string().contains(code) {}
    let command = it.received_of("workspace/executeCommand").await;
    assert_eq!(command["command"], "simulated.signIn");
    drop(it.editor);
}

/// Assembled here, so that this file contains no key.
fn key() -> String {
    format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2))
}

#[tokio::test]
async fn language_server_gets_neither_withheld_files_nor_keys() {
    let mut it = Tried::start(&["--suggest", "REDACTED_1;"], false).await;
    let marked = format!("// {}\n{CODE}", key());
    let (line, column) = it.editor.open_at(URI, &marked);
    let shown = it.editor.complete(URI, line, column).await;
    // A placeholder in the answer is restored, so nothing of it is written.
    assert!(!shown.to_string().contains("REDACTED"), "{shown}");
    it.editor.open("file:///no-such-folder/.env", "plaintext", "SECRET_OF_A_FILE=1\n");
    let params = complete_params("file:///no-such-folder/.env", 0, 3);
    it.editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
    let text = std::fs::read_to_string(it.record()).unwrap();
    assert!(text.contains("REDACTED_1") && !text.contains(&key()), "{text}");
    assert!(!text.contains("SECRET_OF_A_FILE") && !text.contains(".env"), "{text}");
    drop(it.editor);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn language_server_is_ended_with_its_children() {
    let folder = TempDir::new().unwrap();
    let (program, pid) = (folder.path().join("server.sh"), folder.path().join("pid"));
    // It ignores the end of its input, and so does its child.
    std::fs::write(&program, format!("sleep 1000 & echo $! > {}\nsleep 1000\n", pid.display())).unwrap();
    let settings = format!("[providers.server]\nwire = \"lsp\"\ncommand = [\"/bin/sh\", {program:?}]\n");
    let fast = json!({ "candidates": [{ "provider": "server", "model": "m" }] });
    let editor = Editor::with(Setup { settings, options: json!({ "fast": fast }), ..Setup::default() }).await;
    let mut child = String::new();
    while !child.ends_with('\n') {
        tokio::time::sleep(Duration::from_millis(20)).await;
        child = std::fs::read_to_string(&pid).unwrap_or_default();
    }
    editor.finish().await;
    let is_alive = || {
        std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).is_ok_and(|it| !it.contains(") Z "))
    };
    for _ in 0..250 {
        if !is_alive() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it goes on");
}

/// Neither what a project says nor what an editor says starts a program.
#[tokio::test]
async fn only_the_users_file_names_a_language_server() {
    let folder = TempDir::new().unwrap();
    let started = folder.path().join("started");
    let command = json!(["touch", started]);
    let project = format!("[providers.test]\nwire = \"lsp\"\ncommand = {command}\n");
    std::fs::write(folder.path().join(".tandem.toml"), project).unwrap();
    let options = json!({ "providers": { "test": { "wire": "lsp", "command": command } } });
    let mut it =
        Editor::with(Setup { workspace: folder.path().to_owned(), options, ..Setup::default() }).await;
    let of_project = "providers.test.command: ignored: a project must not";
    let mut said = String::new();
    while !said.contains(of_project) {
        said += &it.driver.expect("window/showMessage").await.unwrap().to_string();
    }
    assert!(
        said.contains("providers.test: ignored: `command` is set in the configuration file alone"),
        "{said}"
    );
    let (line, column) = it.open_at(URI, MARKED);
    let shown = it.complete(URI, line, column).await;
    assert_eq!(shown[0]["insertText"], "height;", "from the user's own model");
    assert!(!started.exists());
    drop(it);
}
