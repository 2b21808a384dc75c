//! The flight recorder, as an editor sees it.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tandem::record::{AnswerEntry, Entry, Event, ring};
use tandem::simulate::{Options, Script};

use crate::support::{Editor, MARKED, Setup, uri};

const A: &str = "file:///no-such-folder/a.rs";

/// Assembled here, so that this file contains no key.
fn key() -> String {
    format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2))
}

fn setup(state: &Path, settings: &str) -> Setup {
    let script = r#"{"deltas": ["height", ";"]}"#;
    Setup {
        simulator: Some(Options { script: Script::parse(script).unwrap(), ..Options::default() }),
        settings: settings.to_owned(),
        state: Some(state.to_owned()),
        ..Setup::default()
    }
}

fn entries(state: &Path) -> Vec<Entry> {
    let mut entries = Vec::new();
    for file in ring::files(&ring::folder(state)).unwrap() {
        assert_eq!(ring::read(&file.path, |entry| entries.push(entry)).unwrap(), ring::Unread::default());
    }
    entries
}

#[tokio::test]
async fn what_is_typed_asked_shown_and_accepted_is_recorded() {
    let state = tempfile::tempdir().unwrap();
    let mut editor = Editor::with(setup(state.path(), "record = true\n")).await;
    let marked = format!("const KEY: &str = \"{}\";\n{MARKED}", key());
    let (line, column) = editor.open_at(A, &marked);
    let shown = editor.complete(A, line, column).await;
    let text = shown[0]["insertText"].as_str().unwrap().to_owned();
    editor.change(A, 2, [line, column, line, column], &text);
    let accept = json!({ "command": "tandem.accept", "arguments": shown[0]["command"]["arguments"] });
    editor.driver.request("workspace/executeCommand", accept).await.unwrap();
    editor.driver.notify("textDocument/didSave", json!({ "textDocument": { "uri": A } }));
    // Files that no model may see are not recorded.
    editor.open_only("file:///no-such-folder/.env", "plaintext", "PASSWORD=unseen\n");
    editor.driver.expect("window/logMessage").await.unwrap();
    editor.finish().await;

    let entries = entries(state.path());
    let kinds: Vec<&str> = entries.iter().map(|entry| entry.event.kind()).collect();
    for kind in
        ["header", "setContent", "changed", "decided", "requested", "answered", "shown", "accepted", "saved"]
    {
        assert!(kinds.contains(&kind), "no {kind} in {kinds:?}");
    }
    assert!(entries.windows(2).all(|pair| pair[0].time <= pair[1].time), "{entries:?}");
    let printed = serde_json::to_string(&entries).unwrap();
    assert!(!printed.contains(&key()) && !printed.contains("unseen"), "{printed}");
    let answer = entries.iter().find_map(|entry| match &entry.event {
        Event::Answered(answer) => {
            Some(answer.chunks.iter().map(|(_, text)| text.as_str()).collect::<String>())
        }
        _ => None,
    });
    assert!(answer.unwrap().starts_with("height"));
    // Replaying the edits gives the text in the editor.
    let mut replayed = String::new();
    for entry in &entries {
        match &entry.event {
            Event::SetContent { content, .. } => replayed.clone_from(content),
            Event::Changed { edit, .. } => {
                let (start, end, new) = &edit[0];
                replayed.replace_range(*start..*end, new);
            }
            _ => {}
        }
    }
    assert!(replayed.ends_with(&MARKED.replace('ˇ', &text)), "{replayed}");
}

#[tokio::test]
async fn nothing_is_recorded_unless_the_user_says_so() {
    let state = tempfile::tempdir().unwrap();
    let mut editor = Editor::with(setup(state.path(), "")).await;
    let (line, column) = editor.open_at(A, MARKED);
    editor.complete(A, line, column).await;
    editor.finish().await;
    assert!(!ring::folder(state.path()).exists());
}

