//! A model that reads and writes slowly, as a small one does on a laptop: the requests to it, and its timing.
//!
//! The clock is virtual, so that nothing waits in real time and every run has the same timing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tandem::assist::Models;
use tandem::config::{Endpoint, Role, Wire};
use tandem::model::fallback::Fallback;
use tandem::model::usage::Meter;
use tandem::model::{Chunk, ChunkStream, Model, Pace, Request, RequestKind, ServerTimes, Usage};
use tokio::time::{Instant, sleep};

use crate::support::{Editor, Setup, at_cursor, capabilities, complete_params};

/// Not a path on disk, which a paused clock would not wait for.
const URI: &str = "untitled:shape.rs";
/// Bytes per token.
const TOKEN: usize = 3;

/// A machine that handles one request at a time, and caches the last prompt.
#[derive(Clone)]
struct Laptop {
    reading: f64,
    writing: f64,
    reply: &'static str,
    busy: Arc<tokio::sync::Mutex<String>>,
    log: Arc<Mutex<Log>>,
}

#[derive(Default)]
struct Log {
    /// Tokens that each request had to read, and the lines of its window.
    asked: Vec<(usize, usize)>,
    /// Requests answered to the end.
    ended: usize,
    /// Requests being answered.
    running: usize,
}

/// Counts a request as running while it lives.
struct Running(Arc<Mutex<Log>>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.lock().unwrap().running -= 1;
    }
}

impl Laptop {
    fn new(reading: f64, writing: f64, reply: &'static str) -> Self {
        Self { reading, writing, reply, busy: Arc::default(), log: Arc::default() }
    }

    /// The laptop as a model of the server, measured like any other.
    fn model(&self) -> Models {
        let endpoint = Endpoint {
            model: "small".to_owned(),
            wire: Wire::Chat,
            base_url: "http://127.0.0.1:9/v1".to_owned(),
            ..Endpoint::default()
        };
        let role = Role { candidates: vec![endpoint], ..Role::default() };
        let meter = Arc::new(Meter::new(Default::default(), Default::default(), None));
        let connect = |_, _| Arc::new(self.clone()) as Arc<dyn Model>;
        let fallback = Fallback::new("fast", &role, connect, meter, Arc::new(|_| ())).unwrap();
        Models { fast: Some(Arc::new(Unlooked(fallback))), deep: None }
    }

    async fn editor(&self, capabilities: Value) -> Editor {
        let models = Some(self.model());
        Editor::with(Setup { simulator: None, models, capabilities, ..Setup::default() }).await
    }

    fn asked(&self) -> Vec<(usize, usize)> {
        self.log.lock().unwrap().asked.clone()
    }
}

impl Model for Laptop {
    fn name(&self) -> String {
        "small".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, request: Request) -> ChunkStream {
        let it = self.clone();
        it.log.lock().unwrap().running += 1;
        let running = Running(Arc::clone(&it.log));
        let begin = async move {
            let mut last = it.busy.lock_owned().await;
            let prompt = format!("{}{}", request.instructions, request.input);
            let kept = last.bytes().zip(prompt.bytes()).take_while(|(old, new)| old == new).count();
            let (fresh, all) = ((prompt.len() - kept).div_ceil(TOKEN), prompt.len().div_ceil(TOKEN));
            let lines = request.input.split("<|code|>").nth(1).map_or(0, |window| window.lines().count() - 1);
            it.log.lock().unwrap().asked.push((fresh, lines));
            let reading = Duration::from_secs_f64(fresh as f64 / it.reading);
            sleep(reading).await;
            *last = prompt;
            let most = request.max_output_tokens as usize * TOKEN;
            let pieces: Vec<&str> = it.reply.as_bytes()[..it.reply.len().min(most)]
                .chunks(TOKEN)
                .map(|piece| std::str::from_utf8(piece).unwrap())
                .collect();
            let token = Duration::from_secs_f64(1.0 / it.writing);
            let usage = Usage {
                input_tokens: all as u64,
                cached_tokens: (kept / TOKEN) as u64,
                output_tokens: pieces.len() as u64,
                truncated: it.reply.len() > most,
                times: Some(ServerTimes {
                    read_tokens: fresh as u64,
                    reading,
                    written_tokens: pieces.len() as u64,
                    writing: token * pieces.len() as u32,
                }),
                ..Usage::default()
            };
            let log = Arc::clone(&it.log);
            let texts = stream::iter(pieces).then(move |piece| async move {
                sleep(token).await;
                Ok(Chunk::Text(piece.to_owned()))
            });
            let done = stream::once(async move {
                // The machine is free, and the request over, once this was sent.
                drop((last, running));
                log.lock().unwrap().ended += 1;
                Ok(Chunk::Done(usage))
            });
            texts.chain(done)
        };
        stream::once(begin).flatten().boxed()
    }
}

