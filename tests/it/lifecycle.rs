//! Initialization, shutdown, and everything that can go wrong with them.

use std::process::Stdio;
use std::time::Duration;

use expect_test::expect;
use serde_json::{Value, json};
use tandem::lsp::Ended;
use tokio::io::AsyncWriteExt as _;

use crate::hostile::Served;
use crate::support::{Editor, Setup, capabilities};

#[tokio::test]
async fn announces_what_it_does() {
    let mut editor = Editor::bare();
    let params = json!({ "capabilities": capabilities("utf-8") });
    let mut answer = editor.driver.initialize(params).await.unwrap();
    answer["serverInfo"]["version"] = json!("-");
    expect![[r#"
        {
          "capabilities": {
            "codeActionProvider": {
              "codeActionKinds": [
                "quickfix",
                "source.fixAll.tandem",
                "refactor.rewrite.tandem.instruct",
                "source.tandem.ask",
                "refactor.tandem"
              ],
              "resolveProvider": true
            },
            "executeCommandProvider": {
              "commands": [
                "tandem.rewrite",
                "tandem.fix",
                "tandem.plan",
                "tandem.checkPlan",
                "tandem.job",
                "tandem.ask",
                "tandem.accept",
                "tandem.reject",
                "tandem.status",
                "tandem.why",
                "tandem.snooze",
                "tandem.models",
                "tandem.useModel",
                "tandem.raiseBudget"
              ]
            },
            "inlineCompletionProvider": true,
            "notebookDocumentSync": {
              "notebookSelector": [
                {
                  "notebook": {
                    "scheme": "file"
                  }
                },
                {
                  "notebook": {
                    "scheme": "untitled"
                  }
                }
              ],
              "save": true
            },
            "positionEncoding": "utf-8",
            "textDocumentSync": {
              "change": 2,
              "openClose": true,
              "save": true
            },
            "workspace": {
              "workspaceFolders": {
                "changeNotifications": true,
                "supported": true
              }
            }
          },
          "serverInfo": {
            "name": "tandem",
            "version": "-"
          }
        }"#]]
    .assert_eq(&format!("{answer:#}"));
    editor.driver.expect("window/logMessage").await.unwrap();
    editor.finish().await;
}

#[tokio::test]
async fn ends_when_the_editor_dies_without_a_word() {
    let mut editor = Editor::start().await;
    editor.open("file:///no-such-folder/a.rs", "rust", "fn main() {}\n");
    assert_eq!(editor.hang_up().await, Ended::Abandoned);
}

#[tokio::test]
async fn refuses_requests_before_hello() {
    let mut editor = Editor::bare();
    let id = editor.driver.ask("textDocument/codeAction", json!({}));
    let answer = editor.driver.answer(id).await.unwrap();
    assert_eq!(answer["error"]["code"], -32002);
    assert_eq!(editor.hang_up().await, Ended::Abandoned);
}

#[tokio::test]
async fn says_what_is_wrong_with_the_settings_once() {
    let setup = Setup { options: json!({ "max_file_bytes": "much", "shell": "rm" }), ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    let shown = editor.driver.expect("window/showMessage").await.unwrap();
    let message = shown["params"]["message"].as_str().unwrap();
    assert!(message.contains("initializationOptions: max_file_bytes"), "{message}");
    assert!(message.contains("initializationOptions: shell: no such setting"), "{message}");
    editor.finish().await;
}

/// The pipes are open, but the editor's process is gone.
#[cfg(unix)]
#[tokio::test]
async fn ends_when_the_editors_process_does() {
    for is_waited_for in [true, false] {
        let folder = tempfile::TempDir::new().unwrap();
        let mut process = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let mut served = Served::start(folder.path(), Some(process.id())).await;
        assert!(served.driver.request("tandem/status", Value::Null).await.is_ok(), "it serves until then");
        process.kill().unwrap();
        if is_waited_for {
            process.wait().unwrap();
        }
        let status =
            tokio::time::timeout(Duration::from_secs(60), served.child.wait()).await.unwrap().unwrap();
        assert_eq!(status.code(), Some(1));
        process.wait().unwrap();
    }
}

/// No process id, the server's own, and one that is not visible from here.
#[tokio::test]
async fn an_editor_whose_process_is_not_known_is_served() {
    for process in [None, Some(0), Some(std::process::id()), Some(i32::MAX.cast_unsigned())] {
        let mut editor = Editor::with(Setup { process, ..Setup::default() }).await;
        editor.open("file:///no-such-folder/a.rs", "rust", "fn main() {}\n");
        assert!(editor.driver.request("tandem/status", Value::Null).await.is_ok(), "{process:?}");
        editor.finish().await;
    }
}

/// Later messages cannot be delimited any more. The pipes stay open.
#[tokio::test]
async fn ends_at_bytes_that_are_no_message() {
    let shutdown = r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#;
    for sent in [
        shutdown.to_owned(),
        format!("{shutdown}\n{shutdown}\n"),
        format!("\r\n {shutdown}"),
        format!("Content-Type: x\r\n\r\n{shutdown}"),
        format!("Content-Length: {}\r\n\r\n{shutdown}{shutdown}", shutdown.len()),
        format!("Content-Length: many\r\n\r\n{shutdown}"),
        "\0".repeat(4 * 1024),
        "a greeting\n".repeat(65),
    ] {
        let folder = tempfile::TempDir::new().unwrap();
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.arg("lsp").env("TANDEM_CONFIG", "").env("TANDEM_STATE", folder.path()).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(sent.as_bytes()).await.unwrap();
        let status = tokio::time::timeout(Duration::from_secs(60), child.wait()).await.unwrap().unwrap();
        assert_eq!(status.code(), Some(1), "{sent:?}");
        drop(input);
    }
}

/// glibc reads the number of heap arenas from the environment when a process starts.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[tokio::test]
async fn server_restarts_with_one_heap_arena_unless_their_number_is_set() {
    use tokio::io::AsyncReadExt as _;

    for (set, expected) in [(None, "1"), (Some("4"), "4")] {
        let folder = tempfile::TempDir::new().unwrap();
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.arg("lsp").env("TANDEM_CONFIG", "").env("TANDEM_STATE", folder.path()).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        match set {
            Some(arenas) => command.env("MALLOC_ARENA_MAX", arenas),
            None => command.env_remove("MALLOC_ARENA_MAX"),
        };
        let mut child = command.spawn().unwrap();
        let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
        let sent = format!("Content-Length: {}\r\n\r\n{initialize}", initialize.len());
        child.stdin.as_mut().unwrap().write_all(sent.as_bytes()).await.unwrap();
        // The process that answers is the one that was started.
        child.stdout.as_mut().unwrap().read_u8().await.unwrap();
        let environment = std::fs::read(format!("/proc/{}/environ", child.id().unwrap())).unwrap();
        let expected = format!("MALLOC_ARENA_MAX={expected}");
        assert!(environment.split(|byte| *byte == 0).any(|it| it == expected.as_bytes()), "{set:?}");
    }
}
