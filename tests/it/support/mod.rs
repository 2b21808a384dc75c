//! One editor, one server, one model behind it.

pub(crate) mod answering;
pub(crate) mod http;
pub(crate) mod process;
pub(crate) mod properties;
pub(crate) mod vendor;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tandem::assist::Models;
use tandem::config::policy::PolicyFiles;
use tandem::disk::Readers;
use tandem::lsp::{self, Start};
use tandem::lsp_client::LspClient;
use tandem::simulate::{self, Options, Simulator};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// A file in which a second field is about to be set, and a model knows the continuation.
pub(crate) const MARKED: &str = "    self.width = width;\n    self.height = ˇ\n";

/// A server in this process, driven as by an editor.
pub(crate) struct Editor {
    pub(crate) driver: LspClient,
    pub(crate) simulator: Option<Simulator>,
    server: JoinHandle<lsp::Ended>,
    folder: TempDir,
}

/// The setup of an editor.
pub(crate) struct Setup {
    /// `None`: no model is configured.
    pub(crate) simulator: Option<Options>,
    /// A base URL instead of a simulator's.
    pub(crate) base_url: Option<String>,
    pub(crate) capabilities: Value,
    pub(crate) options: Value,
    /// The test's own models.
    pub(crate) models: Option<Models>,
    /// The workspace folder; a path that does not exist if it is irrelevant.
    pub(crate) workspace: PathBuf,
    /// Additional workspace folders.
    pub(crate) beside: Vec<PathBuf>,
    /// Settings in the configuration file besides the model.
    pub(crate) settings: String,
    /// Whether a model may be asked for fixes in the background.
    pub(crate) background_fixes: bool,
    /// The readers of the workspace.
    pub(crate) readers: Readers,
    /// The folder for state that outlives the server.
    pub(crate) state: Option<PathBuf>,
    /// The company's policy.
    pub(crate) policy: Option<PolicyFiles>,
    /// The process id that the editor sends.
    pub(crate) process: Option<u32>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            simulator: Some(Options::default()),
            base_url: None,
            capabilities: capabilities("utf-16"),
            options: json!({}),
            models: None,
            workspace: PathBuf::from("/no-such-folder"),
            beside: Vec::new(),
            settings: String::new(),
            background_fixes: false,
            readers: Readers::default(),
            state: None,
            policy: None,
            process: None,
        }
    }
}

/// The capabilities of a full-featured editor.
pub(crate) fn capabilities(encoding: &str) -> Value {
    json!({
        "general": { "positionEncodings": [encoding] },
        "workspace": { "workspaceEdit": { "documentChanges": true }, "applyEdit": true },
        "textDocument": {
            "inlineCompletion": {},
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["refactor"] } },
                "resolveSupport": { "properties": ["edit"] },
            },
        },
    })
}

impl Editor {
    /// Starts a server with the simulator behind it and initializes it.
    pub(crate) async fn start() -> Self {
        Self::with(Setup::default()).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        let simulator = match setup.simulator {
            Some(mut options) => {
                options.models.push("test-model".to_owned());
                Some(simulate::start(options).await.unwrap())
            }
            None => None,
        };
        let base_url = setup.base_url.or_else(|| simulator.as_ref().map(Simulator::base_url));
        let folder = TempDir::new().unwrap();
        let config = folder.path().join("config.toml");
        if let Some(base_url) = base_url {
            let text = format!(
                "{}[providers.test]\nbase_url = \"{base_url}\"\n\
                 [fast]\ncandidates = [{{ provider = \"test\", model = \"test-model\" }}]\n",
                setup.settings
            );
            std::fs::write(&config, format!("background_fixes = {}\n{text}", setup.background_fixes))
                .unwrap();
        }
        let Setup { models, readers, state, policy, .. } = setup;
        let start = Start { policy, config: Some(config), models, readers, state, ..Start::default() };
        let mut editor = Self::unintroduced(start, simulator, folder);
        let folders = [&setup.workspace].into_iter().chain(&setup.beside);
        let folders: Vec<Value> = folders.map(|it| json!({ "uri": uri(it), "name": "work" })).collect();
        let params = json!({
            "processId": setup.process,
            "rootUri": uri(&setup.workspace),
            "workspaceFolders": folders,
            "capabilities": setup.capabilities,
            "initializationOptions": setup.options,
        });
        editor.driver.initialize(params).await.unwrap();
        editor.driver.expect("window/logMessage").await.unwrap();
        editor
    }