/// A model that is not probed in the background, since it has no server.
struct Unlooked(Fallback);

impl Model for Unlooked {
    fn name(&self) -> String {
        self.0.name()
    }

    fn warm(&self) {}

    fn window(&self) -> u32 {
        self.0.window()
    }

    fn pace(&self, kind: RequestKind) -> Pace {
        self.0.pace(kind)
    }

    fn unread(&self, request: &Request) -> usize {
        self.0.unread(request)
    }

    fn takes_fim(&self) -> bool {
        self.0.takes_fim()
    }

    fn stream(&self, request: Request) -> ChunkStream {
        self.0.stream(request)
    }
}

/// SmolLM2-135M on two cores: it reads 180 and writes 49 tokens a second.
fn small(reply: &'static str) -> Laptop {
    Laptop::new(180.0, 49.0, reply)
}

/// A file of functions, each with a line to be continued. Returns the text and those lines.
fn file() -> (String, Vec<u32>) {
    let mut text = String::new();
    let mut lines = Vec::new();
    for number in 0..60 {
        text += &format!("fn area_{number}(width: u32, height: u32) -> u32 {{\n");
        text += "    let half = width / 2;\n    let rest = width - half;\n";
        lines.push(text.lines().count() as u32);
        text += "    let total = \n    total + half + rest * height\n}\n\n";
    }
    (text, lines)
}

fn explicit(line: u32, character: u32) -> Value {
    let mut params = complete_params(URI, line, character);
    params["context"]["triggerKind"] = json!(1);
    params
}

const COLUMN: u32 = 16;

/// Sends explicit requests at several lines, from which the server learns how slow the model is.
async fn teach(editor: &mut Editor, lines: &[u32]) {
    for line in lines {
        let params = explicit(*line, COLUMN);
        editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        editor.driver.take_unread();
    }
}

#[tokio::test(start_paused = true)]
async fn slow_model_answers_explicit_requests_in_time() {
    let laptop = small("half + rest;");
    let mut editor = laptop.editor(capabilities("utf-16")).await;
    let (text, lines) = file();
    editor.open(URI, "rust", &text);
    let mut in_time = 0;
    for line in &lines[20..42] {
        let began = Instant::now();
        let params = explicit(*line, COLUMN);
        let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
        let is_there = items[0]["insertText"] == "half + rest;";
        in_time += usize::from(is_there && began.elapsed() <= Duration::from_secs(5));
        sleep(Duration::from_secs(2)).await;
    }
    editor.driver.take_unread();
    // The first requests only measure the model's speed, which was unknown.
    assert!(in_time >= 20, "{in_time} of 22: {:?}", laptop.asked());
    let asked = laptop.asked();
    assert!(asked.len() <= 26, "one call for each request: {asked:?}");
    assert!(asked.iter().all(|(_, lines)| *lines >= 10), "{asked:?}");
    editor.finish().await;
}

#[tokio::test(start_paused = true)]
async fn slow_model_reads_little_from_key_to_key() {
    let laptop = small("half + rest;");
    let mut editor = laptop.editor(capabilities("utf-16")).await;
    let (text, lines) = file();
    editor.open(URI, "rust", &text);
    teach(&mut editor, &lines[27..30]).await;
    let (known, line) = (laptop.asked().len(), lines[30]);
    for (typed, letter) in "(9 * 8 - 7) ".char_indices() {
        let column = COLUMN + u32::try_from(typed).unwrap();
        editor.change(URI, 2 + typed as i32, [line, column, line, column], &letter.to_string());
        sleep(Duration::from_secs(6)).await;
        editor.complete(URI, line, column + 1).await;
    }
    let asked = &laptop.asked()[known..];
    assert!(asked.len() > 4, "{asked:?}");
    for (fresh, lines) in &asked[1..] {
        // The typed text, and the code after the cursor.
        assert!(*fresh < 130 && *lines >= 10, "{asked:?}");
    }
    editor.finish().await;
}

