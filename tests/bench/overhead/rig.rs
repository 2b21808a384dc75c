//! A server under measurement: the process, its model, and the typist in its one file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::driver::{Answer, Driver, PATIENCE};
use crate::mock::{Exchange, Mock, Pace, Script};
use crate::process::CpuClock;
use crate::source::Source;
use crate::typist::Typist;

/// The connection between server and model. The floor uses a socket in either case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// The Responses API over a WebSocket.
    Socket,
    /// The same with a server that does not echo a request's metadata.
    PlainSocket,
    /// Chat completions over HTTP.
    Chat,
}

/// The subject of a measurement, and its number of rounds.
#[derive(Clone)]
pub(crate) struct Setup {
    /// The `tandem` binary.
    pub(crate) server: PathBuf,
    /// This benchmark's own binary, which holds the floor.
    pub(crate) relay: PathBuf,
    /// Fewer rounds: for a quick look, not for the record.
    pub(crate) quick: bool,
    pub(crate) wire: Wire,
}

impl Setup {
    /// The number of rounds: `full`, or a fifth of it with `quick`.
    pub(crate) fn rounds(&self, full: usize) -> usize {
        if self.quick { full.div_ceil(5) } else { full }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Floor,
    Tandem,
}

impl Subject {
    /// The order in which they are measured in turn.
    pub(crate) const BOTH: [Self; 2] = [Self::Floor, Self::Tandem];
}

pub(crate) struct Rig {
    subject: Subject,
    pub(crate) driver: Driver,
    pub(crate) mock: Mock,
    pub(crate) cpu: CpuClock,
    /// When the answer to `initialize` was read.
    pub(crate) initialized: Instant,
    home: TempDir,
}

/// A completion with its timestamps.
pub(crate) struct Completion {
    /// When the request was about to be written.
    pub(crate) written: Instant,
    /// When its answer was read.
    pub(crate) read: Instant,
    pub(crate) exchange: Exchange,
}

impl Completion {
    /// From request written to frame received, in ms.
    pub(crate) fn way_in(&self) -> f64 {
        milliseconds(self.written, self.exchange.received)
    }

    /// From last event sent to answer read, in ms.
    ///
    /// Negative if the server did not wait for the end.
    pub(crate) fn way_out(&self) -> f64 {
        milliseconds(self.exchange.last_sent, self.read)
    }

    /// The whole time less the model's own, in ms.
    pub(crate) fn overhead(&self) -> f64 {
        self.way_in() + self.way_out()
    }
}

/// From `start` to `end` in ms; negative if `end` was first.
pub(crate) fn milliseconds(start: Instant, end: Instant) -> f64 {
    let forward = end.saturating_duration_since(start).as_secs_f64();
    (forward - start.saturating_duration_since(end).as_secs_f64()) * 1e3
}

/// The model's pace for the simple figures: faster than any real model, so that no more of the server's work overlaps
/// with it than in practice.
const PACE: Pace = Pace { first_token: Duration::from_millis(20), per_token: Duration::from_millis(1) };

/// The reply for the simple figures: eight tokens. The typist never types their first letter, so that no suggestion
/// can be typed through. Appended to any prefix of the typed text they make a whole statement.
pub(crate) fn short_script() -> Script {
    let tokens = ["Quartz", "_value", ".scale", "_by", "_seven", ".floor", "_to_edge", ";"];
    Script { tokens: tokens.map(String::from).to_vec(), pace: Some(PACE) }
}

impl Rig {
    /// Starts the server and waits until it is initialized and connected to its model.
    pub(crate) fn start(subject: Subject, setup: &Setup) -> Result<Self> {
        Self::start_in(subject, setup, tempfile::tempdir()?, "")
    }

    /// The same in a given folder, with more settings.
    pub(crate) fn start_in(subject: Subject, setup: &Setup, home: TempDir, settings: &str) -> Result<Self> {
        let wire = if subject == Subject::Floor { Wire::Socket } else { setup.wire };
        let mock = Mock::start(short_script(), wire)?;
        let command = match subject {
            Subject::Floor => relay(&setup.relay, mock.port()),
            Subject::Tandem => tandem(setup, mock.port(), home.path(), settings)?,
        };
        let mut driver = Driver::spawn(command)?;
        let root = format!("file://{}", home.path().display());
        let initialized = match driver.initialize(&root) {
            Ok(answer) => answer.read,
            Err(error) => return Err(error.context(explanation(subject, &driver))),
        };
        if let Err(error) = mock.wait_for_connection(PATIENCE) {
            return Err(error.context(explanation(subject, &driver)));
        }
        let cpu = CpuClock::new(driver.process());
        Ok(Self { subject, driver, mock, cpu, initialized, home })
    }

    /// Both servers, each with a typist at the same text; the text is open and parsed.
    ///
    /// They are measured in turn, and the order is swapped after each round, so that neither always finds the machine
    /// as the other left it.
    pub(crate) fn start_both(setup: &Setup, source: impl Fn() -> Source) -> Result<Vec<(Self, Typist)>> {
        let start = |subject| {
            let mut rig = Self::start(subject, setup)?;
            let mut typist = rig.open(source())?;
            rig.complete(&mut typist)?;
            rig.cpu.settle()?;
            Ok((rig, typist))
        };
        Subject::BOTH.into_iter().map(start).collect()
    }

    pub(crate) fn subject(&self) -> Subject {
        self.subject
    }

