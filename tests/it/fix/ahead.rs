//! Fixes that a model makes before they are requested.

use std::time::Duration;

use serde_json::{Value, json};
use tandem::simulate::Options;

use super::{TEXT, URI, actions, actions_in, diagnostic, similar};
use crate::support::{Editor, Setup, apply_edit, capabilities};

const MENDED: &str = "fn area(width: u32) -> u32 {\n    let total = width;\n    total * 2\n}\n";

/// A server that makes fixes in the background.
fn ahead(settings: &str) -> Setup {
    let mut capabilities = capabilities("utf-16");
    capabilities["textDocument"]["codeAction"]["tagSupport"] = json!({ "valueSet": [1] });
    let settings = settings.to_owned();
    Setup { capabilities, settings, background_fixes: true, ..Setup::default() }
}

fn report(editor: &mut Editor, version: i32, diagnostics: &[Value]) {
    let params = json!({ "uri": URI, "version": version, "diagnostics": diagnostics });
    editor.driver.notify("tandem/diagnostics", params);
}

/// Lists actions until one of them satisfies `wanted`; only a failure takes a minute.
async fn until(
    editor: &mut Editor,
    kind: &str,
    diagnostics: &[Value],
    wanted: impl Fn(&Value) -> bool,
) -> Value {
    for _ in 0..3_000 {
        let listed = actions(editor, Some(kind), diagnostics).await;
        if let Some(action) = listed.as_array().unwrap().iter().find(|it| wanted(it)) {
            return action.clone();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it was not listed: {:#}", actions(editor, Some(kind), diagnostics).await);
}

const OTHER: &str = "file:///no-such-folder/src/other.py";

/// Opens a file of another language, and reports a diagnostic about which a model is asked.
fn report_elsewhere(editor: &mut Editor) {
    editor.open_only(OTHER, "python", "def area(width):\n    total = width\n    return totl\n");
    let params = json!({ "uri": OTHER, "version": 1, "diagnostics": [wrong_elsewhere()] });
    editor.driver.notify("tandem/diagnostics", params);
}

fn wrong_elsewhere() -> Value {
    diagnostic(2, 11, 15, "there is no value `totl` here; a value with a similar name is `total`")
}

/// Picks the fix of the diagnostic reported elsewhere, as the user does: by then, any earlier call is counted.
async fn resolve_elsewhere(editor: &mut Editor) {
    let listed = actions_in(editor, OTHER, Some("quickfix"), &[wrong_elsewhere()]).await;
    let resolved = editor.driver.request("codeAction/resolve", listed[0].clone()).await.unwrap();
    assert!(has_edit(&resolved), "{resolved}");
}

/// Checks that no model is asked about the reported diagnostic, while it answers the user's requests.
async fn nothing_is_asked_elsewhere(editor: &mut Editor) {
    report_elsewhere(editor);
    // Its answer waits until the access check of the file has read the disk. On a paused clock that would take too
    // long.
    resolve_elsewhere(editor).await;
    let before = editor.model_requests();
    tokio::time::pause();
    let mismatch = diagnostic(1, 12, 17, "mismatched types");
    let params = json!({ "uri": OTHER, "version": 1, "diagnostics": [mismatch] });
    editor.driver.notify("tandem/diagnostics", params);
    // All timers of the server fire before the end of this.
    tokio::time::sleep(Duration::from_secs(600)).await;
    tokio::time::resume();
    editor.driver.request("tandem/status", json!({})).await.unwrap();
    assert_eq!(editor.model_requests(), before);
}

/// Waits until the outcome of a request for a file is known.
async fn until_why(editor: &mut Editor, uri: &str) {
    for _ in 0..3_000 {
        let params = json!({ "command": "tandem.why", "arguments": [{ "textDocument": { "uri": uri } }] });
        let why = editor.driver.request("workspace/executeCommand", params).await.unwrap();
        if why.to_string().contains("\"fix\"") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("nothing is known of {uri}");
}

fn has_edit(action: &Value) -> bool {
    action.get("edit").is_some()
}

/// Waits until the model has been asked `times` times.
async fn until_asked(editor: &Editor, times: u64) {
    for _ in 0..3_000 {
        if editor.model_requests() >= times {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the model was asked {} times", editor.model_requests());
}

#[tokio::test]
async fn ready_fix_is_listed_with_its_edit_and_its_model() {
    let mut editor = Editor::with(ahead("")).await;
    editor.open_only(URI, "rust", TEXT);
    report(&mut editor, 1, &[similar()]);
    let action = until(&mut editor, "quickfix", &[similar()], has_edit).await;
    let title = "Tandem: fix “there is no value `totl` here; a value with a similar name i…” (test-model)";
    assert_eq!((&action["title"], &action["tags"]), (&json!(title), &json!([1])));
    assert_eq!(action.get("isPreferred"), None);
    assert_eq!(apply_edit(TEXT, &action["edit"]), MENDED);
    assert_eq!(editor.model_requests(), 1);
    // Without an opt-in it is not part of a save.
    assert_eq!(actions(&mut editor, Some("source.fixAll.tandem"), &[similar()]).await, json!([]));
    editor.finish().await;
}

#[tokio::test]
async fn ready_fix_moves_with_the_text_and_goes_with_its_own() {
    let mut editor = Editor::with(ahead("")).await;
    editor.open_only(URI, "rust", TEXT);
    report(&mut editor, 1, &[similar()]);
    until(&mut editor, "quickfix", &[similar()], has_edit).await;
    editor.change(URI, 2, [0, 0, 0, 0], "use 猫;\n");
    let mut moved = similar();
    (moved["range"]["start"]["line"], moved["range"]["end"]["line"]) = (json!(3), json!(3));
    let listed = actions(&mut editor, Some("quickfix"), &[moved.clone()]).await;
    let now = format!("use 猫;\n{TEXT}");
    assert_eq!(apply_edit(&now, &listed[0]["edit"]), format!("use 猫;\n{MENDED}"));
    assert_eq!(listed[0]["edit"]["documentChanges"][0]["textDocument"]["version"], 2);
    editor.change(URI, 3, [3, 4, 3, 8], "tot");
    let listed = actions(&mut editor, Some("quickfix"), &[moved]).await;
    assert!(!has_edit(&listed[0]), "{listed}");
    assert_eq!(editor.model_requests(), 1);
    editor.finish().await;
}

#[tokio::test]
async fn one_problem_is_tried_once_and_the_worst_nearest_ones_only() {
    let mut editor = Editor::with(ahead("")).await;
    let lines: String = (0..9).map(|number| format!("    call_{number}();\n")).collect();
    editor.open_only(URI, "rust", &format!("fn f() {{\n{lines}}}\n"));
    let all: Vec<Value> =
        (0..9).map(|number| diagnostic(number + 1, 4, 10, &format!("mismatch {number}"))).collect();
    let mut warning = diagnostic(1, 4, 10, "a remark");
    warning["severity"] = json!(2);
    report(&mut editor, 1, &[&all[..], &[warning]].concat());
    until_asked(&editor, 3).await;
    // Reported again, as after each save: no new request is sent, while another file gets its fix.
    report(&mut editor, 1, &all);
    report_elsewhere(&mut editor);
    until_asked(&editor, 4).await;
    until_why(&mut editor, OTHER).await;
    assert_eq!(editor.model_requests(), 4);
    editor.finish().await;
}

#[tokio::test]
async fn call_is_cancelled_when_its_text_changes() {
    let simulator = Options { ttft: Duration::from_secs(600), ..Options::default() };
    let mut editor = Editor::with(Setup { simulator: Some(simulator), ..ahead("") }).await;
    editor.open_only(URI, "rust", TEXT);
    report(&mut editor, 1, &[similar()]);
    until_asked(&editor, 1).await;
    editor.change(URI, 2, [2, 4, 2, 8], "sum");
    let simulator = editor.simulator.as_ref().unwrap();
    for _ in 0..3_000 {
        if simulator.stats().responses_abandoned > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(simulator.stats().responses_abandoned, 1);
    editor.finish().await;
}

#[tokio::test]
async fn nothing_is_asked_for_a_language_that_is_off_or_where_a_rule_is_certain() {
    let certain = diagnostic(
        2,
        4,
        8,
        "cannot find value `totl` in this scope; a local variable with a similar name exists: `total`",
    );
    for (settings, reported) in [("languages.rust.enabled = false\n", similar()), ("", certain)] {
        let mut editor = Editor::with(ahead(settings)).await;
        editor.open_only(URI, "rust", TEXT);
        report(&mut editor, 1, &[reported]);
        // It would be requested before the later report.
        report_elsewhere(&mut editor);
        until_why(&mut editor, OTHER).await;
        assert_eq!(editor.model_requests(), 1, "{settings}");
        editor.finish().await;
    }
}

#[tokio::test]
async fn nothing_is_asked_once_half_of_the_budget_is_spent() {
    let mut editor = Editor::with(ahead("budget.session_tokens = 500\n")).await;
    editor.open_only(URI, "rust", TEXT);
    report(&mut editor, 1, &[similar()]);
    until(&mut editor, "quickfix", &[similar()], has_edit).await;
    let tokens = async |editor: &mut Editor| {
        let status = editor.driver.request("tandem/status", json!({})).await.unwrap();
        status["usage"]["session"]["inputTokens"].as_u64().unwrap()
    };
    assert!(tokens(&mut editor).await > 250, "{}", tokens(&mut editor).await);
    nothing_is_asked_elsewhere(&mut editor).await;
    editor.finish().await;
}

#[tokio::test]
async fn nothing_is_asked_when_it_is_switched_off() {
    let mut editor = Editor::with(Setup { background_fixes: false, ..ahead("") }).await;
    nothing_is_asked_elsewhere(&mut editor).await;
    editor.finish().await;
}

#[tokio::test]
async fn allowed_fix_of_a_model_takes_part_under_our_own_kind_only() {
    let mut editor = Editor::with(ahead("model_fixes_on_save = [\"rustc:E0425\", \"eslint\"]\n")).await;
    let text = format!("use std::fmt;\n{TEXT}");
    editor.open_only(URI, "rust", &text);
    let mut of_model = similar();
    (of_model["range"]["start"]["line"], of_model["range"]["end"]["line"]) = (json!(3), json!(3));
    of_model["code"] = json!("E0425");
    let mut other = diagnostic(3, 4, 8, "there is no value `totl` here; its name is `total`");
    other["code"] = json!("E0001");
    let reported = [of_model, diagnostic(0, 4, 12, "unused import: `std::fmt`"), other];
    report(&mut editor, 1, &reported);
    let both = "Tandem: make 1 certain fix and 1 fix of test-model";
    let action = until(&mut editor, "source.fixAll.tandem", &[], |it| it["title"] == both).await;
    assert_eq!((apply_edit(&text, &action["edit"]).as_str(), &action["tags"]), (MENDED, &json!([1])));
    let listed = actions(&mut editor, Some("source.fixAll"), &[]).await;
    assert_eq!(listed[0]["title"], "Tandem: make 1 certain fix");
    assert_eq!(apply_edit(&text, &listed[0]["edit"]), TEXT);
    editor.finish().await;
}

#[tokio::test]
async fn save_takes_what_is_ready_where_the_user_wants_it() {
    let asks = json!({ "textDocument": { "uri": URI }, "reason": 1 });
    for (wanted, expected) in [(true, 1), (false, 0)] {
        let mut editor = Editor::bare();
        let params = json!({
            "capabilities": capabilities("utf-16"),
            "initializationOptions": { "fix_before_save": wanted },
        });
        let answer = editor.driver.initialize(params).await.unwrap();
        let announced = &answer["capabilities"]["textDocumentSync"]["willSaveWaitUntil"];
        assert_eq!(announced == &json!(true), wanted);
        editor.driver.expect("window/logMessage").await.unwrap();
        let text = format!("// one\n\n{TEXT}\nfn two() {{\n    2;\n}}\n");
        editor.open_only(URI, "rust", &text);
        let none = editor.driver.request("textDocument/willSaveWaitUntil", asks.clone()).await.unwrap();
        assert_eq!(none, json!([]), "nothing was reported");
        report(
            &mut editor,
            1,
            &[diagnostic(
                4,
                4,
                8,
                "cannot find value `totl` in this scope; a local variable with a similar name exists: `total`",
            )],
        );
        let mut edits = json!([]);
        // The fixes are combined in the background.
        for _ in 0..if wanted { 3_000 } else { 10 } {
            edits = editor.driver.request("textDocument/willSaveWaitUntil", asks.clone()).await.unwrap();
            if edits.as_array().unwrap().len() == 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(edits.as_array().unwrap().len(), expected, "{edits}");
        if wanted {
            assert_eq!(edits[0]["newText"], "total", "{edits}");
            // Typing elsewhere moves the fix, which need not be made again.
            editor.change(URI, 2, [8, 4, 8, 5], "two();\n    2");
            editor.change(URI, 3, [0, 6, 0, 6], "\n// 猫");
            let moved = editor.driver.request("textDocument/willSaveWaitUntil", asks.clone()).await.unwrap();
            assert_eq!(
                moved[0]["range"],
                json!({
                    "start": { "line": 5, "character": 4 },
                    "end": { "line": 5, "character": 8 },
                })
            );
            // While the line is being typed, no stale fix is applied.
            editor.change(URI, 4, [5, 8, 5, 8], "x");
            let none = editor.driver.request("textDocument/willSaveWaitUntil", asks.clone()).await.unwrap();
            assert_eq!(none, json!([]));
        }
        editor.finish().await;
    }
}
