//! Next edits in an open file other than the requested one.

use std::sync::{Arc, Mutex};

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tandem::assist::Models;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::prompt::{self, ParsedPrompt};

use crate::support::answering::Reply;
use crate::support::{Editor, Setup, uri};

const SHAPE: &str = "file:///no-such-folder/src/shape.rs";
const MAIN: &str = "file:///no-such-folder/src/main.rs";
const SHAPE_TEXT: &str = "pub fn area(width: u32) -> u32 {\n    width * 2\n}\n";
const MAIN_TEXT: &str = "use crate::shape::area;\n\nfn main() {\n    area(2);\n}\n";

/// A model that answers for `main.rs` and not for other files; it records the files that it was shown.
#[derive(Debug, Clone)]
struct OfMain(Reply, Arc<Mutex<Vec<String>>>);

impl Model for OfMain {
    fn name(&self) -> String {
        "of-main".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, request: Request) -> ChunkStream {
        let Some(ParsedPrompt::NextEdit { path, window, steps, .. }) = prompt::read(&request.input) else {
            panic!("a prompt for something else: {}", request.input);
        };
        assert_eq!(steps[0].0, "src/shape.rs", "what was done where");
        let reply = if path == "src/main.rs" { self.0.to(&window) } else { "NO_EDITS".to_owned() };
        self.1.lock().unwrap().push(path);
        stream::iter([Ok(Chunk::Text(reply)), Ok(Chunk::Done(Usage::default()))]).boxed()
    }
}

async fn editor(setup: Setup) -> Editor {
    let mut editor = Editor::with(setup).await;
    editor.open_only(MAIN, "rust", MAIN_TEXT);
    editor.open_only(SHAPE, "rust", SHAPE_TEXT);
    editor
}

async fn ask_as(editor: &mut Editor, method: &str, uri: &str) -> Value {
    let params = json!({
        "textDocument": { "uri": uri },
        "position": { "line": 0, "character": 11 },
        "context": { "triggerKind": 1 },
    });
    editor.driver.request(method, params).await.unwrap()["edits"].clone()
}

async fn ask(editor: &mut Editor, uri: &str) -> Value {
    ask_as(editor, "tandem/nextEdit", uri).await
}

fn place(edit: &Value) -> (String, u64, u64, i64) {
    let start = &edit["range"]["start"];
    (
        format!("{}: {}", edit["textDocument"]["uri"].as_str().unwrap(), edit["text"].as_str().unwrap()),
        start["line"].as_u64().unwrap(),
        start["character"].as_u64().unwrap(),
        edit["textDocument"]["version"].as_i64().unwrap(),
    )
}

#[tokio::test]
async fn a_rename_goes_on_in_another_file() {
    let mut editor = editor(Setup { simulator: None, ..Setup::default() }).await;
    editor.change(SHAPE, 2, [0, 7, 0, 11], "surface");
    let alias = "textDocument/copilotInlineEdit";
    assert_eq!(ask_as(&mut editor, alias, SHAPE).await, json!([]), "other plugins ask about one file");
    let first = ask(&mut editor, SHAPE).await;
    assert_eq!(place(&first[0]), (format!("{MAIN}: surface"), 0, 18, 1));
    assert_eq!(ask(&mut editor, SHAPE).await[0]["id"], first[0]["id"], "and waits there");
    // The user goes there and accepts it; the rest is then queued for that file.
    editor.change(MAIN, 2, [0, 18, 0, 22], "surface");
    editor.driver.request("workspace/executeCommand", first[0]["command"].clone()).await.unwrap();
    let second = ask(&mut editor, MAIN).await;
    assert_eq!(place(&second[0]), (format!("{MAIN}: surface"), 3, 4, 2));
    editor.change(MAIN, 3, [3, 4, 3, 8], "surface");
    editor.driver.request("workspace/executeCommand", second[0]["command"].clone()).await.unwrap();
    assert_eq!(ask(&mut editor, MAIN).await, json!([]), "and then all is done");
    editor.finish().await;
}

#[tokio::test]
async fn function_renamed_in_the_crate_root_is_renamed_in_its_other_open_files() {
    const ROOT: &str = "file:///no-such-folder/heck/src/lib.rs";
    const KEBAB: &str = "file:///no-such-folder/heck/src/kebab.rs";
    let mut editor = Editor::with(Setup { simulator: None, ..Setup::default() }).await;
    let kebab = "use crate::{lowercase, transform};\n\npub fn kebab(s: &str) -> String {\n    transform(lowercase(s))\n}\n";
    editor.open_only(KEBAB, "rust", kebab);
    editor.open_only(ROOT, "rust", "mod kebab;\n\nfn transform(s: &str) -> String {\n    s.to_owned()\n}\n");
    editor.change(ROOT, 2, [2, 3, 2, 12], "c");
    for (at, key) in (4..).zip("onvert".chars()) {
        editor.change(ROOT, at - 1, [2, at as u32, 2, at as u32], &key.to_string());
    }
    let first = ask(&mut editor, ROOT).await;
    assert_eq!(place(&first[0]), (format!("{KEBAB}: convert"), 0, 23, 1));
    editor.change(KEBAB, 2, [0, 23, 0, 32], "convert");
    editor.driver.request("workspace/executeCommand", first[0]["command"].clone()).await.unwrap();
    let second = ask(&mut editor, KEBAB).await;
    assert_eq!(place(&second[0]), (format!("{KEBAB}: convert"), 3, 4, 2));
    editor.finish().await;
}

