//! Windows that share one server: `tandem lsp --shared`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tandem::lsp_client::LspClient;
use tandem::simulate::{Options, Script};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use crate::support::vendor::{Reply, Vendor};
use crate::support::{capabilities, complete_params, uri};

const FILE: &str = "file:///no-such-folder/a.rs";

/// The folders of one user.
struct User(TempDir);

/// A window of that user's editor.
struct Window {
    driver: LspClient,
    child: Child,
    version: i32,
}

impl User {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("config.toml"), "").unwrap();
        Self(folder)
    }

    /// Opens a window with these environment variables in addition.
    async fn window(&self, variables: &[(&str, &str)]) -> Window {
        let folder = self.0.path();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.args(["lsp", "--shared"]).current_dir(folder).env("TANDEM_STATE", folder.join("state"));
        command.env("TANDEM_CONFIG", folder.join("config.toml")).env("XDG_RUNTIME_DIR", folder);
        command.env("XDG_CACHE_HOME", folder.join("cache")).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut driver = LspClient::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let params = json!({
            "workspaceFolders": [{ "uri": uri(folder), "name": "work" }],
            "capabilities": capabilities("utf-16"),
        });
        driver.initialize(params).await.unwrap();
        Window { driver, child, version: 1 }
    }

    /// The sockets of the user's servers.
    fn sockets(&self) -> Vec<std::path::PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.0.path().join("tandem")) else { return Vec::new() };
        let paths = entries.map(|it| it.unwrap().path());
        paths.filter(|it| it.extension().is_some_and(|end| end == "sock")).collect()
    }

    /// Kills the user's servers, like a crash.
    async fn kill_servers(&self) {
        for socket in self.sockets() {
            signal("KILL", host(&socket).await);
        }
    }

    /// Waits for the end of all servers.
    async fn wait_for_end(&self) {
        let started = Instant::now();
        while !self.sockets().is_empty() {
            assert!(started.elapsed() < Duration::from_secs(60), "a server without windows goes on");
            sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Window {
    fn open(&mut self, text: &str) {
        let document = json!({ "uri": FILE, "languageId": "rust", "version": 1, "text": text });
        self.driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Types a text.
    fn type_at(&mut self, line: u32, character: u32, text: &str) {
        self.version += 1;
        let at = json!({ "line": line, "character": character });
        let params = json!({
            "textDocument": { "uri": FILE, "version": self.version },
            "contentChanges": [{ "range": { "start": at, "end": at }, "text": text }],
        });
        self.driver.notify("textDocument/didChange", params);
    }

    async fn run(&mut self, command: &str, argument: Value) -> Value {
        let params = json!({ "command": command, "arguments": [argument] });
        self.driver.request("workspace/executeCommand", params).await.unwrap()
    }

    /// What a loss of the server must not change, and what the session has spent.
    async fn session(&mut self) -> (String, u64) {
        let status = self.run("tandem.status", Value::Null).await;
        let models = self.run("tandem.models", Value::Null).await;
        let picked = models["fast"].as_array().unwrap().iter().find(|it| it["isPicked"] == true);
        let picked = picked.map(|it| it["model"].clone());
        let is_snoozed = status["snoozedUntil"].is_u64();
        let tokens = status["usage"]["session"]["inputTokens"].as_u64().unwrap();
        (format!("picked {picked:?}, snoozed {is_snoozed}, {}", status["caps"]["reached"]), tokens)
    }

    /// Checks that the ghost text at a place begins with this name.
    async fn expect_ghost(&mut self, line: u32, character: u32, name: &str) {
        let mut params = complete_params(FILE, line, character);
        params["context"]["triggerKind"] = json!(1);
        let items = self.driver.request("textDocument/inlineCompletion", params).await.unwrap();
        let text = items.pointer("/0/insertText").and_then(Value::as_str);
        assert!(text.is_some_and(|it| it.starts_with(name)), "{name}: {items}");
    }

    /// Closes the window; returns what its process wrote to its log.
    async fn finish(self) -> String {
        self.driver.finish().await.unwrap();
        let output = self.child.wait_with_output().await.unwrap();
        let log = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{log}");
        log
    }
}

#[tokio::test]
async fn windows_share_a_server_and_nothing_else() {
    let user = User::new();
    let opened = [user.window(&[]), user.window(&[("SHLVL", "7"), ("TMUX_PANE", "%3")]), user.window(&[])];
    let mut windows = futures_util::future::join_all(opened).await;
    assert_eq!(user.sockets().len(), 1);
    let status = windows[0].driver.request("tandem/status", json!({})).await.unwrap();
    assert_eq!(status["shared"]["windows"], 3, "{status}");
    assert_eq!(status["shared"]["process"], host(&user.sockets()[0]).await);
    for (window, name) in windows.iter_mut().zip(["f", "g", "h"]) {
        window.open(&format!("let a1 = {name}(1);\nlet a2 = {name}(2);\nlet a3 = "));
    }
    for (window, name) in windows.iter_mut().zip(["f", "g", "h"]) {
        window.expect_ghost(2, 9, name).await;
    }
    for window in windows {
        assert_eq!(window.finish().await, "");
    }
    user.wait_for_end().await;
}

#[tokio::test]
async fn another_environment_has_a_server_of_its_own() {
    let user = User::new();
    let windows = [user.window(&[]).await, user.window(&[("KEY_OF_A_PROVIDER", "k")]).await];
    assert_eq!(user.sockets().len(), 2);
    for window in windows {
        window.finish().await;
    }
    user.wait_for_end().await;
}

#[tokio::test]
async fn every_window_survives_the_loss_of_the_server() {
    let user = User::new();
    let mut windows = [user.window(&[]).await, user.window(&[]).await];
    for window in &mut windows {
        window.open("let é1 = f(1);\nlet é2 = f(2);\n");
        window.type_at(2, 0, "let é3");
    }
    user.kill_servers().await;
    for window in &mut windows {
        window.type_at(2, 6, " = ");
        window.expect_ghost(2, 9, "f").await;
    }
    assert_eq!(user.sockets().len(), 1, "they share the new one");
    for window in windows {
        window.finish().await;
    }
    user.wait_for_end().await;
}

#[tokio::test]
async fn session_goes_on_after_the_loss_of_the_server_as_it_was() {
    let script = Script::parse("{\"when\": \"rename a1\", \"ttft_ms\": 400}\n{\"reply\": \"f(3);\"}");
    let options = Options { script: script.unwrap(), ..Options::default() };
    let simulator = tandem::simulate::start(options).await.unwrap();
    let user = User::new();
    let config = format!(
        "budget = {{ session_tokens = 1 }}\n[providers.p]\nbase_url = \"{}\"\nwire = \"responses-sse\"\n[fast]\n\
         candidates = [{{ provider = \"p\", model = \"one\" }}, {{ provider = \"p\", model = \"two\" }}]\n",
        simulator.base_url()
    );
    let set = |config: &str| std::fs::write(user.0.path().join("config.toml"), config).unwrap();
    set(&config.replace("session_tokens = 1 ", "session_tokens = 1000000 "));
    let mut window = user.window(&[]).await;
    window.open("let a1 = f(1);\nlet a2 = f(2);\nlet a3 = ");
    window.expect_ghost(2, 9, "f").await;
    window.run("tandem.useModel", json!({ "gear": "fast", "provider": "p", "model": "two" })).await;
    window.run("tandem.snooze", json!({ "minutes": 30 })).await;
    let (before, spent) = window.session().await;
    assert!(spent > 0);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 14 } });
    let argument =
        json!({ "textDocument": { "uri": FILE }, "range": range, "instruction": "rename a1 to b1" });
    let params = json!({ "command": "tandem.rewrite", "arguments": [argument] });
    let rewrite = window.driver.ask("workspace/executeCommand", params);
    sleep(Duration::from_millis(150)).await;
    user.kill_servers().await;
    let lost = Instant::now();
    let (after, spent_after) = window.session().await;
    assert_eq!(after, before);
    // A new server asks whether the models answer.
    assert!((spent..spent + 50).contains(&spent_after), "{spent}, {spent_after}");
    assert!(lost.elapsed() < Duration::from_secs(2), "{:?}", lost.elapsed());
    let edit = window.driver.expect("workspace/applyEdit").await.unwrap();
    assert!(edit.to_string().contains("b1"), "{edit}");
    window.driver.reply(&edit, json!({ "applied": true }));
    assert_eq!(window.driver.answer(rewrite).await.unwrap()["result"]["model"], "two");
    // The limit of a session counts what was spent before.
    user.kill_servers().await;
    set(&config);
    let (session, _) = window.session().await;
    assert!(session.contains("`budget.session_tokens` is reached"), "{session}");
    window.finish().await;
    user.wait_for_end().await;
}