#[tokio::test(start_paused = true)]
async fn late_answer_is_kept_for_its_place() {
    let laptop = Laptop::new(60.0, 20.0, "half + rest;");
    let mut editor = laptop.editor(capabilities("utf-16")).await;
    let (text, lines) = file();
    editor.open(URI, "rust", &text);
    teach(&mut editor, &lines[25..30]).await;
    let (known, line) = (laptop.asked().len(), lines[45]);
    let asked = editor.driver.ask("textDocument/inlineCompletion", explicit(line, COLUMN));
    sleep(Duration::from_millis(100)).await;
    editor.change(URI, 2, [line, COLUMN, line, COLUMN], "h");
    assert_eq!(editor.driver.answer(asked).await.unwrap()["result"], json!([]), "made for an older text");
    // The editor sends a request at each key; the pending answer is awaited, and no second call made.
    let items = editor.complete(URI, line, COLUMN + 1).await;
    assert_eq!(items[0]["insertText"], "alf + rest;");
    assert_eq!(laptop.asked().len(), known + 1, "{:?}", laptop.asked());
    editor.finish().await;
}

#[tokio::test(start_paused = true)]
async fn explicit_request_shows_progress_and_can_be_cancelled() {
    let laptop = Laptop::new(60.0, 20.0, "half + rest;");
    let mut able = capabilities("utf-16");
    able["window"] = json!({ "workDoneProgress": true });
    let mut editor = laptop.editor(able).await;
    let (text, lines) = file();
    editor.open(URI, "rust", &text);
    teach(&mut editor, &lines[25..30]).await;
    let asked = editor.driver.ask("textDocument/inlineCompletion", explicit(lines[45], COLUMN));
    let create = editor.driver.expect("window/workDoneProgress/create").await.unwrap();
    editor.driver.reply(&create, Value::Null);
    let begin = editor.driver.expect("$/progress").await.unwrap();
    assert_eq!(begin["params"]["value"]["title"], "Ghost text");
    assert_eq!(laptop.log.lock().unwrap().running, 1);
    let token = create["params"]["token"].clone();
    editor.driver.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(editor.driver.answer(asked).await.unwrap()["result"], json!([]));
    while laptop.log.lock().unwrap().running > 0 {
        sleep(Duration::from_millis(10)).await;
    }
    editor.driver.take_unread();
    editor.hang_up().await;
}

/// A hosted service, and a server with a mid-range graphics card.
const QUICK: [(f64, f64); 2] = [(20_000.0, 500.0), (2_000.0, 90.0)];

