//! A server under measurement: the process, its model, and the typist at its one file.

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

/// How the server talks to its model. The floor talks over a socket in either case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// The Responses API over a WebSocket.
    Socket,
    /// The same of a server that does not repeat a request's metadata.
    PlainSocket,
    /// Chat completions over HTTP.
    Chat,
}

/// What is measured, and how thoroughly.
#[derive(Clone)]
pub(crate) struct Setup {
    /// The `tandem` binary.
    pub(crate) server: PathBuf,
    /// This benchmark's own binary, which holds the floor.
    pub(crate) relay: PathBuf,
    /// Fewer rounds: for a glance, not for the record.
    pub(crate) quick: bool,
    pub(crate) wire: Wire,
}

impl Setup {
    /// How often to do a thing: `full`, or a fraction of it when in a hurry.
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
    /// In the order that they are measured in turn.
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

/// A completion and all of its moments.
pub(crate) struct Completion {
    /// The request is about to be written.
    pub(crate) written: Instant,
    /// Its answer was read.
    pub(crate) read: Instant,
    pub(crate) exchange: Exchange,
}

impl Completion {
    /// Request written until frame received, in ms.
    pub(crate) fn way_in(&self) -> f64 {
        milliseconds(self.written, self.exchange.received)
    }

    /// Last event sent until answer read, in ms.
    ///
    /// Below zero if the server did not wait for the end.
    pub(crate) fn way_out(&self) -> f64 {
        milliseconds(self.exchange.last_sent, self.read)
    }

    /// All of it less the model's own time, in ms.
    pub(crate) fn overhead(&self) -> f64 {
        self.way_in() + self.way_out()
    }
}

/// From `start` to `end` in ms; below zero if `end` was first.
pub(crate) fn milliseconds(start: Instant, end: Instant) -> f64 {
    let forward = end.saturating_duration_since(start).as_secs_f64();
    (forward - start.saturating_duration_since(end).as_secs_f64()) * 1e3
}

/// How fast the model of the simple figures is: faster than any, so that no more of our work
/// than in life is done while it thinks.
const PACE: Pace = Pace { first_token: Duration::from_millis(20), per_token: Duration::from_millis(1) };

/// The reply of the simple figures: eight tokens, whose first letter no typist ever types,
/// so that no suggestion can be typed through. After any part of what is typed they make a whole statement.
pub(crate) fn short_script() -> Script {
    let tokens = ["Quartz", "_value", ".scale", "_by", "_seven", ".floor", "_to_edge", ";"];
    Script { tokens: tokens.map(String::from).to_vec(), pace: Some(PACE) }
}

impl Rig {
    /// Starts the server and waits until it is initialized and connected to its model.
    pub(crate) fn start(subject: Subject, setup: &Setup) -> Result<Self> {
        Self::start_in(subject, setup, tempfile::tempdir()?, "")
    }

    /// The same in a folder, with more settings.
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
    /// They are to take turns, and to change places after each round, so that neither always has the machine
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

    /// Begins a pass and waits until the server is at rest.
    pub(crate) fn begin_pass(&mut self, typist: &mut Typist) -> Result<()> {
        let change = typist.begin_pass();
        self.change(change)?;
        self.cpu.settle()?;
        Ok(())
    }

    /// Sends one change; gives the moment before it was written.
    pub(crate) fn change(&mut self, change: Value) -> Result<Instant> {
        self.driver.notify("textDocument/didChange", change).with_context(|| self.explanation())
    }

    /// Types the next key, waits until no other is expected, and completes there as an editor does by itself.
    pub(crate) fn complete_unasked(&mut self, typist: &mut Typist, pause: Duration) -> Result<Completion> {
        let key = typist.next_key();
        self.change(key)?;
        std::thread::sleep(pause);
        let request = self.driver.request("textDocument/inlineCompletion", typist.completion_as(2));
        let (id, written) = request.with_context(|| self.explanation())?;
        self.finish(id, written, typist)
    }

    /// Types the next key and completes there.
    pub(crate) fn complete(&mut self, typist: &mut Typist) -> Result<Completion> {
        let key = typist.next_key();
        self.change(key)?;
        let (id, written) = self.request_completion(typist)?;
        self.finish(id, written, typist)
    }

    /// Asks for a completion at the cursor; gives the id and the moment before it was written.
    pub(crate) fn request_completion(&mut self, typist: &Typist) -> Result<(i64, Instant)> {
        let request = self.driver.request("textDocument/inlineCompletion", typist.completion());
        request.with_context(|| self.explanation())
    }

    /// Waits for a completion that a frame was sent for, and checks that it is the model's text
    /// for exactly what was typed.
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

    /// Checks that an answer offers the text that the model wrote.
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

    /// Checks that a prompt shows the document as it is. The floor keeps no document.
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

/// The server with a configuration of its own: nothing of the user's is read.
///
/// Nothing is kept for the next start: there is a file where the folder of caches would be.
fn tandem(setup: &Setup, port: u16, home: &Path, more: &str) -> Result<Command> {
    let wire = match setup.wire {
        Wire::Socket | Wire::PlainSocket => "responses-websocket",
        Wire::Chat => "chat",
    };
    let config = home.join("tandem.toml");
    let settings = format!(
        r#"{more}[providers.bench]
base_url = "http://127.0.0.1:{port}/v1"
wire = "{wire}"

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