#[tokio::test]
async fn who_has_gone_there_already_is_shown_it_there() {
    let mut editor = editor(Setup { simulator: None, ..Setup::default() }).await;
    editor.change(SHAPE, 2, [0, 7, 0, 11], "surface");
    // Whether a file's changes may affect other files is determined in the background.
    let mut edits = ask(&mut editor, MAIN).await;
    while edits == json!([]) {
        edits = ask(&mut editor, MAIN).await;
    }
    assert_eq!(place(&edits[0]), (format!("{MAIN}: surface"), 0, 18, 1));
    editor.finish().await;
}

#[tokio::test]
async fn it_ends_with_what_it_followed_from() {
    let mut editor = editor(Setup { simulator: None, ..Setup::default() }).await;
    editor.change(SHAPE, 2, [0, 7, 0, 11], "surface");
    assert_ne!(ask(&mut editor, SHAPE).await, json!([]));
    editor.change(SHAPE, 3, [0, 7, 0, 14], "area");
    assert_eq!(ask(&mut editor, SHAPE).await, json!([]), "the name is as it was");
    assert_eq!(ask(&mut editor, MAIN).await, json!([]), "there, too");
    editor.finish().await;
}

#[tokio::test]
async fn what_was_dismissed_there_does_not_come_back() {
    let mut editor = editor(Setup { simulator: None, ..Setup::default() }).await;
    editor.change(SHAPE, 2, [0, 7, 0, 11], "surface");
    let first = ask(&mut editor, SHAPE).await;
    let reject = json!({ "command": "tandem.reject", "arguments": [first[0]["id"]] });
    editor.driver.request("workspace/executeCommand", reject).await.unwrap();
    assert_eq!(ask(&mut editor, SHAPE).await, json!([]));
    let unasked = json!({ "textDocument": { "uri": SHAPE }, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.driver.request("tandem/nextEdit", unasked).await.unwrap()["edits"], json!([]));
    let why = json!({ "command": "tandem.why", "arguments": [{ "textDocument": { "uri": SHAPE } }] });
    let why = editor.driver.request("workspace/executeCommand", why).await.unwrap();
    assert_eq!(why["decisions"][0]["code"], "cool-down", "in whichever file it was");
    editor.finish().await;
}

/// The files that a model was shown after the signature was changed, and the suggestion.
async fn after_a_new_parameter(options: Value) -> (Vec<String>, Value) {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let model = OfMain(Reply::Blocks(&[("area(2)", "area(2, 3)")]), Arc::clone(&shown));
    let models = Models { fast: Some(Arc::new(model)), deep: None };
    let setup = Setup { simulator: None, models: Some(models), options, ..Setup::default() };
    let is_denied = setup.options.get("privacy").is_some();
    let mut editor = editor(setup).await;
    if is_denied {
        editor.driver.expect("window/logMessage").await.unwrap();
    }
    editor.change(SHAPE, 2, [0, 22, 0, 22], ", height: u32");
    let edits = ask(&mut editor, SHAPE).await;
    editor.finish().await;
    let shown = shown.lock().unwrap().clone();
    (shown, edits)
}

#[tokio::test]
async fn a_new_parameter_leads_to_the_calls_in_another_file() {
    let (shown, edits) = after_a_new_parameter(json!({})).await;
    assert_eq!(shown, ["src/shape.rs", "src/main.rs"]);
    assert_eq!(place(&edits[0]), (format!("{MAIN}: , 3"), 3, 10, 1));
}

#[tokio::test]
async fn denied_file_is_shown_to_no_model() {
    let (shown, edits) = after_a_new_parameter(json!({ "privacy": { "deny": ["src/main.rs"] } })).await;
    assert_eq!((shown.as_slice(), edits), (["src/shape.rs".to_owned()].as_slice(), json!([])));
}

/// A project on disk of which only `shape.rs` is open; its URI and that of `main.rs`.
async fn one_of_two(setup: Setup) -> (Editor, [String; 2], tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    std::fs::create_dir(root.join("src")).unwrap();
    std::fs::write(root.join("src/shape.rs"), SHAPE_TEXT).unwrap();
    std::fs::write(root.join("src/main.rs"), MAIN_TEXT).unwrap();
    let uris = ["src/shape.rs", "src/main.rs"].map(|name| uri(&root.join(name)));
    let mut editor = Editor::with(Setup { workspace: root, ..setup }).await;
    editor.open_only(&uris[0], "rust", SHAPE_TEXT);
    // The index is filled in the background.
    let about = json!({ "command": "tandem.ask", "arguments": [{ "question": "main", "quiet": true }] });
    while editor.driver.request("workspace/executeCommand", about.clone()).await.unwrap()["answers"]
        == json!([])
    {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    (editor, uris, folder)
}

#[tokio::test]
async fn a_rename_leads_to_a_file_that_is_not_open() {
    let (mut editor, [shape, main], _folder) =
        one_of_two(Setup { simulator: None, ..Setup::default() }).await;
    editor.change(&shape, 2, [0, 7, 0, 11], "surface");
    let alias = "textDocument/copilotInlineEdit";
    assert_eq!(ask_as(&mut editor, alias, &shape).await, json!([]), "other plugins ask about one file");
    let first = ask(&mut editor, &shape).await;
    assert_eq!(first[0]["textDocument"], json!({ "uri": main, "version": null }));
    assert_eq!((&first[0]["text"], &first[0]["range"]["start"]["line"]), (&json!("surface"), &json!(0)));
    assert_eq!(ask(&mut editor, &shape).await[0]["id"], first[0]["id"], "and waits there");
    let all = json!({
        "textDocument": { "uri": shape }, "position": { "line": 0, "character": 11 },
        "context": { "triggerKind": 1, "all": true },
    });
    let all = editor.driver.request("tandem/nextEdit", all).await.unwrap();
    assert_eq!(all["edits"], json!([]), "nothing is applied unseen");
    // Going there opens the file.
    editor.open_only(&main, "rust", MAIN_TEXT);
    let there = ask(&mut editor, &main).await;
    assert_eq!(there[0]["id"], first[0]["id"]);
    assert_eq!(place(&there[0]), (format!("{main}: surface"), 0, 18, 1));
    editor.change(&main, 2, [0, 18, 0, 22], "surface");
    editor.driver.request("workspace/executeCommand", there[0]["command"].clone()).await.unwrap();
    let second = ask(&mut editor, &main).await;
    assert_eq!(place(&second[0]), (format!("{main}: surface"), 3, 4, 2));
    editor.finish().await;
}

#[tokio::test]
async fn edit_of_an_unopened_file_ends_with_its_cause_and_with_a_rejection() {
    let (mut editor, [shape, _], _folder) = one_of_two(Setup { simulator: None, ..Setup::default() }).await;
    editor.change(&shape, 2, [0, 7, 0, 11], "surface");
    let first = ask(&mut editor, &shape).await;
    assert_eq!(first[0]["text"], "surface");
    editor.change(&shape, 3, [0, 7, 0, 14], "area");
    assert_eq!(ask(&mut editor, &shape).await, json!([]), "the name is as it was");
    editor.change(&shape, 4, [0, 7, 0, 11], "surface");
    let again = ask(&mut editor, &shape).await;
    assert_eq!(again[0]["text"], "surface");
    let reject = json!({ "command": "tandem.reject", "arguments": [again[0]["id"]] });
    editor.driver.request("workspace/executeCommand", reject).await.unwrap();
    assert_eq!(ask(&mut editor, &shape).await, json!([]));
    editor.finish().await;
}

#[tokio::test]
async fn edit_of_an_unopened_file_is_dropped_if_that_is_opened_with_another_text() {
    let (mut editor, [shape, main], _folder) =
        one_of_two(Setup { simulator: None, ..Setup::default() }).await;
    editor.change(&shape, 2, [0, 7, 0, 11], "surface");
    assert_eq!(ask(&mut editor, &shape).await[0]["textDocument"]["uri"], json!(main));
    editor.open_only(&main, "rust", "fn main() {}\n");
    assert_eq!(ask(&mut editor, &main).await, json!([]));
    editor.finish().await;
}

/// The files that a model is shown after the signature was changed, and the suggestion, where `main.rs` is not open.
async fn unopened_after_a_new_parameter(options: Value) -> (Vec<String>, Value) {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let model = OfMain(Reply::Blocks(&[("area(2)", "area(2, 3)")]), Arc::clone(&shown));
    let models = Models { fast: Some(Arc::new(model)), deep: None };
    let setup = Setup { simulator: None, models: Some(models), options, ..Setup::default() };
    let (mut editor, [shape, _], _folder) = one_of_two(setup).await;
    editor.change(&shape, 2, [0, 22, 0, 22], ", height: u32");
    let edits = ask(&mut editor, &shape).await;
    editor.hang_up().await;
    let shown = shown.lock().unwrap().clone();
    (shown, edits)
}

#[tokio::test]
async fn a_new_parameter_leads_to_calls_in_a_file_that_is_not_open() {
    let (shown, edits) = unopened_after_a_new_parameter(json!({})).await;
    assert_eq!(shown, ["src/shape.rs", "src/main.rs"]);
    assert_eq!((&edits[0]["text"], &edits[0]["textDocument"]["version"]), (&json!(", 3"), &Value::Null));
}

#[tokio::test]
async fn no_model_is_shown_an_unopened_file_that_the_settings_withhold() {
    let (shown, edits) = unopened_after_a_new_parameter(json!({ "privacy": { "context": "open" } })).await;
    assert_eq!((shown.as_slice(), edits), (["src/shape.rs".to_owned()].as_slice(), json!([])));
}
