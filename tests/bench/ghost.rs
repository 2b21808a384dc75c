//! The latency of ghost text without the model: typing through a suggestion compared with a bare echo of as many
//! bytes, building a request, and the time from the first statement on the wire to the answer.
//!
//! `cargo bench --bench ghost`. Server and editor share one thread and a pipe, so the figures exclude scheduling.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "its figures")]

use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tandem::assist::Models;
use tandem::context::Window;
use tandem::document::{Document, DocumentId};
use tandem::lsp::{self, Start};
use tandem::lsp_client::LspClient;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::prompt::complete::render;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};

const URI: &str = "file:///work/a.rs";
/// Long enough to type through for a while.
const SUGGESTION: &str = "first_of_all.combine_with(second_of_all).then_merge_into(third_of_all);";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    println!("{:<58} {:>9} {:>9} {:>9}", "", "p50", "p90", "p99");
    typed_through().await;
    building();
    first_statement().await;
}

/// Prints percentiles.
fn row(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let us = |time: Duration| format!("{:.0} µs", time.as_secs_f64() * 1e6);
    println!("{name:<58} {:>9} {:>9} {:>9}", us(at(0.5)), us(at(0.9)), us(at(0.99)));
}

/// A model with one reply, in pieces, with a pause before the last piece.
///
/// Records when the second to last piece was sent.
struct Scripted {
    pieces: Vec<&'static str>,
    pause: Duration,
    sent: Arc<Mutex<Option<Instant>>>,
}

impl Model for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        let (last, pause, sent) = (self.pieces.len() - 1, self.pause, Arc::clone(&self.sent));
        let pieces = stream::iter(self.pieces.clone().into_iter().enumerate()).then(move |(at, piece)| {
            let sent = Arc::clone(&sent);
            async move {
                if at + 1 == last {
                    *sent.lock().unwrap() = Some(Instant::now());
                } else if at == last && at > 0 {
                    tokio::time::sleep(pause).await;
                }
                Ok(Chunk::Text(piece.to_owned()))
            }
        });
        pieces.chain(stream::iter([Ok(Chunk::Done(Usage::default()))])).boxed()
    }
}

/// A server with this model, and a file of `lines` lines with the cursor on an empty line in its middle.
async fn editor(model: Scripted, lines: usize) -> (LspClient, u32) {
    let models = Models { fast: Some(Arc::new(model)), deep: None };
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (from_us, to_us) = tokio::io::split(theirs);
    let start = Start { models: Some(models), ..Start::default() };
    tokio::spawn(lsp::serve(from_us, to_us, start));
    let (from_server, to_server) = tokio::io::split(ours);
    let mut driver = LspClient::new(from_server, to_server);
    driver.initialize(json!({ "capabilities": {} })).await.unwrap();
    let (text, middle) = file(lines);
    let document = json!({ "uri": URI, "languageId": "rust", "version": 0, "text": text });
    driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
    (driver, middle)
}

/// Functions, with an empty line within the middle one.
fn file(lines: usize) -> (String, u32) {
    let function = |number: usize| format!("fn number_{number}(a: u32) -> u32 {{\n    a + {number}\n}}\n\n");
    let half = lines / 8;
    let before: String = (0..half).map(function).collect();
    let after: String = (half..2 * half).map(function).collect();
    let middle = before.matches('\n').count() + 1;
    (format!("{before}fn typed() {{\n    \n}}\n\n{after}"), u32::try_from(middle).unwrap())
}

fn change(driver: &mut LspClient, version: usize, line: u32, column: u32, text: &str) {
    let at = json!({ "line": line, "character": column });
    let params = json!({
        "textDocument": { "uri": URI, "version": version },
        "contentChanges": [{ "range": { "start": at, "end": at }, "text": text }],
    });
    driver.notify("textDocument/didChange", params);
}

fn completion(line: u32, column: u32) -> Value {
    json!({
        "textDocument": { "uri": URI },
        "position": { "line": line, "character": column },
        "context": { "triggerKind": 2 },
    })
}

