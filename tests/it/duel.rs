//! The model on trial, as an editor sees it.

use std::path::Path;

use serde_json::{Value, json};
use tandem::simulate::{self, Fault, Options, Script, Simulator};

use crate::support::{Editor, Setup, complete_params};

const URI: &str = "file:///no-such-folder/a.rs";

/// A simulator with a model and its twin; the models in `gone` do not exist.
async fn models(gone: &[&str]) -> Simulator {
    let script = Script::parse(r#"{"deltas": ["height", ";"]}"#).unwrap();
    let models = ["test-model", "twin"].map(str::to_owned).to_vec();
    let retired = gone.iter().map(|it| (*it).to_owned()).collect();
    simulate::start(Options { script, models, retired, ..Options::default() }).await.unwrap()
}

/// An editor with a canary that is asked at each pause.
async fn editor(state: &Path, simulator: &Simulator, canary: &str, more: Value) -> Editor {
    let canary = json!({ "provider": "test", "model": canary });
    editor_with(state, simulator, canary, more, String::new()).await
}

/// The same with settings, which may define another provider for the canary.
async fn editor_with(
    state: &Path,
    simulator: &Simulator,
    canary: Value,
    more: Value,
    settings: String,
) -> Editor {
    let mut trial = json!({ "candidates": [canary], "share": 1.0 });
    trial.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let setup = Setup {
        simulator: None,
        base_url: Some(simulator.base_url()),
        options: json!({ "fast": { "canary": trial } }),
        state: Some(state.to_owned()),
        settings,
        ..Setup::default()
    };
    Editor::with(setup).await
}

/// Types a line and pauses, `times` times. Each time there is ghost text.
async fn pause(editor: &mut Editor, times: u32) {
    for at in 1..=times {
        pause_at(editor, at).await;
    }
}

async fn pause_at(editor: &mut Editor, at: u32) {
    if at == 1 {
        editor.open(URI, "rust", "fn a() {\n}\n");
    }
    let version = i32::try_from(at).unwrap() * 2;
    editor.change(URI, version, [at, 0, at, 0], "    self.height =\n");
    editor.change(URI, version + 1, [at, 17, at, 17], " ");
    let mut params = complete_params(URI, at, 18);
    params["context"] = json!({ "triggerKind": 2 });
    let shown = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
    assert_eq!(shown[0]["insertText"], "height;", "pause {at}: {shown}");
}

/// The line of the status, once it contains `expected`.
async fn line(editor: &mut Editor, expected: &str) -> String {
    // One minute, which only a failure takes.
    let mut line = String::new();
    for _ in 0..3_000 {
        let status = editor.driver.request("tandem/status", json!({})).await.unwrap();
        line = status["canary"].as_str().unwrap().to_owned();
        if line.contains(expected) {
            return line;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("no `{expected}` in `{line}`");
}

#[tokio::test]
async fn canary_that_does_not_exist_goes_back_with_one_message_and_nothing_is_lost() {
    let state = tempfile::tempdir().unwrap();
    let simulator = models(&["gone"]).await;
    let mut first = editor(state.path(), &simulator, "gone", json!({})).await;
    pause(&mut first, 14).await;
    let said = first.driver.expect("window/showMessage").await.unwrap();
    let said = said["params"]["message"].as_str().unwrap();
    assert!(
        said.starts_with("Tandem: the canary gone is asked no more: 10 of 10 requests came to nothing"),
        "{said}"
    );
    assert!(said.contains("does not exist") && said.ends_with("; test-model goes on"), "{said}");
    assert_eq!(format!("Tandem: {}", line(&mut first, "asked no more").await), said);
    first.finish().await;
    // The state outlives the server.
    let before = simulator.stats().requests;
    let mut second = editor(state.path(), &simulator, "gone", json!({})).await;
    pause(&mut second, 3).await;
    line(&mut second, "asked no more").await;
    assert_eq!(simulator.stats().requests - before, 3);
    second.finish().await;
}

#[tokio::test]
async fn canary_is_not_blamed_where_neither_model_answers() {
    let state = tempfile::tempdir().unwrap();
    let simulator = models(&["test-model", "twin"]).await;
    let mut editor = editor(state.path(), &simulator, "twin", json!({})).await;
    editor.open(URI, "rust", "fn a() {\n}\n");
    for at in 1..=12 {
        editor.change(URI, at + 1, [1, 0, 1, 0], "    let area = 1;\n");
        let mut params = complete_params(URI, 1, 17);
        params["context"] = json!({ "triggerKind": 2 });
        editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
    }
    let said = editor.driver.expect("window/showMessage").await.unwrap().to_string();
    assert!(said.contains("no fast model answers"), "{said}");
    // By then an entry that blames the model would exist.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(
        line(&mut editor, "canary twin").await,
        "canary twin: 0 pairs, too few to compare it with test-model; $0.00 of $1"
    );
    editor.finish().await;
}

#[tokio::test]
async fn two_servers_share_a_duel() {
    let state = tempfile::tempdir().unwrap();
    let simulator = models(&[]).await;
    let mut one = editor(state.path(), &simulator, "twin", json!({})).await;
    let mut other = editor(state.path(), &simulator, "twin", json!({})).await;
    pause(&mut one, 3).await;
    line(&mut one, "3 pairs").await;
    pause(&mut other, 2).await;
    let said = line(&mut other, "5 pairs").await;
    assert_eq!(said, "canary twin: 5 pairs, too few to compare it with test-model; $0.00 of $1");
    assert_eq!(simulator.stats().requests, 10, "both are asked");
    one.finish().await;
    other.finish().await;
}

#[tokio::test]
async fn canary_that_has_cost_what_it_may_goes_back() {
    let state = tempfile::tempdir().unwrap();
    let simulator = models(&[]).await;
    let mut editor = editor(state.path(), &simulator, "twin", json!({ "dollars": 0.0 })).await;
    pause(&mut editor, 3).await;
    let said = editor.driver.expect("window/showMessage").await.unwrap();
    assert_eq!(
        said["params"]["message"],
        "Tandem: the canary twin is asked no more: it has cost $0.00 of $0; test-model goes on"
    );
    editor.finish().await;
}

#[tokio::test]
async fn canary_that_answers_429_to_all_goes_back_and_is_not_called_meanwhile() {
    let state = tempfile::tempdir().unwrap();
    let simulator = models(&[]).await;
    let busy =
        simulate::start(Options { faults: vec![Fault::Refuse429], ..Options::default() }).await.unwrap();
    let settings = format!("[providers.busy]\nbase_url = \"{}\"\n", busy.base_url());
    let canary = json!({ "provider": "busy", "model": "new" });
    let mut editor = editor_with(state.path(), &simulator, canary, json!({}), settings).await;
    pause(&mut editor, 14).await;
    let said = editor.driver.expect("window/showMessage").await.unwrap();
    let said = said["params"]["message"].as_str().unwrap();
    assert!(
        said.starts_with("Tandem: the canary new is asked no more: 10 of 10 requests came to nothing"),
        "{said}"
    );
    assert!(said.ends_with("; test-model goes on"), "{said}");
    // It asked to be left alone for a second.
    let calls = busy.stats().requests;
    assert!(calls < 10, "{calls} calls");
    editor.finish().await;
}

#[tokio::test]
async fn canary_that_costs_more_than_expected_goes_back_at_its_limit() {
    let state = tempfile::tempdir().unwrap();
    let simulator = models(&[]).await;
    // A request of a few hundred tokens costs tens of cents.
    let settings = "[prices]\ntwin = { input = 1000.0, output = 1000.0 }\n".to_owned();
    let canary = json!({ "provider": "test", "model": "twin" });
    let mut editor = editor_with(state.path(), &simulator, canary, json!({ "dollars": 0.5 }), settings).await;
    let mut pauses = 0;
    let said = loop {
        pauses += 1;
        assert!(pauses < 20, "it goes on");
        pause_at(&mut editor, pauses).await;
        // The cost is known once the answer has ended.
        let line = line(&mut editor, "canary").await;
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        if line.contains("asked no more") {
            break line;
        }
    };
    assert!(said.starts_with("the canary twin is asked no more: it has cost $0."), "{said}");
    let cost: f64 = said.split_once('$').unwrap().1.split_once(' ').unwrap().0.parse().unwrap();
    assert!((0.5..0.9).contains(&cost), "{said}");
    editor.driver.expect("window/showMessage").await.unwrap();
    let asked = simulator.stats().requests;
    pause_at(&mut editor, pauses + 1).await;
    pause_at(&mut editor, pauses + 2).await;
    assert_eq!(simulator.stats().requests - asked, 2, "the canary is not called");
    editor.finish().await;
}

#[tokio::test]
async fn duel_whose_file_cannot_be_written_goes_on_with_one_message() {
    let state = tempfile::tempdir().unwrap();
    // A file is in the way of the folder.
    std::fs::write(state.path().join("duel"), "").unwrap();
    let simulator = models(&[]).await;
    let mut editor = editor(state.path(), &simulator, "twin", json!({})).await;
    pause(&mut editor, 3).await;
    let said = editor.driver.expect("window/showMessage").await.unwrap();
    let said = said["params"]["message"].as_str().unwrap();
    assert!(said.starts_with("Tandem: what is known of the canary is lost with this server: "), "{said}");
    line(&mut editor, "3 pairs").await;
    editor.finish().await;
}
