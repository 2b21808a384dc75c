//! `tandem demo`: a real session of an editor and the server over a live socket, in one process.

mod compared;
mod screen;

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::diff::{print_hunks, print_patch};
use super::limits::{DEMO_FIRST_TOKEN, DEMO_TOKENS_PER_SECOND, STEP_PAUSE, TYPING_PAUSE};
use crate::lsp;
use crate::lsp_client::LspClient;
use crate::simulate::{self, Options, Script, Simulator};
use screen::{Buffer, ShownTime};

/// The files of the sample project, by path.
const PROJECT: &[(&str, &str)] = &[
    (PATH, SAMPLE),
    ("src/invoice.rs", include_str!("../../tests/sample/src/invoice.rs")),
    ("src/lib.rs", include_str!("../../tests/sample/src/lib.rs")),
];
/// The open file of the project.
const SAMPLE: &str = include_str!("../../tests/sample/src/order.rs");
const PATH: &str = "src/order.rs";
/// The simulated model's replies for the plan; the embedded engine answers everything else.
const REPLIES: &str = include_str!("../../tests/sample/replies.jsonl");

/// Show what Tandem does in an editor, step by step, with a simulated model and measured times
///
/// On a terminal, each step waits for Enter. Nothing is read from your projects, and nothing is sent.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Show all steps without waiting
    #[arg(long)]
    no_wait: bool,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let simulator = simulate::start(Options {
        ttft: DEMO_FIRST_TOKEN,
        tokens_per_second: DEMO_TOKENS_PER_SECOND,
        script: Script::parse(REPLIES)?,
        ..Options::default()
    })
    .await
    .context("cannot start the simulator")?;
    screen::title(
        "A session with Tandem",
        &format!(
            "A real session of an editor and the server. The replies are not a \
             model's: a small embedded engine makes them, at the pace of a fast model ({} ms to the first token, \
             {DEMO_TOKENS_PER_SECOND} tokens/s), and those of the last two steps are prepared.",
            DEMO_FIRST_TOKEN.as_millis()
        ),
    );
    let is_paced = !arguments.no_wait && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let mut demo = Demo::start(simulator, is_paced).await?;
    demo.pause().await?;
    demo.ghost_text().await?;
    demo.pause().await?;
    demo.typed_through().await?;
    demo.pause().await?;
    demo.accepted().await?;
    demo.pause().await?;
    demo.rewrite().await?;
    demo.pause().await?;
    demo.fix_on_save().await?;
    demo.pause().await?;
    demo.next_edit().await?;
    demo.pause().await?;
    demo.plan().await?;
    demo.pause().await?;
    compared::compared().await?;
    demo.finish().await?;
    Ok(ExitCode::SUCCESS)
}

/// The editor's side of the session.
struct Demo {
    driver: LspClient,
    simulator: Simulator,
    buffer: Buffer,
    version: i32,
    /// The ghost text after the cursor, and the command that reports its acceptance.
    ghost: Option<(String, Value)>,
    /// Whether each step waits for Enter.
    is_paced: bool,
    /// The URI of the open file.
    uri: String,
    /// The folder of the project and the server's configuration.
    _folder: TempDir,
}

