//! `tandem.ask` and `tandem ask`: questions about where names are defined.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use tandem::simulate::{self, Options, Script, Simulator};

use crate::support::{Editor, Setup, capabilities, uri};

/// Far longer than the walk of two files takes.
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
        // Until the folder is read, the file is the nearest one alone.
        if answers[0]["uri"] == json!(settings) && answers[0]["why"] == "imported" {
            break answers;
        }
        assert!(since.elapsed() < GENEROUS, "{answers}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(answers[0]["range"]["start"]["line"], 2);

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

/// A model's reply with one wrong claim of three, and one claim without a location.
const REPLY: &str = "They are read in `settings.py:3`.\nApp calls that at app.py:3, and again at app.py:30.\n\n\
                     Nothing else reads them anywhere.\n";
/// The same reply as displayed.
const CHECKED: &str = "They are read in `settings.py:3`.\nApp calls that at app.py:3, and again at app.py:30. [no line \
                       30: it has 3]\n\nNothing else reads them anywhere. [cites no line]";

/// A simulator that lists the model: a model that is not listed is probed, which counts as a request.
fn listed() -> Options {
    Options { models: vec!["test-model".to_owned()], ..Options::default() }
}

fn scripted() -> Options {
    let script = json!({ "when": "You answer a question", "reply": REPLY }).to_string();
    Options { script: Script::parse(&script).unwrap(), ..listed() }
}

#[tokio::test]
async fn reply_is_checked_and_sent_as_it_grows() {
    let on_disk = project();
    let folder = std::fs::canonicalize(on_disk.path()).unwrap();
    let setup = Setup { workspace: folder.clone(), simulator: Some(scripted()), ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    let argument = json!({
        "question": "who reads the settings?", "reply": true, "partialResultToken": "words",
    });
    let since = Instant::now();
    let answered = loop {
        let params = json!({ "command": "tandem.ask", "arguments": [argument] });
        // Before the walk is done there is nothing to show.
        match editor.driver.request("workspace/executeCommand", params).await {
            Ok(answered) if answered["answers"][0]["name"] == "load_settings" => break answered,
            other => assert!(since.elapsed() < GENEROUS, "{other:?}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let reply = &answered["reply"];
    assert_eq!(reply["text"], CHECKED);
    assert_eq!(
        (&reply["missing"], &reply["unplaced"], &reply["gear"]),
        (&json!(1), &json!(1), &json!("fast"))
    );
    let place = &reply["places"][0];
    assert_eq!((&place["path"], &place["text"]), (&json!("settings.py"), &json!("def load_settings(path):")));
    assert_eq!(place["uri"], json!(uri(&folder.join("settings.py"))));
    let mut grown = String::new();
    while !grown.ends_with(CHECKED) {
        let more = editor.driver.expect("$/progress").await.unwrap();
        assert_eq!(more["params"]["token"], "words");
        grown.push_str(more["params"]["value"]["text"].as_str().unwrap());
    }
    editor.hang_up().await;
}

#[tokio::test]
async fn reply_without_a_model_is_null() {
    let on_disk = project();
    let folder = std::fs::canonicalize(on_disk.path()).unwrap();
    let setup = Setup { workspace: folder, simulator: None, ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    let answered = ask(&mut editor, &json!({ "question": "who reads the settings?", "reply": true })).await;
    assert_eq!(answered["reply"], Value::Null);
    editor.hang_up().await;
}

/// Writes a model's configuration into a project's folder, with more settings.
fn configure(folder: &Path, simulator: &Simulator, settings: &str) {
    let text = format!(
        "{settings}\n[providers.test]\nbase_url = \"{}\"\n\
         [fast]\ncandidates = [{{ provider = \"test\", model = \"test-model\" }}]\n",
        simulator.base_url()
    );
    std::fs::write(folder.join("tandem-test.toml"), text).unwrap();
}

/// Like [`run`], with that model; the standard error comes last.
async fn run_with_model(folder: &Path, arguments: &[&str]) -> (String, Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.arg("ask").args(arguments).current_dir(folder).env_remove("TANDEM_LOG");
    command.env("TANDEM_CONFIG", folder.join("tandem-test.toml")).env("TANDEM_STATE", folder.join(".state"));
    command.env("XDG_CACHE_HOME", folder.join(".cache"));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), output.status.code(), text(output.stderr))
}

/// Like [`run_with_model`], retried until the model answers: on a busy machine a connection may time out.
async fn answered(folder: &Path, arguments: &[&str]) -> (String, Option<i32>, String) {
    let since = Instant::now();
    loop {
        let (printed, code, said) = run_with_model(folder, arguments).await;
        if !said.contains("no model answers") {
            return (printed, code, said);
        }
        assert!(since.elapsed() < GENEROUS, "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn command_with_a_model_says_which_places_do_not_exist() {
    let folder = project();
    let simulator = simulate::start(scripted()).await.unwrap();
    configure(folder.path(), &simulator, "");
    let (printed, code, said) = answered(folder.path(), &["who", "reads", "the", "settings?"]).await;
    let places = "\n\nsettings.py:3: def load_settings(path):\napp.py:3: value = load_settings(1)\n";
    assert_eq!(printed, CHECKED.to_owned() + places, "{said}");
    assert_eq!(code, Some(0));
    assert!(said.contains("tandem: 1 cited place does not exist\n"), "{said}");
    assert!(said.contains("tandem: 1 paragraph cites no line\n"), "{said}");

    let (report, _, _) = answered(folder.path(), &["--json", "who reads the settings?"]).await;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["reply"]["text"], &report["reply"]["missing"]), (&json!(CHECKED), &json!(1)));
    assert_eq!(report["answers"][0]["name"], "load_settings");

    let asked = simulator.stats().requests;
    let (printed, _, _) = run_with_model(folder.path(), &["--gear", "local", "load_settings"]).await;
    assert!(printed.starts_with("settings.py:3: def load_settings(path):\n"), "{printed}");
    assert_eq!(simulator.stats().requests, asked, "no model is asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn half_an_answer_is_no_answer() {
    let folder = project();
    for fault in ["cut", "close-mid-stream"] {
        let script = format!(
            r#"{{"reply": "It is in settings.py:3 and then\\n\\nin app.py:1, as it seems.", "fault": "{fault}"}}"#
        );
        let options = Options { script: Script::parse(&script).unwrap(), ..Options::default() };
        let simulator = simulate::start(options).await.unwrap();
        configure(folder.path(), &simulator, "");
        let (printed, code, said) = run_with_model(folder.path(), &["where are settings loaded?"]).await;
        assert_eq!(code, Some(1), "{fault}: {printed}\n{said}");
        assert!(!printed.contains("def load_settings"), "{fault}: {printed}");
        assert!(!said.contains("took back"), "{fault}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn model_sees_lines_with_numbers_and_no_secret() {
    let folder = project();
    let key = format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2));
    let secret = format!("def load_settings_key():\n    key = \"{key}\"\n    return key\n");
    std::fs::write(folder.path().join("more.py"), secret).unwrap();
    let simulator = simulate::start(listed()).await.unwrap();
    configure(folder.path(), &simulator, "");
    let question = ["--show", &format!("what is load_settings with {key}?")];
    let (shown, code, said) = run_with_model(folder.path(), &question).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(shown.contains("@@ settings.py\n3: def load_settings(path)"), "{shown}");
    assert!(shown.contains("\n3: value = load_settings(1)\n"), "a use of it: {shown}");
    assert!(!shown.contains(&key) && !shown.contains("LOAD_SETTINGS"), "{shown}");
    assert_eq!(simulator.stats().requests, 0, "nothing is sent");
    // The engine answers from the lines in its prompt.
    let (printed, _, said) = answered(folder.path(), &["what is load_settings?"]).await;
    assert!(printed.contains("is at settings.py:3.\n"), "{printed}{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn model_is_shown_no_more_than_the_settings_allow() {
    let folder = project();
    let simulator = simulate::start(scripted()).await.unwrap();
    for scope in ["file", "open"] {
        configure(folder.path(), &simulator, &format!("privacy.context = \"{scope}\""));
        let (printed, code, said) = run_with_model(folder.path(), &["load_settings"]).await;
        assert!(printed.starts_with("settings.py:3: def load_settings(path):\n"), "{printed}");
        assert!(said.contains("no model answers: there is no file that a model may be shown"), "{said}");
        assert_eq!(code, Some(0));
    }
    assert_eq!(simulator.stats().requests, 0);
}

/// The output of the command in a folder, and its exit code.
fn run(folder: &Path, question: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_tandem"))
        .arg("ask")
        .args(question)
        .current_dir(folder)
        .env("TANDEM_CONFIG", "")
        .env("XDG_CONFIG_HOME", folder.join(".none"))
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
