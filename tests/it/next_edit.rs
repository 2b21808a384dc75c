//! Next edits over the wire.

mod again;
mod corpus;
mod elsewhere;
mod imports;
mod left;
mod rename;
mod reshaped;
mod scenarios;
mod trained;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::{Value, json};
use tandem::assist::Models;
use tandem::edit::span;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::simulate::{Options, Script};

use crate::support::{Editor, Setup};

/// Not a path on disk, which a paused clock would not wait for.
const URI: &str = "untitled:shape.rs";
const TEXT: &str =
    "fn area(width: u32) -> u32 {\n    let half = width / 2;\n    // 猫\n    half * width\n}\n";

/// An edited file, in the editor's state.
struct Play {
    editor: Editor,
    text: String,
    version: i32,
}

impl Play {
    async fn new(setup: Setup, text: &str) -> Self {
        Self::open(setup, "rust", text).await
    }

    async fn open(setup: Setup, language: &str, text: &str) -> Self {
        let mut editor = Editor::with(setup).await;
        editor.open_only(URI, language, text);
        Self { editor, text: text.to_owned(), version: 1 }
    }

    /// Replaces the first `old` with `new`.
    fn replace(&mut self, old: &str, new: &str) {
        let start = self.text.find(old).unwrap();
        self.splice(start, start + old.len(), new);
    }

    fn splice(&mut self, start: usize, end: usize, new: &str) {
        let at = |byte: usize| {
            let before = &self.text[..byte];
            let line = before.matches('\n').count();
            let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
            [u32::try_from(line).unwrap(), u32::try_from(column).unwrap()]
        };
        let ([line, column], [end_line, end_column]) = (at(start), at(end));
        self.version += 1;
        self.editor.change(URI, self.version, [line, column, end_line, end_column], new);
        self.text.replace_range(start..end, new);
    }

    async fn ask_as(&mut self, method: &str, version: i32, trigger: u32) -> Value {
        let params = json!({
            "textDocument": { "uri": URI, "version": version },
            "position": { "line": 0, "character": 9 },
            "context": { "triggerKind": trigger },
        });
        self.editor.driver.request(method, params).await.unwrap()["edits"].clone()
    }

    /// Sends an explicit request, with one more field in the context.
    async fn ask_with(&mut self, word: &str) -> Value {
        let params = json!({
            "textDocument": { "uri": URI, "version": self.version },
            "position": { "line": 0, "character": 9 },
            "context": { "triggerKind": 1, word: true },
        });
        self.editor.driver.request("tandem/nextEdit", params).await.unwrap()["edits"].clone()
    }

    async fn dismiss(&mut self, edit: &Value) {
        let reject = json!({ "command": "tandem.reject", "arguments": [edit["id"]] });
        self.editor.driver.request("workspace/executeCommand", reject).await.unwrap();
    }

    /// Sends an automatic request, with the cursor in this column, and does not wait for the answer.
    fn question(&mut self, character: u32) -> i64 {
        let params = json!({
            "textDocument": { "uri": URI },
            "position": { "line": character / 100_000_000, "character": character },
        });
        self.editor.driver.ask("tandem/nextEdit", params)
    }

    async fn ask(&mut self) -> Value {
        self.ask_as("tandem/nextEdit", self.version, 2).await
    }

    /// Applies an edit as an editor does when the user accepts it, and reports that.
    async fn take(&mut self, edit: &Value) {
        let line_start = |line: u64| {
            self.text.split_inclusive('\n').take(usize::try_from(line).unwrap()).map(str::len).sum::<usize>()
        };
        // The tests' edits have only ASCII before them on their lines.
        let byte = |at: &Value| {
            line_start(at["line"].as_u64().unwrap())
                + usize::try_from(at["character"].as_u64().unwrap()).unwrap()
        };
        let (start, end) = (byte(&edit["range"]["start"]), byte(&edit["range"]["end"]));
        assert_eq!(edit["textDocument"], json!({ "uri": URI, "version": self.version }));
        let text = edit["text"].as_str().unwrap().to_owned();
        self.splice(start, end, &text);
        let command = &edit["command"];
        assert_eq!((&command["command"], &command["arguments"][0]), (&json!("tandem.accept"), &edit["id"]));
        self.editor.driver.request("workspace/executeCommand", command.clone()).await.unwrap();
    }
}

