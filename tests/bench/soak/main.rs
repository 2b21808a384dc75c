//! Real input for a long time: every file of a few crates and Python packages is opened in one session, and for some
//! minutes text is typed, completed and rewritten at random positions.
//!
//! ```text |cargo bench --bench soak -- [--minutes N] [--seed N] [--encoding NAME] [FOLDER…] |```
//!
//! The server is the built one, as a process; the model is the simulator, which fails in a few of the files and is
//! unreachable for a while in the second half. Checked:
//!
//! * Every request has one answer, and no error but the documented ones, each with a cause for it.
//! * Each prompt shows the text that the editor had. An *audit* requests rewrites of all of a file, piece by
//!   piece, so that the model's record holds the server's text of it; at the end there is one of every file.
//! * Ghost text is for the requested position, and typing a part of it keeps the rest.
//! * A rename changes only what it must, and the comment that requested it is removed.
//! * Nothing is out of sync; the log has no error; the memory at the end is at most [`MEMORY_FACTOR`] times
//!   that in the middle and [`MEMORY_MARGIN`]; the process exits successfully.
//!
//! The same seed takes the same steps, as far as the timing of the answers is the same.

mod corpus;
mod dice;
mod editor;
mod incoming;
mod instruction;
mod prompts;
mod report;
mod server;
mod text;
mod typist;

use std::fs;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;
use serde_json::{Value, json};
use tandem::simulate::{self, Options, Script, Simulator};
use tokio::time::Instant;
use tower_lsp::gen_lsp_types::Uri;

use crate::corpus::Corpus;
use crate::dice::Dice;
use crate::editor::{AUDIT, Editor};
use crate::report::Report;
use crate::server::Server;
use crate::text::Encoding;
use crate::typist::{Typist, wait};

/// Memory at the end may be at most this multiple of the memory in the middle …
const MEMORY_FACTOR: f64 = 1.25;
/// … plus this many MB.
const MEMORY_MARGIN: f64 = 32.0;
/// Maximum growth in bytes per byte of text, after every file was worked on once.
///
/// A tree would take 27.
const MEMORY_PER_BYTE: f64 = 8.0;
/// The model's ghost text in some of the files.
const SEVERAL_LINES: &str = "猫(🙂);\n    zweite_zeile(\"größe\");\n    third(1)";
/// The server may ignore a model that is back for this long, since it was unreachable before.
const SHUNNED: Duration = Duration::from_secs(30);
/// The interval at which memory is reported.
const TELL: Duration = Duration::from_secs(30);
/// The timeout of any answer: a rewrite may wait 30 s for its model.
const PATIENCE: Duration = Duration::from_secs(45);