    /// A server without any message so far.
    pub(crate) fn bare() -> Self {
        Self::unintroduced(Start::default(), None, TempDir::new().unwrap())
    }

    fn unintroduced(start: Start, simulator: Option<Simulator>, folder: TempDir) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (from_us, to_us) = tokio::io::split(theirs);
        let server = tokio::spawn(lsp::serve(from_us, to_us, start));
        let (from_server, to_server) = tokio::io::split(ours);
        let driver = LspClient::new(from_server, to_server);
        Self { driver, simulator, server, folder }
    }

    /// Opens a file and types its first letter: an unchanged file gets no automatic suggestions.
    pub(crate) fn open(&mut self, uri: &str, language: &str, text: &str) {
        let first = text.chars().next().map_or(0, char::len_utf8);
        let document = json!({ "uri": uri, "languageId": language, "version": 0, "text": text[first..] });
        self.driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.change(uri, 1, [0, 0, 0, 0], &text[..first]);
    }

    /// Opens a Rust file; returns the line and the column of `ˇ` in it.
    pub(crate) fn open_at(&mut self, uri: &str, marked: &str) -> (u32, u32) {
        let (text, line, column) = at_cursor(marked);
        self.open(uri, "rust", &text);
        (line, column)
    }

    /// Opens a file without changing it.
    pub(crate) fn open_only(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range; lines and columns are in the negotiated encoding.
    pub(crate) fn change(&mut self, uri: &str, version: i32, range: [u32; 4], text: &str) {
        let [line, character, end_line, end_character] = range;
        let range = json!({
            "start": { "line": line, "character": character },
            "end": { "line": end_line, "character": end_character },
        });
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": [{ "range": range, "text": text }],
        });
        self.driver.notify("textDocument/didChange", params);
    }

    /// Requests ghost text and returns the answer's items.
    pub(crate) async fn complete(&mut self, uri: &str, line: u32, character: u32) -> Value {
        let params = complete_params(uri, line, character);
        self.driver.request("textDocument/inlineCompletion", params).await.unwrap()
    }

    /// Shuts the server down. All its messages must have been read.
    pub(crate) async fn finish(self) {
        let unread = self.driver.finish().await.unwrap();
        assert_eq!(unread, Vec::<Value>::new(), "messages that the test did not read");
        assert_eq!(self.server.await.unwrap(), lsp::Ended::Exit);
    }

    /// Closes the pipes without a shutdown and waits for the server to end.
    pub(crate) async fn hang_up(self) -> lsp::Ended {
        drop(self.driver);
        self.server.await.unwrap()
    }

    /// The user's configuration file.
    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("config.toml")
    }

    /// The number of requests to the model.
    pub(crate) fn model_requests(&self) -> u64 {
        self.simulator.as_ref().unwrap().stats().requests
    }
}

/// The URI of a file on disk.
pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

pub(crate) fn complete_params(uri: &str, line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": uri },
        "position": { "line": line, "character": character },
        "context": { "triggerKind": 2 },
    })
}

/// Splits a marked text at its one `ˇ`: the text without it, and the cursor's line and UTF-16 column.
pub(crate) fn at_cursor(marked: &str) -> (String, u32, u32) {
    let (before, after) = marked.split_once('ˇ').unwrap();
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
    (format!("{before}{after}"), u32::try_from(line).unwrap(), u32::try_from(column).unwrap())
}

/// Applies a workspace edit's edits of one document to its text, as an editor that counts UTF-16 does.
pub(crate) fn apply_edit(text: &str, edit: &Value) -> String {
    let edits = edit["documentChanges"][0]["edits"].as_array().unwrap();
    let mut spans: Vec<(usize, usize, String)> = edits
        .iter()
        .map(|it| {
            let at = |end: &str| offset(text, &it["range"][end]);
            (at("start"), at("end"), it["newText"].as_str().unwrap().to_owned())
        })
        .collect();
    spans.sort_by_key(|(start, ..)| std::cmp::Reverse(*start));
    let mut text = text.to_owned();
    for (start, end, new) in spans {
        text.replace_range(start..end, &new);
    }
    text
}

fn offset(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = position["character"].as_u64().unwrap() as usize;
    for (at, letter) in text[start..].char_indices() {
        if units == 0 {
            return start + at;
        }
        units -= letter.len_utf16();
    }
    text.len()
}