fn scripted(reply: &str) -> Setup {
    let script = Script::parse(&json!({ "reply": reply }).to_string()).unwrap();
    Setup { simulator: Some(Options { script, ..Options::default() }), ..Setup::default() }
}

#[tokio::test]
async fn a_rename_goes_on_place_by_place_without_a_model() {
    let mut play = Play::new(Setup::default(), TEXT).await;
    play.replace("width", "breadth");
    for method in ["tandem/nextEdit", "textDocument/copilotInlineEdit"] {
        let edits = play.ask_as(method, play.version, 2).await;
        assert_eq!(edits[0]["text"], "breadth", "{edits}");
        play.take(&edits[0]).await;
    }
    assert_eq!(play.text, TEXT.replace("width", "breadth"));
    assert_eq!(play.editor.model_requests(), 0);
    assert_eq!(play.ask().await, json!([]), "and then there is nothing left");
    play.editor.finish().await;
}

#[tokio::test]
async fn a_models_hunks_wait_for_each_other() {
    let filler = "fn filler() {\n    let a = 1;\n}\n\n".repeat(8);
    let text =
        format!("enum Kind {{\n    Red,\n}}\n\n{filler}fn show(kind: Kind) {{\n    one();\n    two();\n}}\n");
    let now = text.replace("    Red,\n", "    Red,\n    Blue,\n");
    // The window of the prompt: it is cut in the same way.
    let window = span::cut(&now, 0..now.len());
    let (tag, at) = &window.tags[window.tags.len() - 2];
    let end = &window.tags[window.tags.len() - 1].0;
    let block = now[*at..].replace("one();", "first(Kind::Blue);").replace("two();", "second(kind);");
    let mut play = Play::new(scripted(&format!("<@{tag}>\n{block}<@{end}>\n")), &text).await;
    play.replace("    Red,\n", "    Red,\n    Blue,\n");
    let edits = play.ask().await;
    play.take(&edits[0]).await;
    let asked = play.editor.model_requests();
    assert_eq!(asked, 1);
    assert!(play.text.contains("first(Kind::Blue);\n    second(kind);"), "{}", play.text);
    play.editor.finish().await;
}