#[tokio::test]
async fn project_cannot_have_the_user_recorded() {
    let (state, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(work.path().join(".tandem.toml"), "record = true\n").unwrap();
    let setup = Setup { workspace: work.path().to_owned(), ..setup(state.path(), "") };
    let mut editor = Editor::with(setup).await;
    let said: Value = editor.driver.expect("window/showMessage").await.unwrap();
    assert!(
        said["params"]["message"].as_str().unwrap().contains("a project must not have you recorded"),
        "{said}"
    );
    let (line, column) = editor.open_at(A, MARKED);
    editor.complete(A, line, column).await;
    editor.finish().await;
    assert!(!ring::folder(state.path()).exists());
}

#[tokio::test]
async fn recording_that_is_open_in_the_editor_is_not_recorded() {
    let state = tempfile::tempdir().unwrap();
    let mut editor = Editor::with(setup(state.path(), "record = true\n")).await;
    let own = uri(&ring::folder(state.path()).join("unseen.jsonl"));
    let (line, column) = editor.open_at(&own, MARKED);
    editor.complete(&own, line, column).await;
    editor.change(&own, 2, [0, 0, 0, 0], "grown\n");
    let status = editor.driver.request("tandem/status", json!({})).await.unwrap();
    assert_eq!(status["recording"], json!(true));
    editor.finish().await;
    let entries = entries(state.path());
    assert!(entries.is_empty(), "{entries:?}");
}

#[tokio::test]
async fn recorder_follows_the_setting() {
    let state = tempfile::tempdir().unwrap();
    let mut editor = Editor::with(setup(state.path(), "")).await;
    editor.open(A, "rust", "fn a() {}\n");
    let config = editor.config();
    let text = std::fs::read_to_string(&config).unwrap();
    let count = || entries(state.path()).iter().filter(|it| it.event.kind() == "setContent").count();
    for (is_on, expected) in [(true, 1), (false, 1)] {
        std::fs::write(&config, format!("record = {is_on}\n{text}")).unwrap();
        editor.driver.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
        editor.driver.expect("window/logMessage").await.unwrap();
        editor.change(A, 2, [0, 0, 0, 0], "// a\n");
        let status = editor.driver.request("tandem/status", json!({})).await.unwrap();
        assert_eq!(status["recording"], json!(is_on));
        if !is_on {
            // The last entries are written in the background.
            let written = async {
                while count() < expected {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(10), written).await.unwrap();
            assert_eq!(count(), expected);
        }
    }
    editor.finish().await;
}

/// `ulimit -f` simulates a full disk: it cuts one write short, and the next one fails.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn disk_that_fills_ends_the_recording_with_one_message_and_nothing_else() {
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "record = true\n").unwrap();
    let limited = "trap '' XFSZ; ulimit -f 16; exec \"$0\" lsp";
    let mut child = tokio::process::Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_tandem")])
        .env("TANDEM_CONFIG", &config)
        .env("TANDEM_STATE", folder.path())
        .env_remove("TANDEM_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut driver =
        tandem::lsp_client::LspClient::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let params =
        json!({ "processId": null, "rootUri": null, "capabilities": crate::support::capabilities("utf-16") });
    driver.initialize(params).await.unwrap();
    let text = format!("{MARKED}{}", "// a\n".repeat(20)).replace('ˇ', "");
    let document = json!({ "uri": A, "languageId": "rust", "version": 1, "text": text });
    driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
    for version in 2..200 {
        let range = json!({ "start": { "line": 9, "character": 0 }, "end": { "line": 9, "character": 0 } });
        let change = json!({ "range": range, "text": "one more comment\n" });
        let document = json!({ "uri": A, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        driver.notify("textDocument/didChange", params);
        driver.notify("textDocument/didSave", json!({ "textDocument": { "uri": A } }));
    }
    let said = driver.expect("window/showMessage").await.unwrap();
    let said = said["params"]["message"].as_str().unwrap();
    let expected = "Tandem: the recording ends here, since it cannot be written: ";
    assert!(said.starts_with(expected) && said.contains("too large"), "{said}");
    let shown = driver
        .request("textDocument/inlineCompletion", crate::support::complete_params(A, 1, 18))
        .await
        .unwrap();
    assert_eq!(shown[0]["insertText"], "height;", "{shown}");
    let unread = driver.finish().await.unwrap();
    let messages = unread.iter().filter(|it| it["method"] == "window/showMessage");
    assert_eq!(messages.count(), 0, "{unread:?}");
    assert!(child.wait().await.unwrap().success());
    // What was written before can be read, but for a line that is cut.
    let (mut count, file) = (0, &ring::files(&ring::folder(folder.path())).unwrap()[0].path);
    assert!(ring::read(file, |_| count += 1).unwrap().lines <= 1);
    assert!(count > 10, "{count}");
}

/// The page describes every kind of entry, and every field of it.
#[test]
fn page_describes_every_entry() {
    let page = std::fs::read_to_string("editors/recording.md").unwrap();
    let text = String::new;
    let edit = || vec![(0, 0, String::new())];
    let events = [
        Event::Header {
            document_type: text(),
            repo_root_uri: text(),
            uuid: text(),
            tandem: 1,
            program: text(),
        },
        Event::DocumentEncountered { id: 1, relative_path: text(), language: text() },
        Event::SetContent { id: 1, v: 1, content: text() },
        Event::Changed { id: 1, edit: edit(), v: 1 },
        Event::SelectionChanged { id: 1, selection: vec![(0, 0)] },
        Event::Closed { id: 1 },
        Event::Saved { id: 1 },
        Event::BranchChanged,
        Event::Decided { id: 1, job: text(), explicit: false, code: text(), began: 1 },
        Event::Requested {
            request: 1,
            id: 1,
            job: text(),
            gear: text(),
            model: text(),
            at: 1,
            instructions: text(),
            input: text(),
            fim: None,
            max_tokens: 1,
            inputs: Some(Box::default()),
        },
        Event::Answered(AnswerEntry {
            request: 1,
            end: text(),
            input_tokens: 1,
            cached_tokens: 1,
            cache_write_tokens: 1,
            output_tokens: 1,
            took: 1,
            ..AnswerEntry::default()
        }),
        Event::Ended { request: 1, code: text(), text: None, shown: 1, doubtful: false },
        Event::Shown { id: 1, suggestion: 1, job: text(), edit: edit(), gear: text(), model: None },
        Event::Drawn { suggestion: 1 },
        Event::Accepted { suggestion: 1, units: None },
        Event::Dismissed { suggestion: 1 },
        Event::Lost { notes: 1 },
    ];
    for event in events {
        let kind = event.kind();
        let written = serde_json::to_value(Entry { time: 1, event }).unwrap();
        assert_eq!(written["kind"], kind);
        let is_its =
            |line: &&str| line.split('|').nth(1).is_some_and(|cell| cell.contains(&format!("`{kind}`")));
        let row = page.lines().find(is_its);
        let row = row.unwrap_or_else(|| panic!("no row for {kind}"));
        let fields =
            written.as_object().unwrap().keys().filter(|it| !["kind", "time"].contains(&it.as_str()));
        for field in fields {
            assert!(row.contains(&format!("`{field}`")), "{kind} has no {field}: {row}");
        }
        for field in written["inputs"].as_object().into_iter().flatten().map(|(field, _)| field) {
            assert!(page.contains(&format!("| `{field}` |")), "inputs has no {field}");
        }
    }
}
