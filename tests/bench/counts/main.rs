//! The code paths of ghost text, fixes and the index, for an instruction counter: `tests/bench/counts/run` counts them, and
//! compares the counts with the recorded ones.
//!
//! Server, editor and model share one thread, a pipe and a clock that stops while there is work, so that a path takes
//! the same steps on every run. Between the paths the program calls `getppid`, which nothing else does: the counter
//! dumps its count whenever that function of the C library returns, and needs no symbols of this program. Standard
//! output names the path that the count before each such call belongs to.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "the names of the counts")]

mod broken;
mod fixes;
mod index;
mod source;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use source::{Language, Source};
use tandem::assist::Models;
use tandem::lsp::{self, Start};
use tandem::lsp_client::LspClient;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};

/// The model's reply: no typed key is a prefix of it.
const PIECES: [&str; 6] = ["Quartz", ".scale", "(seven", ")", ".floor()", ";"];
/// Counted rounds, and uncounted rounds before them: the first rounds compile queries and fill caches.
const ROUNDS: usize = 9;
const WARM_UP: usize = 6;
/// Keys per batch.
const KEYS: u32 = 100;

fn main() {
    let paths = [
        (Language::Rust, 1_000),
        (Language::Rust, 100_000),
        (Language::Python, 1_000),
        (Language::Python, 100_000),
    ];
    for (language, lines) in paths {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build().unwrap();
        runtime.block_on(count(language, lines));
    }
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(fixes::count());
    index::count();
}

/// Ends the count of the preceding path, and names it; `-` for a count that is not compared.
fn mark(name: &str, language: Language, lines: usize) {
    println!("{name}\t{}\t{lines}", language.id());
    #[cfg(unix)]
    std::hint::black_box(std::os::unix::process::parent_id());
}

/// A model that answers immediately.
struct Scripted {
    language: Language,
    lines: usize,
    counting: Arc<Counting>,
}

/// The paths that are being counted.
#[derive(Default)]
struct Counting {
    requests: AtomicBool,
    answers: AtomicBool,
}

impl Model for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        let Self { language, lines, .. } = *self;
        if self.counting.requests.load(Ordering::Relaxed) {
            mark("request-to-model", language, lines);
        }
        let is_counting = self.counting.answers.load(Ordering::Relaxed);
        let last = PIECES.len() - 1;
        let pieces = stream::iter(PIECES.into_iter().enumerate()).then(move |(at, piece)| async move {
            // The server receives the pieces one at a time and finishes its other work in between.
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            if is_counting && at == last {
                mark("-", language, lines);
            }
            Ok(Chunk::Text(piece.to_owned()))
        });
        pieces.chain(stream::iter([Ok(Chunk::Done(Usage::default()))])).boxed()
    }
}

/// One open file, and the position at which text is typed.
struct Editor {
    client: LspClient,
    source: Source,
    version: u32,
    line: u32,
    column: u32,
    home: (u32, u32),
}

const CHANGE: &str = "textDocument/didChange";
const COMPLETION: &str = "textDocument/inlineCompletion";

impl Editor {
    async fn open(model: Scripted, source: Source) -> Self {
        let models = Models { fast: Some(Arc::new(model)), deep: None };
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (from_us, to_us) = tokio::io::split(theirs);
        tokio::spawn(lsp::serve(from_us, to_us, Start { models: Some(models), ..Start::default() }));
        let (from_server, to_server) = tokio::io::split(ours);
        let mut client = LspClient::new(from_server, to_server);
        let capabilities = json!({ "experimental": { "tandem": { "candidates": 1 } } });
        client.initialize(json!({ "capabilities": capabilities })).await.unwrap();
        let document = json!({
            "uri": source.uri(), "languageId": source.language.id(), "version": 0, "text": source.text,
        });
        client.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let (line, column) = (source.line, source.column);
        Self { client, source, version: 0, line, column, home: (line, column) }
    }