#[tokio::test]
async fn hunk_that_is_refused_beside_a_shown_one_has_a_reason() {
    let filler = "fn filler() {\n    let a = 1;\n}\n\n".repeat(8);
    let show =
        "fn show(kind: Kind) {\n    one();\n    let a = 1;\n    let b = 2;\n    two();\n    three();\n}\n";
    let text = format!("enum Kind {{\n    Red,\n}}\n\n{filler}{show}");
    let now = text.replace("    Red,\n", "    Red,\n    Blue,\n");
    // The window of the prompt: it is cut in the same way.
    let window = span::cut(&now, 0..now.len());
    let (tag, at) = &window.tags[window.tags.len() - 2];
    let end = &window.tags[window.tags.len() - 1].0;
    let block = now[*at..].replace("one();", "first(Kind::Blue);").replace("two();", "second(Kind::Blue;");
    let mut play = Play::new(scripted(&format!("<@{tag}>\n{block}<@{end}>\n")), &text).await;
    play.replace("    Red,\n", "    Red,\n    Blue,\n");
    let edits = play.ask().await;
    assert_eq!(edits[0]["text"], "first(Kind::Blue", "{edits}");
    let about = json!({ "command": "tandem.why", "arguments": [{ "textDocument": { "uri": URI } }] });
    for _ in 0..500 {
        let why = play.editor.driver.request("workspace/executeCommand", about.clone()).await.unwrap();
        let newest = &why["decisions"][0];
        assert_eq!(newest["outcome"], "shown");
        if newest["beside"] == "syntax" {
            return play.editor.finish().await;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no reason in 5 s");
}

#[tokio::test]
async fn what_was_dismissed_does_not_come_back() {
    let mut play = Play::new(Setup::default(), TEXT).await;
    play.replace("width", "breadth");
    let edits = play.ask().await;
    play.dismiss(&edits[0]).await;
    assert_eq!(play.ask().await, json!([]), "nothing for a moment");
    assert_eq!(play.ask_as("tandem/nextEdit", play.version, 1).await, json!([]), "nor the same when asked");
    play.editor.finish().await;
}

#[tokio::test]
async fn all_remaining_places_are_answered_at_once_if_wanted() {
    let mut play = Play::new(Setup::default(), TEXT).await;
    play.replace("width", "breadth");
    let first = play.ask().await;
    let edits = play.ask_with("all").await;
    let edits = edits.as_array().unwrap();
    assert_eq!((edits.len(), &edits[0]), (2, &first[0]));
    // From last to first, so that the positions of the others stay valid.
    for edit in edits.iter().rev() {
        let mut edit = edit.clone();
        edit["textDocument"]["version"] = json!(play.version);
        play.take(&edit).await;
    }
    assert_eq!(play.text, TEXT.replace("width", "breadth"));
    assert_eq!(play.ask().await, json!([]), "and then there is nothing left");
    play.editor.finish().await;
}

#[tokio::test]
async fn dismissed_edit_is_shown_again_if_wanted_and_leads_on() {
    let mut play = Play::new(Setup::default(), TEXT).await;
    assert_eq!(play.ask_with("dismissed").await, json!([]), "nothing was dismissed");
    play.replace("width", "breadth");
    let edits = play.ask().await;
    play.dismiss(&edits[0]).await;
    assert_eq!(play.ask_with("dismissed").await, edits);
    play.take(&edits[0]).await;
    let next = play.ask_as("tandem/nextEdit", play.version, 1).await;
    play.take(&next[0]).await;
    assert_eq!(play.text, TEXT.replace("width", "breadth"));
    play.editor.finish().await;
}

#[tokio::test]
async fn nothing_follows_from_nothing_or_from_an_undo() {
    let mut play = Play::new(Setup::default(), TEXT).await;
    assert_eq!(play.ask().await, json!([]), "nothing was done");
    play.replace("width", "breadth");
    assert_eq!(play.ask_as("tandem/nextEdit", 1, 2).await, json!([]), "another version");
    play.replace("breadth", "width");
    assert_eq!(play.ask().await, json!([]), "an undo");
    assert_eq!(play.editor.model_requests(), 0);
    play.editor.finish().await;
}

/// A model that replies nothing, and counts its requests.
#[derive(Clone, Default)]
struct Silent(Arc<AtomicUsize>);

impl Model for Silent {
    fn name(&self) -> String {
        "silent".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        self.0.fetch_add(1, Ordering::Relaxed);
        let slowly = async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            Ok(Chunk::Text("NO_EDITS".to_owned()))
        };
        let done = async { Ok(Chunk::Done(Usage::default())) };
        stream::once(slowly).chain(stream::once(done)).boxed()
    }
}

impl Silent {
    async fn play(&self) -> Play {
        let models = Models { fast: Some(Arc::new(self.clone())), deep: None };
        Play::new(Setup { simulator: None, models: Some(models), ..Setup::default() }, TEXT).await
    }

    fn asked(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn explicit_request_before_anything_was_typed_asks_the_model() {
    let window = span::cut(TEXT, 0..TEXT.len());
    let [(first, _), .., (end, _)] = &window.tags[..] else { panic!("two tags") };
    let block = TEXT.replace("width / 2", "width / 4");
    let mut play = Play::new(scripted(&format!("<@{first}>\n{block}<@{end}>\n")), TEXT).await;
    assert_eq!(play.ask().await, json!([]), "the editor's own request is for what follows from typing");
    assert_eq!(play.editor.model_requests(), 0);
    let edits = play.ask_as("tandem/nextEdit", 1, 1).await;
    assert_eq!(edits[0]["text"], "4", "{edits}");
    play.editor.finish().await;
}

#[tokio::test]
async fn likely_repeats_are_shown_at_once_and_the_model_is_asked_besides() {
    let text = "fn f() {\n    draw(a);\n    draw(b);\n    draw(c);\n    draw(d);\n}\n";
    let mut play = Play::new(scripted("NO_EDITS"), text).await;
    for name in ["a", "b", "c"] {
        play.replace(&format!("draw({name})"), &format!("draw({name}, 1)"));
    }
    let edits = play.ask().await;
    assert_eq!(edits[0]["text"], ", 1", "{edits}");
    // The answer does not wait for the model.
    let asked = async {
        while play.editor.model_requests() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), asked).await.expect("the model is asked as well");
    play.editor.finish().await;
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_asks_after_every_key_costs_one_call() {
    let model = Silent::default();
    let mut play = model.play().await;
    let mut asked = Vec::new();
    for (at, letter) in "// eleven keys a second, and no break".char_indices() {
        play.splice(at, at, &letter.to_string());
        asked.push(play.question(at as u32 + 1));
        tokio::time::sleep(Duration::from_millis(90)).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    for id in asked {
        assert_eq!(play.editor.driver.answer(id).await.unwrap()["result"]["edits"], json!([]));
    }
    assert_eq!(model.asked(), 1, "for what stands at the end");
    play.editor.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_questions_gets_one_answer_each_and_a_call_now_and_then() {
    let model = Silent::default();
    let mut play = model.play().await;
    play.replace("half = width / 2", "half = width / 3");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut asked = Vec::new();
    // Fifty a second for two seconds, with a moving cursor, also past the end.
    for number in 0..100 {
        asked.push(play.question(number * 40_000_000));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for id in asked {
        assert_eq!(play.editor.driver.answer(id).await.unwrap()["result"]["edits"], json!([]));
    }
    assert!((1..=8).contains(&model.asked()), "{} calls", model.asked());
    play.editor.finish().await;
}

#[tokio::test]
async fn it_can_be_switched_off() {
    let options = json!({ "languages": { "rust": { "next_edit": false } } });
    let mut play = Play::new(Setup { options, ..Setup::default() }, TEXT).await;
    play.replace("width", "breadth");
    assert_eq!(play.ask().await, json!([]));
    assert_ne!(
        play.ask_as("tandem/nextEdit", play.version, 1).await,
        json!([]),
        "but not for an explicit request"
    );
    play.editor.finish().await;
}

#[tokio::test]
async fn takes_what_editors_say_besides() {
    let mut play = Play::new(Setup::default(), TEXT).await;
    let problem = json!({
        "range": { "start": { "line": 99, "character": 0 }, "end": { "line": 0, "character": 0 } },
        "message": { "kind": "markdown", "value": "**wrong**" },
        "code": 7,
        "tags": [1],
    });
    let driver = &mut play.editor.driver;
    driver.notify("tandem/diagnostics", json!({ "uri": URI, "version": 1, "diagnostics": [problem] }));
    driver.notify("tandem/diagnostics", json!({ "uri": "file:///elsewhere", "diagnostics": [problem] }));
    driver.notify("tandem/didFocus", json!({ "textDocument": { "uri": URI } }));
    driver.notify("textDocument/didFocus", json!({}));
    let reject = json!({ "command": "tandem.reject", "arguments": [4711] });
    assert_eq!(driver.request("workspace/executeCommand", reject).await.unwrap(), Value::Null);
    assert_eq!(play.ask_as("tandem/nextEdit", 1, 1).await, json!([]), "a model was asked, and says nothing");
    assert_eq!(play.editor.model_requests(), 1);
    play.editor.finish().await;
}