    /// Saves a file in the workspace and opens it.
    pub(crate) fn open(&mut self, source: Source) -> Result<Typist> {
        let path = self.home.path().join(&source.name);
        fs::write(&path, &source.text)?;
        let typist = Typist::new(format!("file://{}", path.display()), source)?;
        self.driver.notify("textDocument/didOpen", typist.open())?;
        Ok(typist)
    }

    /// Begins a pass and waits until the server is idle.
    pub(crate) fn begin_pass(&mut self, typist: &mut Typist) -> Result<()> {
        let change = typist.begin_pass();
        self.change(change)?;
        self.cpu.settle()?;
        Ok(())
    }

    /// Sends one change; returns the time just before the write.
    pub(crate) fn change(&mut self, change: Value) -> Result<Instant> {
        self.driver.notify("textDocument/didChange", change).with_context(|| self.explanation())
    }

    /// Types the next key, waits until no further one is expected, and requests an automatic completion.
    pub(crate) fn complete_unasked(&mut self, typist: &mut Typist, pause: Duration) -> Result<Completion> {
        let key = typist.next_key();
        self.change(key)?;
        std::thread::sleep(pause);
        let request = self.driver.request("textDocument/inlineCompletion", typist.completion_as(2));
        let (id, written) = request.with_context(|| self.explanation())?;
        self.finish(id, written, typist)
    }

    /// Types the next key and requests a completion.
    pub(crate) fn complete(&mut self, typist: &mut Typist) -> Result<Completion> {
        let key = typist.next_key();
        self.change(key)?;
        let (id, written) = self.request_completion(typist)?;
        self.finish(id, written, typist)
    }

    /// Requests a completion at the cursor; returns the id and the time just before the write.
    pub(crate) fn request_completion(&mut self, typist: &Typist) -> Result<(i64, Instant)> {
        let request = self.driver.request("textDocument/inlineCompletion", typist.completion());
        request.with_context(|| self.explanation())
    }

    /// Waits for a completion that sent a frame, and checks that it is the model's text for exactly the text that was
    /// typed.
    pub(crate) fn finish(&mut self, id: i64, written: Instant, typist: &Typist) -> Result<Completion> {
        let answer = self.answer(id)?;
        self.check_text(&answer)?;
        let exchange = self.mock.exchange(Duration::from_secs(2)).with_context(|| self.explanation())?;
        self.check_prompt(&exchange, typist)?;
        Ok(Completion { written, read: answer.read, exchange })
    }

    pub(crate) fn answer(&mut self, id: i64) -> Result<Answer> {
        self.driver.answer(id).with_context(|| self.explanation())
    }

    /// Checks that an answer offers the model's text.
    pub(crate) fn check_text(&self, answer: &Answer) -> Result<()> {
        let result = match &answer.result {
            Ok(result) => result,
            Err(error) => bail!("{}: a completion failed: {error}", self.explanation()),
        };
        let items = result.get("items").unwrap_or(result);
        let text = &items[0]["insertText"];
        let text = text.as_str().or_else(|| text["value"].as_str()).unwrap_or_default();
        ensure!(text.contains("Quartz"), "{}: the answer has no text: {result}", self.explanation());
        Ok(())
    }

    /// Checks that a prompt shows the current document. The floor keeps no document.
    pub(crate) fn check_prompt(&self, exchange: &Exchange, typist: &Typist) -> Result<()> {
        if self.subject == Subject::Floor {
            return Ok(());
        }
        let prompt = exchange.prompt()?;
        ensure!(
            typist.is_in(&prompt),
            "{}: the prompt is not of the present text, which ends in {:?}: {prompt:.3000}",
            self.explanation(),
            typist.typed(),
        );
        Ok(())
    }

    pub(crate) fn explanation(&self) -> String {
        explanation(self.subject, &self.driver)
    }
}

fn explanation(subject: Subject, driver: &Driver) -> String {
    format!("{subject:?}{}", driver.last_words())
}

fn relay(binary: &Path, port: u16) -> Command {
    let mut command = Command::new(binary);
    command.arg("relay").arg(format!("ws://127.0.0.1:{port}/v1/responses"));
    command
}

/// The server with its own configuration: none of the user's settings are read.
///
/// Nothing is cached for the next start: a file is at the path of the cache folder.
fn tandem(setup: &Setup, port: u16, home: &Path, more: &str) -> Result<Command> {
    let wire = match setup.wire {
        Wire::Socket | Wire::PlainSocket => "responses-websocket",
        Wire::Chat => "chat",
    };
    let provider = format!("base_url = \"http://127.0.0.1:{port}/v1\"\nwire = \"{wire}\"");
    configured(setup, home, &provider, more)
}

/// The server with one model at a provider with these settings, and more settings before it.
pub(crate) fn configured(setup: &Setup, home: &Path, provider: &str, more: &str) -> Result<Command> {
    let config = home.join("tandem.toml");
    let settings = format!(
        r#"{more}[providers.bench]
{provider}

[fast]
candidates = [{{ provider = "bench", model = "bench-model" }}]
"#
    );
    fs::write(&config, settings)?;
    let no_cache = home.join("no-cache");
    fs::write(&no_cache, "")?;
    let mut command = Command::new(&setup.server);
    command.arg("lsp").env("TANDEM_CONFIG", config).env("HOME", home).current_dir(home);
    command.env_remove("RUST_LOG").env_remove("XDG_CONFIG_HOME").env("XDG_CACHE_HOME", &no_cache);
    Ok(command)
}