    fn position(line: u32, column: u32) -> Value {
        json!({ "line": line, "character": column })
    }

    /// Replaces the text between a column of the cursor's line and the cursor.
    fn replace(&mut self, from: u32, text: &str) {
        self.version += 1;
        let range = json!({
            "start": Self::position(self.line, from),
            "end": Self::position(self.line, self.column),
        });
        let params = json!({
            "textDocument": { "uri": self.source.uri(), "version": self.version },
            "contentChanges": [{ "range": range, "text": text }],
        });
        self.client.notify(CHANGE, params);
        self.column = from + u32::try_from(text.len()).unwrap();
    }

    fn key(&mut self, key: &str) {
        self.replace(self.column, key);
    }

    /// The suggested text at the cursor.
    async fn complete(&mut self, trigger: u32) -> String {
        let params = json!({
            "textDocument": { "uri": self.source.uri() },
            "position": Self::position(self.line, self.column),
            "context": { "triggerKind": trigger },
        });
        let items = self.client.request(COMPLETION, params).await.unwrap();
        items[0]["insertText"].as_str().unwrap_or_default().to_owned()
    }

    /// Waits until all earlier messages are handled.
    async fn settle(&mut self) {
        self.client.request("tandem/status", json!({})).await.unwrap();
        // The clock advances only when no work is left.
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    }
}

async fn count(language: Language, lines: usize) {
    let counting = Arc::<Counting>::default();
    let model = Scripted { language, lines, counting: Arc::clone(&counting) };
    let mut editor = Editor::open(model, Source::new(language, lines)).await;
    editor.settle().await;
    let suggestion = PIECES.concat();
    for round in 0..WARM_UP + ROUNDS {
        for counted in [&counting.requests, &counting.answers] {
            counted.store(round >= WARM_UP, Ordering::Relaxed);
        }
        let mark = |name: &str| {
            if round >= WARM_UP {
                mark(name, language, lines);
            }
        };
        editor.key("w");
        editor.settle().await;
        mark("-");
        let text = editor.complete(1).await;
        mark("last-piece-to-answer");
        assert_eq!(text, suggestion);
        editor.settle().await;
        for (at, key) in suggestion.char_indices().take(3) {
            mark("-");
            editor.key(&key.to_string());
            let rest = editor.complete(2).await;
            mark("typed-through");
            assert_eq!(rest, suggestion[at + 1..]);
        }
        editor.settle().await;
        // Back to the typed word, which is longer in each round.
        let typed = editor.column - 3;
        editor.column = typed + 3;
        editor.replace(typed, "");
        editor.settle().await;
    }
    // The bracket is never closed, so the lines around the answer have a syntax error before and after the insertion.
    counting.requests.store(false, Ordering::Relaxed);
    editor.replace(editor.home.1, "open(");
    for round in 0..WARM_UP + ROUNDS {
        counting.answers.store(round >= WARM_UP, Ordering::Relaxed);
        editor.key("w");
        editor.settle().await;
        let text = editor.complete(1).await;
        if round >= WARM_UP {
            mark("last-piece-to-answer-with-error", language, lines);
        }
        assert_eq!(text, suggestion);
        editor.settle().await;
    }
    editor.replace(editor.home.1, "");
    editor.settle().await;
    let typed = "a_name_of_some_length_that_is_typed_in_one_go_and_then_again_until_there_are_a_hundred_keys_of_it_all";
    for batch in [0, KEYS] {
        for round in 0..3 {
            mark("-", language, lines);
            for key in typed.chars().cycle().take(usize::try_from(batch).unwrap()) {
                editor.key(&key.to_string());
            }
            editor.client.request("tandem/status", json!({})).await.unwrap();
            if round > 0 {
                mark(if batch == 0 { "no-keys" } else { "keys" }, language, lines);
            }
            editor.settle().await;
            editor.replace(editor.home.1, "");
            editor.settle().await;
        }
    }
}