/// Works on real files for some minutes and checks that nothing gets lost.
#[derive(Parser)]
struct Arguments {
    /// How long, without the time to open and to check all files
    #[arg(long, default_value_t = 3.0)]
    minutes: f64,
    /// The seed of all chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What the editor's columns count; all of them in turn without it
    #[arg(long)]
    encoding: Option<Encoding>,
    /// Write what the user saw as ghost text to this file
    #[arg(long, value_name = "FILE")]
    suggestions: Option<PathBuf>,
    /// The server, if not the one that was built with this
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
    /// What to open; by default sources in cargo's registry and Python's library
    folders: Vec<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    // A separate runtime, so that the simulator's work does not delay the typist.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let encodings = arguments.encoding.map_or(Encoding::ALL.to_vec(), |it| vec![it]);
    let mut failed = 0;
    for encoding in encodings {
        failed += runtime.block_on(soak(&arguments, encoding))?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One session; returns the number of failures.
async fn soak(arguments: &Arguments, encoding: Encoding) -> Result<usize> {
    let binary = arguments.server.clone().unwrap_or_else(|| env!("CARGO_BIN_EXE_tandem").into());
    let binary = binary.canonicalize().with_context(|| format!("no server at {}", binary.display()))?;
    let mut dice = Dice::new(arguments.seed);
    let (folders, mut remarks) = match arguments.folders.as_slice() {
        [] => corpus::default_folders(),
        folders => (folders.to_vec(), Vec::new()),
    };
    let mut corpus = corpus::gather(&folders, &mut dice)?;
    remarks.append(&mut corpus.remarks);
    for remark in remarks {
        say(&remark)?;
    }
    let home = tempfile::tempdir()?;
    let (script, faulty) = faults(&corpus, &mut dice)?;
    let model = model(home.path(), 0, (Ipv4Addr::LOCALHOST, 0).into(), &script).await?;
    let (mut server, mut driver) = server::start(&binary, &model.base_url(), home.path())?;
    let agreed = driver.initialize(hello(&corpus, encoding)?).await?;
    let mut editor = Editor::new(driver, encoding, Report::new(arguments.seed));
    let named = &agreed["capabilities"]["positionEncoding"];
    editor.report.check(*named == encoding.name(), || format!("columns count {named}"));
    editor.prompts.add_record(home.path().join("record-0"));
    for (source, faulty) in corpus.sources.into_iter().zip(faulty) {
        editor.add(source, faulty);
    }
    say(&format!("seed {}, {}: {} files are open", arguments.seed, encoding.name(), editor.files.len()))?;

    let mut typist = Typist::new(dice);
    let length = Duration::from_secs_f64(arguments.minutes * 60.0);
    let (middle, model) =
        work(&mut editor, &mut server, &mut typist, length, (model, &script, home.path())).await?;
    let end = server.memory()?;
    // A file that was worked on once must not keep what only active files need, such as its tree.
    check_every_file(&mut editor, &server).await;
    let once = server.memory()?;
    check_every_file(&mut editor, &server).await;
    let twice = server.memory()?;
    let [middle, end, once, twice] = [middle, end, once, twice].map(|bytes| bytes as f64 / 1e6);
    say(&format!(
        "memory: {middle:.0} MB in the middle, {end:.0} at the end, {once:.0} after every file, {twice:.0} again"
    ))?;
    let bound = middle * MEMORY_FACTOR + MEMORY_MARGIN;
    editor.report.check(end <= bound, || format!("{middle:.0} MB of memory became {end:.0}"));
    let text: usize = editor.files.iter().map(|it| it.text.len()).sum();
    let bound = bound + MEMORY_PER_BYTE * text as f64 / 1e6;
    let most = once.max(twice);
    editor
        .report
        .check(most <= bound, || format!("after every file {middle:.0} MB of memory became {most:.0}"));
    editor.check_all_answered()?;
    let report = farewell(editor, server, arguments.suggestions.as_deref()).await?;
    drop(model);
    writeln!(io::stdout(), "{}, seed {}\n{report}", encoding.name(), arguments.seed)?;
    Ok(report.failed())
}

/// Works for `length`; for a twentieth of it the model is unreachable.
///
/// Returns the memory in the middle, and the model.
async fn work(
    editor: &mut Editor,
    server: &mut Server,
    typist: &mut Typist,
    length: Duration,
    (model, script, home): (Simulator, &str, &Path),
) -> Result<(u64, Option<Simulator>)> {
    let start = Instant::now();
    let address = model.base_url();
    let address = address.trim_start_matches("http://").trim_end_matches("/v1").parse()?;
    let mut model = Some(model);
    let (outage, return_) = (start + length.mul_f64(0.6), start + length.mul_f64(0.65));
    let (mut restarted, mut told, mut middle) = (false, start, None);
    while start.elapsed() < length && !editor.report.is_enough() {
        typist.step(editor).await;
        editor.read_log(&server.take_words());
        editor.prompts.follow(&mut editor.report)?;
        let now = Instant::now();
        if !restarted && now > return_ {
            // The port may be in use for a moment by a connection that the server is still closing.
            let Ok(back) = self::model(home, 1, address, script).await else { continue };
            (restarted, model) = (true, Some(back));
            editor.prompts.add_record(home.join("record-1"));
            editor.offline = false;
            editor.shunned_until = Some((now + SHUNNED).into_std());
        } else if !restarted && now > outage && model.is_some() {
            (model, editor.offline) = (None, true);
            for pending in editor.pending.values_mut() {
                pending.offline = true;
            }
        }
        if middle.is_none() && now > start + length / 2 {
            middle = Some(server.memory()?);
        }
        if now > told + TELL {
            told = now;
            let (at, memory) = (start.elapsed().as_secs(), server.memory()? / 1_000_000);
            say(&format!("{at} s: step {}, {memory} MB, {} failed", editor.step, editor.report.failed()))?;
        }
        let late =
            editor.pending.iter().find(|(_, it)| it.at.elapsed() > PATIENCE).map(|(id, it)| (*id, it.file));
        if let Some((id, file)) = late {
            editor.pending.remove(&id);
            editor.fail(file, &format!("request {id} has had no answer for {PATIENCE:?}"));
        }
        if let Some(status) = server.ended()? {
            editor.report.fail(format!("step {}: the server has ended: {status}", editor.step));
            break;
        }
    }
    settle(editor, server, 0).await;
    Ok((middle.map_or_else(|| server.memory(), Ok)?, model))
}

/// Waits until at most `most` requests are pending.
async fn settle(editor: &mut Editor, server: &Server, most: usize) {
    let deadline = Instant::now() + PATIENCE;
    while editor.pending.len() > most && Instant::now() < deadline {
        wait(editor, Duration::from_millis(2)).await;
        editor.read_log(&server.take_words());
    }
}

/// Opens closed files and has the model see the whole of every file.
async fn check_every_file(editor: &mut Editor, server: &Server) {
    for file in 0..editor.files.len() {
        if editor.report.is_enough() {
            return;
        }
        if !editor.files[file].open {
            editor.open(file, 1);
        }
        editor.note(file, "the last audit");
        editor.audit(file);
        settle(editor, server, 5).await;
    }
    settle(editor, server, 0).await;
}

/// Ends the session and checks the server's exit.
async fn farewell(mut editor: Editor, mut server: Server, suggestions: Option<&Path>) -> Result<Report> {
    // An edit may still follow its answer.
    wait(&mut editor, Duration::from_millis(200)).await;
    editor.driver.request("shutdown", Value::Null).await?;
    editor.driver.notify("exit", Value::Null);
    let status = server.wait()?;
    editor.pump();
    editor.read_log(&server.take_words());
    editor.report.check(status == "exit status: 0", || format!("the server ended with {status}"));
    if let Some(path) = suggestions {
        fs::write(path, editor.suggestions.join("\n\n"))?;
    }
    Ok(editor.report)
}

/// The model: 40 ms to the first token, 1,000 tokens a second.
async fn model(home: &Path, record: usize, listen: SocketAddr, script: &str) -> Result<Simulator> {
    let options = Options {
        listen,
        ttft: Duration::from_millis(40),
        tokens_per_second: 1000,
        script: Script::parse(script)?,
        record: Some(home.join(format!("record-{record}"))),
        ..Options::default()
    };
    simulate::start(options).await.with_context(|| format!("cannot serve on {listen}"))
}

/// The script that makes the model fail in about one of ten files and be confident in a few; and the files in which
/// it fails.
fn faults(corpus: &Corpus, dice: &mut Dice) -> Result<(String, Vec<bool>)> {
    const FAULTS: [&str; 40] = {
        let mut faults = [""; 40];
        (faults[0], faults[1], faults[2], faults[3]) = ("close-mid-stream", "cut", "unknown-events", "hang");
        faults
    };
    let mut script = format!("{}\n", json!({ "when": AUDIT, "reply": "NO_EDITS" }));
    let mut faulty = Vec::with_capacity(corpus.sources.len());
    for source in &corpus.sources {
        let fault = *dice.pick(&FAULTS);
        if !fault.is_empty() {
            let when = format!("File: {}\nLanguage: ", source.shown);
            script.push_str(&format!("{}\n", json!({ "when": when, "fault": fault })));
        }
        if dice.below(20) == 0 {
            // An outline may precede the code around the cursor.
            for part in ["code", "outline"] {
                let when = format!("File: {}\nLanguage: {}\n<|{part}|>", source.shown, source.language);
                script.push_str(&format!("{}\n", json!({ "when": when, "reply": SEVERAL_LINES })));
            }
        }
        // Unknown events do not cause a failure.
        faulty.push(!matches!(fault, "" | "unknown-events"));
    }
    Ok((script, faulty))
}

fn hello(corpus: &Corpus, encoding: Encoding) -> Result<Value> {
    let mut folders = Vec::new();
    for root in &corpus.roots {
        let uri = Uri::from_directory_path(root).ok().context("no URI for a folder")?;
        folders.push(json!({ "uri": uri.to_string(), "name": root.display().to_string() }));
    }
    Ok(json!({
        "processId": std::process::id(),
        "clientInfo": { "name": "soak" },
        "workspaceFolders": folders,
        "capabilities": {
            "general": { "positionEncodings": [encoding.name()] },
            "experimental": { "tandem": { "candidates": 1 } },
            "workspace": { "workspaceEdit": { "documentChanges": true }, "applyEdit": true },
            "textDocument": {
                "synchronization": { "didSave": true },
                "inlineCompletion": {},
                "codeAction": {
                    "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["refactor"] } },
                    "resolveSupport": { "properties": ["edit"] },
                },
            },
        },
    }))
}

fn say(line: &str) -> Result<()> {
    Ok(writeln!(io::stderr(), "{line}")?)
}