#[tokio::test]
async fn windows_ask_over_the_same_connections_and_each_pays_for_itself() {
    let script = Script::parse("{\"reply\": \"f(3);\"}").unwrap();
    let simulator = tandem::simulate::start(Options { script, ..Options::default() }).await.unwrap();
    let user = User::new();
    let config = format!(
        "[providers.p]\nbase_url = \"{}\"\n[fast]\ncandidates = [{{ provider = \"p\", model = \"m\" }}]\n",
        simulator.base_url()
    );
    std::fs::write(user.0.path().join("config.toml"), config).unwrap();
    let mut windows = Vec::new();
    for _ in 0..4 {
        windows.push(user.window(&[]).await);
    }
    for window in &mut windows {
        window.open("let a1 = f(1);\nlet a2 = f(2);\nlet a3 = ");
        window.expect_ghost(2, 9, "f").await;
    }
    // With connections of its own, each window has one in use and one in reserve.
    assert!(simulator.stats().connections_open <= 5, "{:?}", simulator.stats());
    let mut spent = Vec::new();
    for window in &mut windows {
        spent.push(window.session().await.1);
    }
    assert!(spent.iter().all(|it| *it > 0), "{spent:?}");
    // The first one paid for the requests that show whether the model answers.
    let day = windows[0].run("tandem.status", Value::Null).await["usage"]["day"]["inputTokens"].clone();
    assert_eq!(day, spent.iter().sum::<u64>());
    let first = windows.remove(0);
    first.finish().await;
    for window in &mut windows {
        window.type_at(2, 9, "f");
        window.expect_ghost(2, 10, "(3").await;
    }
    for window in windows {
        window.finish().await;
    }
    user.wait_for_end().await;
}