#[tokio::test(start_paused = true)]
async fn quick_model_is_asked_for_the_whole_window_and_for_several() {
    for (reading, writing) in QUICK {
        let laptop = Laptop::new(reading, writing, "half + rest;");
        let mut editor = laptop.editor(capabilities("utf-16")).await;
        let (text, lines) = file();
        editor.open(URI, "rust", &text);
        for at in [30, 31] {
            let params = explicit(lines[at], COLUMN);
            let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
            assert_eq!(items[0]["insertText"], "half + rest;", "{reading}");
            sleep(Duration::from_secs(20)).await;
        }
        let asked = laptop.asked();
        assert_eq!(asked.len(), 6, "{reading}");
        assert!(asked.iter().all(|(_, lines)| *lines > 150), "{asked:?}");
        editor.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn slow_model_that_stays_silent_is_told_from_one_that_reads() {
    let (text, line, column) = at_cursor("fn f(half: u32) {\n    let total = ˇ\n}\n");
    let laptop = Laptop::new(0.5, 1.0, "half;");
    let mut editor = laptop.editor(capabilities("utf-16")).await;
    editor.open(URI, "rust", &text);
    let began = Instant::now();
    let items = editor.driver.request("textDocument/inlineCompletion", explicit(line, column)).await.unwrap();
    assert_eq!(items, json!([]));
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    let warning = editor.driver.expect("window/showMessage").await.unwrap();
    assert!(warning["params"]["message"].as_str().unwrap().contains("no ghost text for now"), "{warning}");
    assert_eq!(laptop.log.lock().unwrap().ended, 0);
    editor.finish().await;
}

#[tokio::test(start_paused = true)]
async fn line_that_takes_too_long_is_shown_as_far_as_it_goes() {
    let line =
        "half + rest * height + half * (rest - height) + width * width + height * height + half * half;";
    let laptop = Laptop::new(150.0, 8.0, line);
    let mut editor = laptop.editor(capabilities("utf-16")).await;
    let (text, lines) = file();
    editor.open(URI, "rust", &text);
    teach(&mut editor, &lines[25..30]).await;
    let (known, at) = (laptop.asked().len(), lines[45]);
    let began = Instant::now();
    let params = explicit(at, COLUMN);
    let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
    assert!(began.elapsed() <= Duration::from_secs(5), "{:?}", began.elapsed());
    let shown = items[0]["insertText"].as_str().unwrap().to_owned();
    assert!(line.starts_with(&shown) && shown.len() > 10 && shown.len() < line.len(), "{shown}");
    // A later answer is kept for its position.
    sleep(Duration::from_secs(60)).await;
    editor.change(URI, 2, [at, COLUMN, at, COLUMN], &shown);
    let end = COLUMN + shown.len() as u32;
    assert_eq!(editor.complete(URI, at, end).await[0]["insertText"], line[shown.len()..]);
    assert_eq!(laptop.asked().len(), known + 1, "{:?}", laptop.asked());
    editor.finish().await;
}

fn rewrite(first: u32, end: u32) -> Value {
    let range = json!({ "start": { "line": first, "character": 0 }, "end": { "line": end, "character": 0 } });
    let argument = json!({
        "textDocument": { "uri": URI }, "range": range, "instruction": "make it shorter", "preview": true
    });
    json!({ "command": "tandem.rewrite", "arguments": [argument] })
}

/// The answer to a rewrite of some lines by a laptop whose speed is known, and its duration.
async fn rewritten(laptop: &Laptop, first: u32, end: u32) -> (Value, Duration) {
    let mut editor = laptop.editor(capabilities("utf-16")).await;
    let (text, lines) = file();
    editor.open(URI, "rust", &text);
    teach(&mut editor, &lines[25..30]).await;
    laptop.log.lock().unwrap().asked.clear();
    let began = Instant::now();
    let id = editor.driver.ask("workspace/executeCommand", rewrite(first, end));
    let answer = editor.driver.answer(id).await.unwrap();
    let took = began.elapsed();
    editor.hang_up().await;
    (answer, took)
}

#[tokio::test(start_paused = true)]
async fn slow_model_is_shown_little_around_what_it_rewrites() {
    let laptop = small("```rust\nfn area_40(width: u32, height: u32) -> u32 {\n    width * height\n}\n```\n");
    let (answer, took) = rewritten(&laptop, 280, 286).await;
    assert!(answer["result"]["edit"].is_object(), "{answer}");
    let asked = laptop.asked();
    assert!(asked.len() == 1 && asked[0].0 < 460, "{asked:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn quick_model_is_shown_what_is_around_what_it_rewrites() {
    let reply = "```rust\nfn area_40(width: u32, height: u32) -> u32 {\n    width * height\n}\n```\n";
    for (reading, writing) in QUICK {
        let laptop = Laptop::new(reading, writing, reply);
        let (answer, _) = rewritten(&laptop, 280, 286).await;
        assert!(answer["result"]["edit"].is_object(), "{answer}");
        let asked = laptop.asked();
        assert!(asked.len() == 1 && asked[0].0 > 2_000, "{reading}: {asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn rewrite_that_only_repeats_itself_is_ended() {
    let reply = format!("```rust\n{}", "    let half = width / 2;\n".repeat(400));
    let laptop = small(reply.leak());
    let (answer, took) = rewritten(&laptop, 280, 286).await;
    assert_eq!(answer["error"]["data"]["reason"], "repetition", "{answer}");
    assert!(took < Duration::from_secs(12), "{took:?}");
    while laptop.log.lock().unwrap().running > 0 {
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn rewrite_that_cannot_end_is_refused_before_it_begins() {
    let laptop = Laptop::new(60.0, 5.0, "half + rest * height + half;");
    let (answer, took) = rewritten(&laptop, 0, 419).await;
    assert_eq!(answer["error"]["data"]["reason"], "slow-model", "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains(" tokens/s; this would take about "), "{message}");
    assert!(laptop.asked().is_empty() && took < Duration::from_secs(1), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn rewrite_by_a_slow_model_says_how_long_it_should_take() {
    let laptop = Laptop::new(60.0, 5.0, "half + rest;");
    let mut able = capabilities("utf-16");
    able["window"] = json!({ "workDoneProgress": true });
    let mut editor = laptop.editor(able).await;
    let (text, lines) = file();
    editor.open(URI, "rust", &text);
    teach(&mut editor, &lines[25..30]).await;
    let asked = editor.driver.ask("workspace/executeCommand", rewrite(240, 245));
    let create = editor.driver.expect("window/workDoneProgress/create").await.unwrap();
    editor.driver.reply(&create, Value::Null);
    let message = loop {
        let progress = editor.driver.expect("$/progress").await.unwrap();
        if progress["params"]["value"]["kind"] == "report" {
            break progress["params"]["value"]["message"].as_str().unwrap().to_owned();
        }
    };
    assert!(message.starts_with("about ") && message.contains(" s expected, "), "{message}");
    editor.driver.notify("window/workDoneProgress/cancel", json!({ "token": create["params"]["token"] }));
    let answer = editor.driver.answer(asked).await.unwrap();
    assert_eq!(answer["error"]["data"]["reason"], "cancelled", "{answer}");
    editor.hang_up().await;
}