impl Demo {
    async fn start(simulator: Simulator, is_paced: bool) -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let root = std::fs::canonicalize(folder.path())?.join("shop");
        std::fs::create_dir_all(root.join("src"))?;
        for (path, text) in PROJECT {
            std::fs::write(root.join(path), text)?;
        }
        let root_uri = lsp::file_uri(&root).context("the temporary folder has no URI")?;
        let uri = format!("{root_uri}/{PATH}");
        let config = folder.path().join("config.toml");
        let text = format!(
            "[providers.simulator]\nbase_url = \"{1}\"\n[fast]\ncandidates = [{{ provider = \"simulator\", \
             model = \"{0}\" }}]\n[deep]\ncandidates = [{{ provider = \"simulator\", model = \"{0}\" }}]\n",
            simulate::MODEL,
            simulator.base_url(),
        );
        std::fs::write(&config, text)?;
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (from_us, to_us) = tokio::io::split(theirs);
        let start = lsp::Start { config: Some(config), ..lsp::Start::default() };
        tokio::spawn(lsp::serve(from_us, to_us, start));
        let (from_server, to_server) = tokio::io::split(ours);
        let mut driver = LspClient::new(from_server, to_server);
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-8"] },
            "workspace": { "workspaceEdit": { "documentChanges": true } },
            "textDocument": { "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["refactor", "quickfix", "source"] } },
                "resolveSupport": { "properties": ["edit"] },
            } },
        });
        driver
            .initialize(json!({ "capabilities": capabilities, "rootUri": root_uri }))
            .await
            .context("the server did not start")?;
        let document = json!({ "uri": uri, "languageId": "rust", "version": 1, "text": SAMPLE });
        driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let buffer = Buffer::new(SAMPLE, "            Status::Paid => \"paid\",")
            .context("the sample has lost its label")?;
        Ok(Self { driver, simulator, buffer, version: 1, ghost: None, is_paced, uri, _folder: folder })
    }

    /// Types a text at the cursor, one character at a time.
    fn type_text(&mut self, text: &str) {
        for key in text.chars() {
            let at = self.buffer.position();
            self.version += 1;
            self.driver.notify(
                "textDocument/didChange",
                json!({
                    "textDocument": { "uri": self.uri, "version": self.version },
                    "contentChanges": [{ "range": { "start": at, "end": at }, "text": key.to_string() }],
                }),
            );
            self.buffer.insert(&key.to_string());
        }
    }

    /// Requests ghost text at the cursor; returns the latency.
    async fn ask(&mut self) -> anyhow::Result<Duration> {
        let params = json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "position": self.buffer.position(),
            "context": { "triggerKind": 2 },
        });
        let started = Instant::now();
        let items = self.driver.request("textDocument/inlineCompletion", params).await?;
        let took = started.elapsed();
        self.ghost =
            items[0]["insertText"].as_str().map(|text| (text.to_owned(), items[0]["command"].clone()));
        Ok(took)
    }

    fn show(&self) {
        self.buffer.show(PATH, self.ghost.as_ref().map_or("", |(text, _)| text));
    }

    async fn ghost_text(&mut self) -> anyhow::Result<()> {
        self.type_text("\n            Status::Sh");
        // Editors debounce for this long.
        tokio::time::sleep(TYPING_PAUSE).await;
        let took = self.ask().await?;
        screen::step("Ghost text", "typed `Status::Sh` on a new line, and paused");
        self.show();
        anyhow::ensure!(self.ghost.is_some(), "no ghost text was shown");
        let calls = self.simulator.stats().requests;
        screen::fact(&format!("{} after the last key, {calls} model call", ShownTime(took)));
        Ok(())
    }

    async fn typed_through(&mut self) -> anyhow::Result<()> {
        let before = self.simulator.stats().requests;
        let mut slowest = Duration::ZERO;
        let rest: String = self.ghost.iter().flat_map(|(text, _)| text.chars().take(4)).collect();
        for key in rest.chars() {
            self.type_text(&key.to_string());
            slowest = slowest.max(self.ask().await?);
        }
        screen::step("Typed along", &format!("typed on with `{rest}`, as suggested: the rest stays"));
        self.show();
        let calls = self.simulator.stats().requests - before;
        screen::fact(&format!("at most {} a key, {calls} model calls", ShownTime(slowest)));
        Ok(())
    }

    async fn accepted(&mut self) -> anyhow::Result<()> {
        let (text, command) = self.ghost.take().context("there is nothing to accept")?;
        self.type_text(&text);
        self.driver.request("workspace/executeCommand", command).await?;
        screen::step("Accepted", "the line is in the buffer, and the server knows");
        self.show();
        Ok(())
    }

    async fn rewrite(&mut self) -> anyhow::Result<()> {
        let line = self.buffer.line_of("/ 100").context("the sample has lost its function")?;
        let at = json!({ "line": line, "character": 0 });
        let params = json!({
            "textDocument": { "uri": self.uri },
            "range": { "start": at, "end": at },
            "context": { "diagnostics": [] },
        });
        let started = Instant::now();
        let offered = self.driver.request("textDocument/codeAction", params).await?;
        let listed = started.elapsed();
        let action = offered[0].clone();
        let title = action["title"].as_str().context("no code action is offered")?.to_owned();
        let started = Instant::now();
        let resolved = self.driver.request("codeAction/resolve", action).await?;
        let took = started.elapsed();
        let old = self.buffer.text().to_owned();
        self.apply(&resolved["edit"]["documentChanges"][0]["edits"])?;
        screen::step("Rewritten", &format!("picked the code action \"{title}\" that a comment offers"));
        print_hunks(&old, self.buffer.text())?;
        screen::fact(&format!(
            "offered in {} without a model, rewritten in {}",
            ShownTime(listed),
            ShownTime(took)
        ));
        Ok(())
    }

    /// Saves a line with two errors that a compiler reported; both are fixed by rule.
    async fn fix_on_save(&mut self) -> anyhow::Result<()> {
        let before = self.simulator.stats().requests;
        let start = self.replace("cents % 100;", "cnets % 100")?;
        let end_of_name = self.buffer.position_behind("cnets % 100", "cnets".len())?;
        let end = self.buffer.position_behind("cnets % 100", "cnets % 100".len())?;
        let report = |start: &Value, end: &Value, message: &str| {
            let range = json!({ "start": start, "end": end });
            json!({ "range": range, "severity": 1, "source": "rustc", "message": message })
        };
        let name =
            "cannot find value `cnets` in this scope; a local variable with a similar name exists: `cents`";
        let reports = json!([report(&start, &end_of_name, name), report(&end, &end, "expected `;`")]);
        let params = json!({
            "textDocument": { "uri": self.uri },
            "range": { "start": start, "end": end },
            "context": { "diagnostics": reports, "only": ["source.fixAll.tandem"], "triggerKind": 2 },
        });
        let started = Instant::now();
        let mut offered = self.driver.request("textDocument/codeAction", params).await?;
        if offered[0]["edit"].is_null() {
            offered[0] = self.driver.request("codeAction/resolve", offered[0].take()).await?;
        }
        let took = started.elapsed();
        let broken = self.buffer.text().to_owned();
        self.apply(&offered[0]["edit"]["documentChanges"][0]["edits"])?;
        screen::step("Fixed on save", "misspelt a name, left out a semicolon, and saved");
        anyhow::ensure!(self.buffer.text().contains("cents % 100;"), "only a part was fixed");
        print_hunks(&broken, self.buffer.text())?;
        let calls = self.simulator.stats().requests - before;
        screen::fact(&format!("{} for both, by rules: {calls} model calls", ShownTime(took)));
        Ok(())
    }

    /// Renames a variable at its declaration; the next edit renames its use.
    async fn next_edit(&mut self) -> anyhow::Result<()> {
        // Edits in quick succession count as one step.
        tokio::time::sleep(STEP_PAUSE).await;
        let before = self.simulator.stats().requests;
        let at = self.replace("let whole", "let euros")?;
        let params = json!({ "textDocument": { "uri": self.uri, "version": self.version }, "position": at });
        let started = Instant::now();
        let answer = self.driver.request("tandem/nextEdit", params).await?;
        let took = started.elapsed();
        let edit = answer["edits"][0].clone();
        anyhow::ensure!(edit.is_object(), "no next edit was suggested");
        let old = self.buffer.text().to_owned();
        self.apply(&json!([{ "range": edit["range"], "newText": edit["text"] }]))?;
        self.driver.request("workspace/executeCommand", edit["command"].clone()).await?;
        screen::step(
            "Next edit",
            "renamed `whole` where it is declared: Tab goes to the next place, Tab again applies it",
        );
        print_hunks(&old, self.buffer.text())?;
        let calls = self.simulator.stats().requests - before;
        screen::fact(&format!("{} after the change, {calls} model calls", ShownTime(took)));
        Ok(())
    }

    /// Replaces the first `old` with `new`, as the user would; returns its start position.
    fn replace(&mut self, old: &str, new: &str) -> anyhow::Result<Value> {
        let (start, end) =
            (self.buffer.position_behind(old, 0)?, self.buffer.position_behind(old, old.len())?);
        self.apply(&json!([{ "range": { "start": start, "end": end }, "newText": new }]))?;
        Ok(start)
    }

    /// Applies a list of LSP edits, and notifies the server.
    fn apply(&mut self, edits: &Value) -> anyhow::Result<()> {
        self.buffer.apply(edits)?;
        // From last to first, since changes apply in sequence and earlier ones would shift the rest.
        let mut changes: Vec<Value> = edits.as_array().into_iter().flatten().cloned().collect();
        let start = |edit: &Value| {
            let at = &edit["range"]["start"];
            (at["line"].as_u64(), at["character"].as_u64())
        };
        changes.sort_by_key(|edit| std::cmp::Reverse(start(edit)));
        let changes: Vec<Value> =
            changes.iter().map(|edit| json!({ "range": edit["range"], "text": edit["newText"] })).collect();
        self.version += 1;
        self.driver.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": self.uri, "version": self.version }, "contentChanges": changes }),
        );
        Ok(())
    }

    /// Plans, carries out and checks a change across files.
    async fn plan(&mut self) -> anyhow::Result<()> {
        let before = self.simulator.stats().requests;
        let instruction = "let callers choose the currency of a price";
        let argument = json!({
            "instruction": instruction,
            "textDocument": { "uri": self.uri, "version": self.version },
            "preview": true,
        });
        let params = json!({ "command": "tandem.plan", "arguments": [argument] });
        let started = Instant::now();
        let answer = self.driver.request("workspace/executeCommand", params).await?;
        let took = started.elapsed();
        anyhow::ensure!(answer["status"] == "done", "the plan was not carried out: {answer}");
        screen::step("Changed across files", &format!("ran `tandem plan \"{instruction}\"`"));
        print_patch(answer["diff"].as_str().unwrap_or_default())?;
        let files = answer["edit"]["documentChanges"].as_array().map_or(0, Vec::len);
        let found = answer["findings"].as_array().map_or(0, Vec::len);
        let calls = self.simulator.stats().requests - before;
        screen::fact(&format!(
            "{files} files in {} with {calls} model calls; checked together: {found} findings",
            ShownTime(took)
        ));
        Ok(())
    }

    /// Waits for Enter before the next step.
    async fn pause(&self) -> anyhow::Result<()> {
        if !self.is_paced {
            return Ok(());
        }
        screen::prompt();
        let read = || std::io::stdin().read_line(&mut String::new());
        let bytes = tokio::task::spawn_blocking(read).await??;
        anyhow::ensure!(bytes > 0, "the demonstration was left");
        Ok(())
    }

    async fn finish(self) -> anyhow::Result<()> {
        let stats = self.simulator.stats();
        self.driver.finish().await?;
        screen::summary(&format!(
            "{} model calls, {} tokens written. Next, in a terminal:",
            stats.requests, stats.output_tokens_generated
        ));
        screen::next_steps(&[
            ("tandem setup", "chooses a model, on this machine or hosted, and tests it"),
            ("tandem doctor", "shows what to do in each installed editor"),
        ]);
        Ok(())
    }
}
