//! Hello, goodbye, and everything that can go wrong with them.

use std::time::Duration;

use expect_test::expect;
use serde_json::{Value, json};
use tandem::lsp::Ended;

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
                "tandem.job",
                "tandem.ask",
                "tandem.accept",
                "tandem.reject",
                "tandem.status",
                "tandem.why",
                "tandem.snooze"
              ]
            },
            "inlineCompletionProvider": true,
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

/// The pipes are open, but whose they were is gone.
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

/// No number, the server's own, and one that is not to be seen from here.
#[tokio::test]
async fn an_editor_whose_process_is_not_known_is_served() {
    for process in [None, Some(0), Some(std::process::id()), Some(i32::MAX.cast_unsigned())] {
        let mut editor = Editor::with(Setup { process, ..Setup::default() }).await;
        editor.open("file:///no-such-folder/a.rs", "rust", "fn main() {}\n");
        assert!(editor.driver.request("tandem/status", Value::Null).await.is_ok(), "{process:?}");
        editor.finish().await;
    }
}
