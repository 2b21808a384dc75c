//! `tandem.ask` and `tandem ask`: where something is defined.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Editor, Setup, capabilities, uri};

/// Far more than the walk of two files takes.
const GENEROUS: Duration = Duration::from_secs(60);
const APP: &str = "from settings import load_settings\n\nvalue = load_settings(1)\n";
const SETTINGS: &str =
    "import os\n\ndef load_settings(path):\n    \"\"\"Reads the settings.\"\"\"\n    return path\n";

fn project() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("app.py"), APP).unwrap();
    std::fs::write(folder.path().join("settings.py"), SETTINGS).unwrap();
    std::fs::write(folder.path().join(".env"), "LOAD_SETTINGS=1\n").unwrap();
    folder
}

async fn ask(editor: &mut Editor, argument: &Value) -> Value {
    let params = json!({ "command": "tandem.ask", "arguments": [argument] });
    editor.driver.request("workspace/executeCommand", params).await.unwrap()
}

#[tokio::test]
async fn question_is_answered_and_its_answer_shown() {
    let on_disk = project();
    let folder = std::fs::canonicalize(on_disk.path()).unwrap();
    let mut capabilities = capabilities("utf-16");
    capabilities["window"] = json!({ "showDocument": { "support": true } });
    let setup = Setup { workspace: folder.clone(), simulator: None, capabilities, ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    let (app, settings) = (uri(&folder.join("app.py")), uri(&folder.join("settings.py")));
    editor.open_only(&app, "python", APP);
    let by_name =
        json!({ "textDocument": { "uri": app }, "position": { "line": 2, "character": 12 }, "quiet": true });
    let since = Instant::now();
    let answers = loop {
        let answers = ask(&mut editor, &by_name).await["answers"].clone();
        if answers[0]["uri"] == json!(settings) {
            break answers;
        }
        assert!(since.elapsed() < GENEROUS, "{answers}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!((&answers[0]["why"], &answers[0]["range"]["start"]["line"]), (&json!("imported"), &json!(2)));

    let answers = ask(&mut editor, &json!({ "question": "where are settings loaded?" })).await;
    assert_eq!(answers["answers"][0]["name"], "load_settings");
    let shown = editor.driver.expect("window/showDocument").await.unwrap();
    assert_eq!(shown["params"]["uri"], json!(settings));

    let params = |kind: u32| {
        let at = json!({ "line": 2, "character": 12 });
        json!({
            "textDocument": { "uri": app }, "range": { "start": at, "end": at },
            "context": { "diagnostics": [], "triggerKind": kind },
        })
    };
    let asked = editor.driver.request("textDocument/codeAction", params(1)).await.unwrap();
    assert_eq!(asked[0]["title"], "Tandem: show load_settings in settings.py:3");
    assert_eq!(asked[0]["command"]["command"], "tandem.ask");
    let unasked = editor.driver.request("textDocument/codeAction", params(2)).await.unwrap();
    assert_eq!(unasked, json!([]));
    editor.hang_up().await;
}

/// What the command prints in a folder, and its exit code.
fn run(folder: &Path, question: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_tandem"))
        .arg("ask")
        .args(question)
        .current_dir(folder)
        .env("TANDEM_CONFIG", folder.join("none.toml"))
        .env("XDG_CACHE_HOME", folder.join(".cache"))
        .output()
        .unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

#[test]
fn command_prints_file_and_line() {
    let folder = project();
    let (printed, code) = run(folder.path(), &["which", "file", "owns", "load_settings?"]);
    assert_eq!(printed, "settings.py:3: def load_settings(path):\n    Reads the settings.\n");
    assert_eq!(code, Some(0));
    assert_eq!(run(folder.path(), &["kubernetes"]), (String::new(), Some(1)));
}
