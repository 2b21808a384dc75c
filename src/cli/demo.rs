//! `tandem demo`: a real session of editor and server over a live socket, in one process.

mod screen;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::limits::{DEMO_FIRST_TOKEN, DEMO_TOKENS_PER_SECOND, STEP_PAUSE, TYPING_PAUSE};
use crate::lsp;
use crate::lsp_client::LspClient;
use crate::simulate::{self, Options, Simulator};
use screen::{Buffer, Shown};

/// The sample that is worked on.
const SAMPLE: &str = include_str!("../../tests/sample/src/order.rs");
const PATH: &str = "src/order.rs";
const URI: &str = "file:///sample/src/order.rs";

/// See ghost text, typing through it, accepting it, a rewrite, a quick fix and a next edit, with measured times
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {}

pub(super) async fn run(_: Arguments) -> anyhow::Result<ExitCode> {
    let simulator = simulate::start(Options {
        ttft: DEMO_FIRST_TOKEN,
        tokens_per_second: DEMO_TOKENS_PER_SECOND,
        ..Options::default()
    })
    .await
    .context("cannot start the simulator")?;
    screen::title(
        "Tandem, demonstrated",
        &format!(
            "An editor's real session over a live socket. The replies are not a model's: a small embedded engine \
             makes them, at the pace of a fast model ({} ms to the first token, {DEMO_TOKENS_PER_SECOND} tokens/s). \
             To plug in a real model, see \"Configuration\" in README.md.",
            DEMO_FIRST_TOKEN.as_millis()
        ),
    );
    let mut demo = Demo::start(simulator).await?;
    demo.ghost_text().await?;
    demo.typed_through().await?;
    demo.accepted().await?;
    demo.rewrite().await?;
    demo.quick_fix().await?;
    demo.next_edit().await?;
    demo.finish().await?;
    Ok(ExitCode::SUCCESS)
}

/// The editor's side of the session.
struct Demo {
    driver: LspClient,
    simulator: Simulator,
    buffer: Buffer,
    version: i32,
    /// What is on screen behind the cursor, and how to report that it was accepted.
    ghost: Option<(String, Value)>,
    /// Where the server's configuration is.
    _folder: TempDir,
}

