//! Hello, goodbye, and everything that can go wrong with them.

use expect_test::expect;
use serde_json::json;
use tandem::lsp::Ended;

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
                "refactor.rewrite.tandem.instruct"
              ],
              "resolveProvider": true
            },
            "executeCommandProvider": {
              "commands": [
                "tandem.rewrite",
                "tandem.fix",
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
    editor.open("file:///work/a.rs", "rust", "fn main() {}\n");
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