/// Alternates between a typed key of a suggestion, answered with the rest, and an echo of a message of the same
/// length.
async fn typed_through() {
    const ROUNDS: usize = 60;
    for lines in [1_000, 10_000, 100_000] {
        let (mut tandem, mut echo) = (Vec::new(), Vec::new());
        let (near, far) = tokio::io::duplex(1 << 20);
        tokio::spawn(echoes(far));
        let (from, to) = tokio::io::split(near);
        let mut bare = LspClient::new(from, to);
        let model = Scripted { pieces: vec![SUGGESTION], pause: Duration::ZERO, sent: Arc::default() };
        let (mut driver, line) = editor(model, lines).await;
        let mut version = 0;
        for round in 0..ROUNDS {
            let mut column = 4;
            version += 1;
            // Another word each time, so that no cached suggestion fits.
            let word = format!("let x{round} = ");
            change(&mut driver, version, line, column, &word);
            column += u32::try_from(word.len()).unwrap();
            tokio::time::sleep(Duration::from_millis(250)).await;
            let method = "textDocument/inlineCompletion";
            let items = driver.request(method, completion(line, column)).await.unwrap();
            assert_eq!(items[0]["insertText"], SUGGESTION);
            for (at, key) in SUGGESTION.char_indices().take(40) {
                version += 1;
                let started = Instant::now();
                change(&mut driver, version, line, column, &key.to_string());
                column += 1;
                let items = driver.request(method, completion(line, column)).await.unwrap();
                tandem.push(started.elapsed());
                assert_eq!(items[0]["insertText"], SUGGESTION[at + 1..]);
                let started = Instant::now();
                bare.notify("textDocument/didChange", completion(line, column));
                bare.request(method, items.clone()).await.unwrap();
                echo.push(started.elapsed());
            }
            version += 1;
            change(&mut driver, version, line, 4, "\n    ");
        }
        row(&format!("key and rest of a suggestion, {lines} lines"), tandem);
        row(&format!("bare echo in the same run, {lines} lines"), echo);
    }
}

/// Answers each request with its own params, framed as the protocol requires, and ignores notifications.
async fn echoes(stream: DuplexStream) {
    let (from, mut to) = tokio::io::split(stream);
    let mut from = BufReader::new(from);
    loop {
        let mut length = 0;
        loop {
            let mut header = String::new();
            if from.read_line(&mut header).await.unwrap() == 0 {
                return;
            }
            if header.trim().is_empty() {
                break;
            }
            length = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        }
        let mut body = vec![0; length];
        from.read_exact(&mut body).await.unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap();
        if message.get("id").is_some() {
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": message["params"] });
            let answer = answer.to_string();
            let framed = format!("Content-Length: {}\r\n\r\n{answer}", answer.len());
            to.write_all(framed.as_bytes()).await.unwrap();
        }
    }
}

/// Builds the window and the prompt for a position in the middle of a file.
fn building() {
    for lines in [1_000, 10_000, 100_000] {
        let (text, middle) = file(lines);
        let document = Document::new(DocumentId::new(URI), "rust", 1, &text);
        document.syntax();
        let cursor = document.text().line_to_byte(middle as usize) + 4;
        let times = (0..2_000).map(|_| {
            let started = Instant::now();
            let window = Window::around(&document, cursor, "src/a.rs".to_owned(), "");
            black_box(render(&window));
            started.elapsed()
        });
        row(&format!("window and prompt, {lines} lines"), times.collect());
    }
}

/// The time from the piece that completes the first statement to the answer, while the model still streams.
async fn first_statement() {
    for lines in [1_000, 10_000, 100_000] {
        first_statement_in(lines).await;
    }
}

async fn first_statement_in(lines: usize) {
    let sent = Arc::new(Mutex::new(None));
    let model = Scripted {
        pieces: vec!["a + 1;", "\n    let more = 2", ";"],
        pause: Duration::from_millis(400),
        sent: Arc::clone(&sent),
    };
    let (mut driver, line) = editor(model, lines).await;
    let mut times = Vec::new();
    for round in 0..20 {
        let word = format!("let x{round} = ");
        change(&mut driver, 2 * round + 1, line, 4, &word);
        let column = 4 + u32::try_from(word.len()).unwrap();
        tokio::time::sleep(Duration::from_millis(250)).await;
        let items = driver.request("textDocument/inlineCompletion", completion(line, column)).await.unwrap();
        times.push(sent.lock().unwrap().take().unwrap().elapsed());
        assert_eq!(items[0]["insertText"], "a + 1;");
        // Restores the line: an unfinished statement would change the code of the next round.
        driver.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": URI, "version": 2 * round + 2 },
                "contentChanges": [{
                    "range": {
                        "start": { "line": line, "character": 4 },
                        "end": { "line": line, "character": column },
                    },
                    "text": "",
                }],
            }),
        );
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    row(&format!("first statement on the wire to answer, {lines} lines"), times);
}