#[tokio::test]
async fn each_window_names_its_own_session_and_all_use_one_token() {
    let user = User::new();
    let ok = json!({"choices": [{"message": {"content": "f(3);"}, "finish_reason": "stop"}]});
    let vendor = Vendor::start(vec![Reply::json(200, &ok)]).await;
    let runs = user.0.path().join("runs");
    let config = format!(
        "[providers.p]\nbase_url = \"{}\"\nwire = \"chat\"\nheaders = {{ X-Session-ID = \"{{session}}\" }}\n\
         token_command = [\"sh\", \"-c\", \"echo x >> '{}'; sleep 0.2; echo t1\"]\n\
         [fast]\ncandidates = [{{ provider = \"p\", model = \"m\" }}]\n",
        vendor.base_url,
        runs.display()
    );
    std::fs::write(user.0.path().join("config.toml"), config).unwrap();
    let mut windows = vec![user.window(&[]).await, user.window(&[]).await, user.window(&[]).await];
    for window in &mut windows {
        window.open("let a1 = f(1);\nlet a2 = f(2);\nlet a3 = ");
        window.expect_ghost(2, 9, "f").await;
    }
    let sessions = || -> BTreeSet<String> {
        let asked = vendor.asked().into_iter();
        asked.map(|it| it.head.split("x-session-id: ").nth(1).unwrap()[..16].to_owned()).collect()
    };
    assert_eq!(sessions().len(), 3);
    assert_eq!(std::fs::read_to_string(&runs).unwrap(), "x\n");
    user.kill_servers().await;
    for window in &mut windows {
        window.type_at(2, 9, "f");
        window.expect_ghost(2, 10, "f").await;
    }
    assert_eq!(sessions().len(), 3, "they go on");
    assert_eq!(std::fs::read_to_string(&runs).unwrap(), "x\nx\n");
    for window in windows {
        window.finish().await;
    }
    user.wait_for_end().await;
}

#[tokio::test]
async fn a_window_whose_servers_are_lost_again_and_again_runs_its_own() {
    let user = User::new();
    let mut window = user.window(&[]).await;
    window.open("let a1 = f(1);\nlet a2 = f(2);\nlet a3 = ");
    for _ in 0..4 {
        window.expect_ghost(2, 9, "f").await;
        user.kill_servers().await;
    }
    window.expect_ghost(2, 9, "f").await;
    let log = window.finish().await;
    let own = "the shared server cannot be used (it was lost 3 times in a minute); this window runs its own";
    assert!(log.contains(own), "{log}");
}

#[tokio::test]
async fn a_folder_of_others_is_not_used() {
    let user = User::new();
    std::fs::write(user.0.path().join("tandem"), "not a folder").unwrap();
    let mut window = user.window(&[]).await;
    window.open("let a1 = f(1);\nlet a2 = f(2);\nlet a3 = ");
    window.expect_ghost(2, 9, "f").await;
    let log = window.finish().await;
    assert!(log.contains("this window runs its own"), "{log}");
}

#[tokio::test]
async fn a_server_that_hangs_holds_no_window_up() {
    let user = User::new();
    let first = user.window(&[]).await;
    let host = host(&user.sockets()[0]).await;
    signal("STOP", host);
    let mut second = user.window(&[]).await;
    second.open("let a1 = f(1);\nlet a2 = f(2);\nlet a3 = ");
    second.expect_ghost(2, 9, "f").await;
    let log = second.finish().await;
    assert!(log.contains("its answer took too long"), "{log}");
    signal("CONT", host);
    first.finish().await;
    user.wait_for_end().await;
}

#[tokio::test]
async fn windows_leave_a_server_that_hangs() {
    let user = User::new();
    let mut windows = [user.window(&[]).await, user.window(&[]).await];
    for window in &mut windows {
        window.open("let a1 = f(1);\nlet a2 = f(2);\nlet a3 = ");
        window.expect_ghost(2, 9, "f").await;
    }
    let host = host(&user.sockets()[0]).await;
    signal("STOP", host);
    for window in &mut windows {
        let asked = Instant::now();
        window.type_at(2, 9, "f");
        window.expect_ghost(2, 10, "(3").await;
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    }
    for window in windows {
        let log = window.finish().await;
        assert!(log.contains("its answer took too long"), "{log}");
    }
    signal("KILL", host);
}

/// The process that serves a socket.
async fn host(socket: &Path) -> i32 {
    let stream = tokio::net::UnixStream::connect(socket).await.unwrap();
    stream.peer_cred().unwrap().pid().unwrap()
}

fn signal(signal: &str, process: i32) {
    let command = format!("kill -{signal} {process}");
    let sent = std::process::Command::new("sh").args(["-c", &command]).status();
    assert!(sent.unwrap().success());
}
