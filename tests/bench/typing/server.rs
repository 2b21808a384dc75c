//! The program itself as an engine: it runs as a language server, and is asked as an editor asks it.
//!
//! One file is open, with an empty line below the one that is typed. Its folder contains its neighbors, except with
//! `--alone`. Requests are automatic.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value, json};
use tandem::lsp_client::LspClient;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::runtime::Runtime;

use crate::corpus::Sample;
use crate::engine::Engine;

/// Attempts to be answered after a file was opened, which is learned in the background.
const ATTEMPTS: usize = 200;

/// An editor is open for longer than it takes to read the files that have changed.
const INDEXED: Duration = Duration::from_millis(500);

/// The names under which files of a language are written.
const ENDINGS: [(&str, &str); 9] = [
    ("rust", "rs"),
    ("python", "py"),
    ("go", "go"),
    ("c", "c"),
    ("cpp", "cpp"),
    ("java", "java"),
    ("javascript", "js"),
    ("typescript", "ts"),
    ("ruby", "rb"),
];

/// The setting `eagerness`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Eagerness {
    Low,
    Medium,
    High,
}

/// A server, and the file that is typed in it.
pub(crate) struct Server {
    runtime: Runtime,
    client: LspClient,
    folder: TempDir,
    _program: Child,
    files: usize,
    uri: String,
    version: i32,
    /// The text before the cursor, as the server has it.
    typed: String,
    /// The command that accepts the suggestion on screen, and its text.
    shown: Option<(Value, String)>,
}

impl Server {
    /// Starts the program in an empty folder, without a model.
    pub(crate) fn start(program: &Path, eagerness: Eagerness) -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let (mut client, program) = runtime.block_on(async {
            let mut program = Command::new(program)
                .arg("lsp")
                .current_dir(folder.path())
                .env("TANDEM_CONFIG", "")
                .env("TANDEM_STATE", folder.path().join("state"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .kill_on_drop(true)
                .spawn()?;
            let streams = program.stdout.take().zip(program.stdin.take());
            let (from, to) = streams.ok_or_else(|| std::io::Error::other("the program has no streams"))?;
            Ok::<_, std::io::Error>((LspClient::new(from, to), program))
        })?;
        let root = uri(folder.path());
        let params = json!({
            "processId": null,
            "capabilities": { "general": { "positionEncodings": ["utf-8"] } },
            "workspaceFolders": [{ "uri": root, "name": "typed" }],
            "initializationOptions": { "eagerness": format!("{eagerness:?}").to_lowercase() },
        });
        runtime.block_on(client.initialize(params)).map_err(std::io::Error::other)?;
        Ok(Self {
            runtime,
            client,
            folder,
            _program: program,
            files: 0,
            uri: String::new(),
            version: 0,
            typed: String::new(),
            shown: None,
        })
    }

    /// Brings the server's text before the cursor up to date.
    fn type_up_to(&mut self, before: &str) {
        let mut new = &before[self.typed.len()..];
        if let Some((command, text)) = self.shown.take()
            && let Some(rest) = new.strip_prefix(text.as_str())
        {
            self.change(&text);
            self.client.ask("workspace/executeCommand", command);
            new = rest;
        }
        // Key by key, as an editor sends it.
        for key in new.chars() {
            self.change(key.encode_utf8(&mut [0; 4]));
        }
    }

    fn change(&mut self, text: &str) {
        let at = end(&self.typed);
        self.version += 1;
        self.client.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": self.uri, "version": self.version },
                "contentChanges": [{ "range": { "start": at, "end": at }, "text": text }],
            }),
        );
        self.typed.push_str(text);
    }

    /// Writes the neighbors of a file, and has the server read them.
    fn write_neighbors(&mut self, folder: &Path, ending: &str, sample: &Sample) {
        _ = std::fs::create_dir(folder);
        let paths = (0..).map(|number| folder.join(format!("neighbor{number:03}.{ending}")));
        let mut changes = Vec::new();
        for (path, text) in paths.zip(&*sample.neighbors) {
            // One that cannot be written is missing from the folder.
            _ = std::fs::write(&path, text);
            changes.push(json!({ "uri": uri(&path), "type": 1 }));
        }
        self.client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
        std::thread::sleep(INDEXED);
    }

    fn ask(&mut self) -> Option<(Value, String)> {
        let params = json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "position": end(&self.typed),
            "context": { "triggerKind": 2 },
        });
        let answer =
            self.runtime.block_on(self.client.request("textDocument/inlineCompletion", params)).ok()?;
        let item = answer.get(0).or_else(|| answer["items"].get(0))?;
        let text = item["insertText"].as_str()?.to_owned();
        Some((item["command"].clone(), text))
    }
}

impl Engine for Server {
    fn learn(&mut self, sample: &Sample) {
        if self.files > 0 {
            let params = json!({ "textDocument": { "uri": self.uri } });
            self.client.notify("textDocument/didClose", params);
        }
        self.client.take_unread();
        let ending = ENDINGS.iter().find(|(name, _)| *name == sample.language).map_or("txt", |(_, it)| it);
        self.files += 1;
        let folder = self.folder.path().join(format!("package{}", self.files));
        let path = folder.join(format!("typed.{ending}"));
        self.write_neighbors(&folder, ending, sample);
        let text = [sample.above.as_str(), "\n", &sample.below].concat();
        // A file that cannot be written is typed as one that was never saved.
        _ = std::fs::write(&path, &text);
        (self.uri, self.version, self.typed) = (uri(&path), 1, sample.above.clone());
        self.shown = None;
        let document = json!({
            "uri": self.uri, "languageId": sample.language, "version": 1, "text": text,
        });
        self.client.notify("textDocument/didOpen", json!({ "textDocument": document }));
        // An editor is open for longer than it takes to learn the file.
        for _ in 0..ATTEMPTS {
            let about =
                json!({ "command": "tandem.status", "arguments": [{ "textDocument": { "uri": self.uri } }] });
            let status = self.runtime.block_on(self.client.request("workspace/executeCommand", about));
            if status.is_ok_and(|it| it["file"]["state"] != "checking") {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(INDEXED);
    }

    fn suggest(&mut self, before: &str) -> Option<String> {
        self.type_up_to(before);
        self.shown = self.ask();
        self.shown.as_ref().map(|(_, text)| text.clone())
    }
}

/// The position at the end of a text, in bytes.
fn end(text: &str) -> Value {
    let line = text.bytes().filter(|it| *it == b'\n').count();
    let column = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": column })
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}
