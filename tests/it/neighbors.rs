//! What the local engine learns of files that are not open, as an editor sees it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tandem::assist::Models;
use tempfile::TempDir;

use crate::support::{Editor, Setup, complete_params, uri};

/// Far longer than it takes to read a few files.
const GENEROUS: Duration = Duration::from_secs(60);

/// An editor without a model, with `app.py` open among other files.
struct Project {
    editor: Editor,
    folder: PathBuf,
    uri: String,
    version: i32,
    _on_disk: TempDir,
}

impl Project {
    async fn open(files: &[(&str, String)], settings: &str) -> Self {
        let on_disk = TempDir::new().unwrap();
        let folder = std::fs::canonicalize(on_disk.path()).unwrap();
        for (name, text) in files.iter().chain([&("app.py", String::new())]) {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let setup = Setup {
            models: Some(Models::default()),
            workspace: folder.clone(),
            settings: settings.to_owned(),
            ..Setup::default()
        };
        let mut editor = Editor::with(setup).await;
        let uri = uri(&folder.join("app.py"));
        editor.open_only(&uri, "python", "");
        Self { editor, folder, uri, version: 1, _on_disk: on_disk }
    }

    /// The suggestion after `line`, the only one of the file.
    async fn suggested(&mut self, line: &str) -> Option<String> {
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        let change = json!({ "textDocument": document, "contentChanges": [{ "text": line }] });
        let driver = &mut self.editor.driver;
        driver.notify("textDocument/didChange", change);
        let mut params = complete_params(&self.uri, 0, u32::try_from(line.len()).unwrap());
        params["context"] = json!({ "triggerKind": 1 });
        let found: Value = driver.request("textDocument/inlineCompletion", params).await.unwrap_or_default();
        let item = found.get(0).or_else(|| found["items"].get(0))?;
        item["insertText"].as_str().map(str::to_owned)
    }

    /// Waits until `word` is suggested after `line`, or no longer is.
    async fn until(&mut self, line: &str, word: &str, is_suggested: bool) {
        let since = Instant::now();
        while self.suggests(line, word).await != is_suggested {
            assert!(since.elapsed() < GENEROUS, "{line}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn suggests(&mut self, line: &str, word: &str) -> bool {
        self.suggested(line).await.is_some_and(|it| it.contains(word))
    }
}

fn repeated(line: &str) -> String {
    format!("{line}\n").repeat(8)
}

#[tokio::test]
async fn file_beside_the_open_one_is_learned_where_that_is_allowed() {
    // Assembled here, so that this file contains no key.
    let key = format!("sk-{}", "A1b2C3d4E5f6G7h8".repeat(2));
    let files = [
        ("beside.py", repeated("limit = Limits.read(path)")),
        ("other.rb", repeated("ledger = Ledger.open(path)")),
        ("hidden.py", repeated("parcel = Parcel.load(path)")),
        (
            "keys.py",
            repeated(&format!("access_token = \"{key}\"")) + &repeated("visitor = Visitor.find(path)"),
        ),
        (".tandemignore", "hidden.py\n".to_owned()),
    ];
    let mut project = Project::open(&files, "").await;
    project.until("limit = Limits.", "read", true).await;
    project.until("visitor = Visitor.", "find", true).await;
    let others = [("parcel = Parcel.", "load"), ("ledger = Ledger.", "open")];
    for (line, word) in others.into_iter().chain(["", "\"", "\"sk-A1"].map(|it| (it, "b2C3"))) {
        let line = if word == "b2C3" { format!("access_token = {line}") } else { line.to_owned() };
        assert!(!project.suggests(&line, word).await, "{line}");
    }
    // The rules for a file that was learned change.
    std::fs::write(project.folder.join(".tandemignore"), "hidden.py\nbeside.py\n").unwrap();
    let changes = json!({ "changes": [{ "uri": uri(&project.folder.join(".tandemignore")), "type": 2 }] });
    project.editor.driver.notify("workspace/didChangeWatchedFiles", changes);
    project.until("limit = Limits.", "read", false).await;
    project.until("visitor = Visitor.", "find", true).await;
    assert!(!project.suggests("limit = Limits.", "read").await);
    project.editor.hang_up().await;
}

#[tokio::test]
async fn only_open_files_are_learned_where_the_settings_say_so() {
    let files = [("beside.py", repeated("limit = Limits.read(path)"))];
    for context in ["file", "open"] {
        let mut project = Project::open(&files, &format!("[privacy]\ncontext = \"{context}\"\n")).await;
        let text = repeated("parcel = Parcel.load(path)");
        let open = project.folder.join("open.py");
        std::fs::write(&open, &text).unwrap();
        project.editor.open_only(&uri(&open), "python", &text);
        project.until("parcel = Parcel.", "load", true).await;
        // In the other test, it takes a tenth of this to learn such a file.
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(1) {
            assert!(!project.suggests("limit = Limits.", "read").await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        project.editor.hang_up().await;
    }
}