impl Demo {
    async fn start(simulator: Simulator) -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let config = folder.path().join("config.toml");
        let text = format!(
            "[providers.simulator]\nbase_url = \"{}\"\n[fast]\ncandidates = [{{ provider = \"simulator\", \
             model = \"{}\" }}]\n",
            simulator.base_url(),
            simulate::MODEL
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
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["refactor", "quickfix"] } },
                "resolveSupport": { "properties": ["edit"] },
            } },
        });
        driver
            .initialize(json!({ "capabilities": capabilities, "rootUri": "file:///sample" }))
            .await
            .context("the server did not start")?;
        let document = json!({ "uri": URI, "languageId": "rust", "version": 1, "text": SAMPLE });
        driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let buffer = Buffer::new(SAMPLE, "            Status::Paid => \"paid\",")
            .context("the sample has lost its label")?;
        Ok(Self { driver, simulator, buffer, version: 1, ghost: None, _folder: folder })
    }

    /// Types a text at the cursor, a key at a time.
    fn type_text(&mut self, text: &str) {
        for key in text.chars() {
            let at = self.buffer.position();
            self.version += 1;
            self.driver.notify(
                "textDocument/didChange",
                json!({
                    "textDocument": { "uri": URI, "version": self.version },
                    "contentChanges": [{ "range": { "start": at, "end": at }, "text": key.to_string() }],
                }),
            );
            self.buffer.insert(&key.to_string());
        }
    }

    /// Asks for ghost text at the cursor; how long the answer took.
    async fn ask(&mut self) -> anyhow::Result<Duration> {
        let params = json!({
            "textDocument": { "uri": URI, "version": self.version },
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
        // As long as editors wait before they ask.
        tokio::time::sleep(TYPING_PAUSE).await;
        let took = self.ask().await?;
        screen::step("Ghost text", "typed `Status::Sh` on a new line, and paused");
        self.show();
        anyhow::ensure!(self.ghost.is_some(), "no ghost text was shown");
        let calls = self.simulator.stats().requests;
        screen::fact(&format!("{} after the last key, {calls} model call", Shown(took)));
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
        screen::step("Typed through", &format!("typed `{rest}`, as suggested: the rest stays"));
        self.show();
        let calls = self.simulator.stats().requests - before;
        screen::fact(&format!("at most {} a key, {calls} model calls", Shown(slowest)));
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
            "textDocument": { "uri": URI },
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
        screen::diff(&old, self.buffer.text())?;
        screen::fact(&format!("offered in {} without a model, rewritten in {}", Shown(listed), Shown(took)));
        Ok(())
    }

    /// A compiler finds a misspelled name, and a rule mends it.
    async fn quick_fix(&mut self) -> anyhow::Result<()> {
        let at = self.replace("cents % 100", "cent % 100")?;
        let range = json!({ "start": at, "end": self.buffer.position_behind("cent % 100", "cent".len())? });
        let message =
            "cannot find value `cent` in this scope; a local variable with a similar name exists: `cents`";
        let problem = json!({ "range": range, "severity": 1, "source": "rustc", "message": message });
        let params = json!({
            "textDocument": { "uri": URI },
            "range": range,
            "context": { "diagnostics": [problem], "only": ["quickfix"] },
        });
        let started = Instant::now();
        let offered = self.driver.request("textDocument/codeAction", params).await?;
        let listed = started.elapsed();
        let started = Instant::now();
        let resolved = self.driver.request("codeAction/resolve", offered[0].clone()).await?;
        let took = started.elapsed();
        let old = self.buffer.text().to_owned();
        self.apply(&resolved["edit"]["documentChanges"][0]["edits"])?;
        screen::step("Fixed", "typed `cent`, and picked the quick fix for what the compiler says");
        screen::diff(&old, self.buffer.text())?;
        screen::fact(&format!("offered in {} without a model, fixed in {}", Shown(listed), Shown(took)));
        Ok(())
    }

    /// A variable is renamed where it is declared, and the other place follows.
    async fn next_edit(&mut self) -> anyhow::Result<()> {
        // What is done at once counts as one step.
        tokio::time::sleep(STEP_PAUSE).await;
        let before = self.simulator.stats().requests;
        let at = self.replace("let whole", "let euros")?;
        let params = json!({ "textDocument": { "uri": URI, "version": self.version }, "position": at });
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
            "renamed `whole` where it is declared: one key goes to the next place, one takes it",
        );
        screen::diff(&old, self.buffer.text())?;
        let calls = self.simulator.stats().requests - before;
        screen::fact(&format!("{} after the change, {calls} model calls", Shown(took)));
        Ok(())
    }

    /// Puts `new` in the place of the first `old`, as the user would; gives where it begins.
    fn replace(&mut self, old: &str, new: &str) -> anyhow::Result<Value> {
        let (start, end) =
            (self.buffer.position_behind(old, 0)?, self.buffer.position_behind(old, old.len())?);
        self.apply(&json!([{ "range": { "start": start, "end": end }, "newText": new }]))?;
        Ok(start)
    }

    /// Applies an LSP edit list, and tells the server.
    fn apply(&mut self, edits: &Value) -> anyhow::Result<()> {
        self.buffer.apply(edits)?;
        // From the end of the text, so that each finds its place: changes apply one after the other.
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
            json!({ "textDocument": { "uri": URI, "version": self.version }, "contentChanges": changes }),
        );
        Ok(())
    }

    async fn finish(self) -> anyhow::Result<()> {
        let stats = self.simulator.stats();
        self.driver.finish().await?;
        screen::summary(&format!(
            "{} model calls over {} sockets, {} tokens written. Next: put it into your editor (README.md, \"Editors\").",
            stats.requests, stats.connections, stats.output_tokens_generated
        ));
        Ok(())
    }
}
