//! Next edits of models that were trained to predict them: from the prompt on the wire to the edit in the editor.

use serde_json::{Value, json};
use tandem::simulate::{Options, Script};

use super::{Play, URI};
use crate::support::Setup;

const TEXT: &str = "enum Kind {\n    Red,\n}\n\nfn show(kind: Kind) {\n    one();\n    two();\n}\n";

/// The file after `Blue` was typed, as shown to the model.
fn now() -> String {
    TEXT.replace("    Red,\n", "    Red,\n    Blue,\n")
}

/// The file with the model's edit.
fn wanted() -> String {
    now().replace("two();", "two(Kind::Blue);")
}

/// A file in which `Blue` was typed, and a model of this name that gives `reply` to prompts that contain `when`.
async fn play(model: &str, when: &str, line: Value) -> Play {
    let mut line = line;
    line["when"] = when.into();
    let script = Script::parse(&line.to_string()).unwrap();
    let models = vec![model.to_owned()];
    let setup = Setup {
        simulator: Some(Options { script, models, ..Options::default() }),
        options: json!({ "fast": { "candidates": [{ "provider": "test", "model": model }] } }),
        ..Setup::default()
    };
    let mut play = Play::new(setup, TEXT).await;
    play.replace("    Red,\n", "    Red,\n    Blue,\n");
    play
}

/// The file after the first edit of a reply, or the reason for none.
async fn made(model: &str, when: &str, line: Value) -> String {
    let mut play = play(model, when, line).await;
    let edits = play.ask().await;
    let made = match edits.get(0) {
        Some(edit) => {
            play.take(edit).await;
            play.text.clone()
        }
        None => {
            let about = json!({ "command": "tandem.why", "arguments": [{ "textDocument": { "uri": URI } }] });
            let why = play.editor.driver.request("workspace/executeCommand", about).await.unwrap();
            why["decisions"][0]["code"].as_str().unwrap().to_owned()
        }
    };
    play.editor.finish().await;
    made
}

#[tokio::test]
async fn trained_model_is_asked_in_its_own_form() {
    let sweep = "<|file_sep|>updated/shape.rs";
    assert_eq!(made("sweep-next-edit-1.5b", sweep, json!({ "reply": wanted() })).await, wanted());
    let zeta = "<<<<<<< CURRENT\nenum Kind<|user_cursor|> {";
    let reply = format!("{}>>>>>>> UPDATED\n", wanted());
    assert_eq!(made("zed-industries/zeta-2", zeta, json!({ "reply": reply })).await, wanted());
    let mercury = "<|code_to_edit|>\nenum Kind<|cursor|> {";
    let reply = format!("```\n{}```", wanted());
    assert_eq!(made("mercury-edit-2", mercury, json!({ "reply": reply })).await, wanted());
}

/// The gear and the model that answer a rewrite, with candidates of these names.
async fn rewriter(candidates: &[&str]) -> (Value, Value) {
    let candidate = |model: &&str| json!({ "provider": "test", "model": model });
    let candidates: Vec<Value> = candidates.iter().map(candidate).collect();
    let models = vec!["sweep-next-edit-1.5b".to_owned()];
    let setup = Setup {
        simulator: Some(Options { models, ..Options::default() }),
        options: json!({ "fast": { "candidates": candidates } }),
        ..Setup::default()
    };
    let mut play = Play::new(setup, TEXT).await;
    let range = json!({ "start": { "line": 4, "character": 0 }, "end": { "line": 8, "character": 0 } });
    let argument = json!({
        "textDocument": { "uri": URI }, "range": range, "instruction": "rename kind to sort", "preview": true,
    });
    let rewrite = json!({ "command": "tandem.rewrite", "arguments": [argument] });
    let answer = play.editor.driver.request("workspace/executeCommand", rewrite).await.unwrap();
    play.editor.finish().await;
    (answer["gear"].clone(), answer["model"].clone())
}

#[tokio::test]
async fn trained_model_is_passed_over_for_other_work() {
    let (sweep, other) = ("sweep-next-edit-1.5b", "test-model");
    assert_eq!(rewriter(&[sweep, other]).await, (json!("fast"), json!(other)));
    assert_eq!(rewriter(&[sweep]).await, (json!("local"), Value::Null), "the local engine obeys a rename");
}

#[tokio::test]
async fn reply_in_blocks_changes_those_alone() {
    // A part of the file that begins at a later block.
    let block = "fn show(kind: Kind) {\n    one();\n    two(Kind::Blue);\n}\n";
    let reply = format!("<|marker_2|>{block}<|marker_3|>");
    assert_eq!(made("zeta-2.1", "<|marker_2|>fn show", json!({ "reply": reply })).await, wanted());
    let nothing = made("zeta-2.1", "<|marker_2|>", json!({ "reply": "<|marker_1|><|marker_1|>" })).await;
    assert_eq!(nothing, "nothing-to-add");
}

#[tokio::test]
async fn reply_that_is_not_whole_changes_nothing() {
    let check = async |model: &str, line: Value, expected: &str| {
        assert_eq!(made(model, "", line).await, expected, "{model}");
    };
    let (sweep, zeta, mercury) = ("sweep-next-edit-1.5b", "zeta-2", "mercury-edit-2");
    check(sweep, json!({ "reply": now() }), "nothing-to-add").await;
    check(sweep, json!({ "reply": &wanted()[..wanted().len() - 8] }), "truncated").await;
    check(zeta, json!({ "reply": wanted() }), "truncated").await;
    check(zeta, json!({ "reply": "NO_EDITS\n>>>>>>> UPDATED\n" }), "nothing-to-add").await;
    check(mercury, json!({ "reply": format!("```\n{}", wanted()) }), "truncated").await;
    check(mercury, json!({ "reply": "I would leave this as it is." }), "prose").await;
    check(mercury, json!({ "reply": "None" }), "nothing-to-add").await;
    // Cut at the cap, wherever that is.
    let long = format!("{}{}", wanted(), "// and so on\n".repeat(2_000));
    check(sweep, json!({ "reply": long }), "truncated").await;
}
