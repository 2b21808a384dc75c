//! The server's reports about itself: which models answer or fail, the cost, and reasons for empty answers.

use std::path::Path;
use std::time::{Duration, SystemTime};

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::simulate::{self, Fault, Options, Script};
use tempfile::TempDir;

use crate::hostile::{Served, config};
use crate::support::{Editor, MARKED, Setup, capabilities, complete_params};

const URI: &str = "file:///no-such-folder/src/shape.rs";

async fn opened(setup: Setup) -> (Editor, u32, u32) {
    let mut editor = Editor::with(setup).await;
    let (line, column) = editor.open_at(URI, MARKED);
    (editor, line, column)
}

fn with(simulator: Options, options: Value) -> Setup {
    Setup { simulator: Some(simulator), options, ..Setup::default() }
}

async fn status(editor: &mut Editor) -> Value {
    editor.driver.request("tandem/status", json!({})).await.unwrap()
}

/// Polls the status until it satisfies `wanted`.
async fn until(editor: &mut Editor, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    // One minute, which only a failure takes.
    for _ in 0..3_000 {
        let status = status(editor).await;
        if wanted(&status) {
            return status;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what} did not come about: {:#}", status(editor).await);
}

async fn command(editor: &mut Editor, command: &str, argument: Value) -> Value {
    let params = json!({ "command": command, "arguments": [argument] });
    editor.driver.request("workspace/executeCommand", params).await.unwrap()
}

/// Sends an explicit request, which always asks the model; returns the first text.
async fn complete(editor: &mut Editor, line: u32, column: u32) -> Value {
    let mut params = complete_params(URI, line, column);
    params["context"]["triggerKind"] = json!(1);
    let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
    items.get(0).map_or(Value::Null, |item| item["insertText"].clone())
}

async fn rewrite(editor: &mut Editor, instruction: &str) -> Result<Value, Value> {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1, "character": 0 } });
    let argument = json!({ "textDocument": { "uri": URI }, "range": range, "instruction": instruction, "preview": true });
    let params = json!({ "command": "tandem.rewrite", "arguments": [argument] });
    let id = editor.driver.ask("workspace/executeCommand", params);
    let mut answer = editor.driver.answer(id).await.unwrap();
    if answer["error"].is_null() { Ok(answer["result"].take()) } else { Err(answer["error"].take()) }
}

fn said(message: &Value, expect: Expect) {
    let text = message["params"]["message"].as_str().unwrap();
    let mut masked = String::new();
    for part in text.split_inclusive(' ') {
        masked += if part.contains("127.0.0.1:") { "URL " } else { part };
    }
    expect.assert_eq(&masked);
}

#[tokio::test]
async fn a_refused_first_model_is_said_once_and_the_next_serves() {
    let options = json!({ "fast": { "candidates": [
        { "provider": "test", "model": "gone" }, { "provider": "test", "model": "test-model" } ] } });
    let simulator = Options { retired: vec!["gone".to_owned()], ..Options::default() };
    let (mut editor, ..) = opened(with(simulator, options)).await;
    for _ in 0..2 {
        let answer = rewrite(&mut editor, "rename width to breadth").await.unwrap();
        assert_eq!((&answer["gear"], &answer["model"]), (&json!("fast"), &json!("test-model")));
    }
    let message = editor.driver.expect("window/showMessage").await.unwrap();
    said(
        &message,
        expect![
            "Tandem: the fast gear asks test-model at test from now on: test refused (status 400): The model 'gone' does not exist or you do not have access to it. (model_not_found)"
        ],
    );
    let status = status(&mut editor).await;
    assert_eq!(status["gears"]["fast"]["asked"], "test-model");
    assert_eq!(status["gears"]["fast"]["refused"][0]["model"], "gone");
    assert_eq!(status["state"], "ready");
    editor.finish().await;
}

#[tokio::test]
async fn a_refused_model_is_found_out_before_anybody_asks() {
    let options = json!({ "fast": { "candidates": [
        { "provider": "test", "model": "gone" }, { "provider": "test", "model": "test-model" } ] } });
    let simulator = Options { retired: vec!["gone".to_owned()], ..Options::default() };
    let (mut editor, ..) = opened(with(simulator, options)).await;
    until(&mut editor, "the second", |it| it["text"] == "fast: test-model").await;
    editor.driver.expect("window/showMessage").await.unwrap();
    editor.finish().await;
}

/// The messages that a separate server process shows to the user until it has probed its model.
async fn shown(folder: &Path) -> Vec<String> {
    let mut served = Served::start(folder, None).await;
    // One minute, which only a failure takes.
    for _ in 0..3_000 {
        let status = served.driver.request("tandem/status", json!({})).await.unwrap();
        if status["state"] == "ready" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (said, _) = served.finish().await;
    let shown = said.iter().filter(|it| it["method"] == "window/showMessage");
    shown.map(|it| it["params"]["message"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn models_end_is_read_from_the_list_and_said_once_a_week() {
    let options = |days: u64| Options {
        ends_at: Some(SystemTime::now() + Duration::from_secs(days * 24 * 60 * 60)),
        models: vec!["m".to_owned()],
        ..Options::default()
    };
    let folder = TempDir::new().unwrap();
    let note = folder.path().join("state/retirements/m.said");
    let look = async |days: u64| {
        let simulator = simulate::start(options(days)).await.unwrap();
        std::fs::write(folder.path().join("config.toml"), config(&simulator.base_url(), "chat")).unwrap();
        shown(folder.path()).await
    };
    assert_eq!(look(200).await, [""; 0], "that is far away");
    assert!(!note.exists());
    let said = look(20).await;
    // Midnight may have passed meanwhile.
    assert!(said.len() == 1 && said[0].starts_with("Tandem: m retires in "), "{said:?}");
    assert!(said[0].ends_with(" days; choose another model with `tandem setup`"), "{said:?}");
    assert_eq!(look(20).await, [""; 0], "it was said this week");
    let day: u64 = std::fs::read_to_string(&note).unwrap().parse().unwrap();
    std::fs::write(&note, (day - 7).to_string()).unwrap();
    assert_eq!(look(20).await.len(), 1, "and is said a week later");
}

#[tokio::test]
async fn a_reroute_degrades_the_gear_within_one_request_and_is_said_once() {
    let simulator = Options { serve_as: Some("gpt-5.2".to_owned()), ..Options::default() };
    let (mut editor, ..) = opened(with(simulator, json!({}))).await;
    let answer = rewrite(&mut editor, "rename width to breadth").await.unwrap();
    assert_eq!(answer["model"], "gpt-5.2");
    let it = status(&mut editor).await;
    assert_eq!((&it["state"], &it["gears"]["fast"]["state"]), (&json!("degraded"), &json!("degraded")));
    assert_eq!(it["text"], "fast: test-model was asked, gpt-5.2 answers");
    rewrite(&mut editor, "rename width to breadth").await.unwrap();
    said(
        &editor.driver.expect("window/showMessage").await.unwrap(),
        expect![
            "Tandem: the fast gear is not what it should be: test-model was asked, gpt-5.2 answers (at test)"
        ],
    );
    editor.finish().await;
}

#[tokio::test]
async fn a_dated_name_is_no_reroute() {
    let simulator = Options { serve_as: Some("Test-Model-2026-11-20".to_owned()), ..Options::default() };
    let (mut editor, ..) = opened(with(simulator, json!({}))).await;
    rewrite(&mut editor, "rename width to breadth").await.unwrap();
    let it = status(&mut editor).await;
    assert_eq!(
        (&it["state"], &it["gears"]["fast"]["served"]),
        (&json!("ready"), &json!("Test-Model-2026-11-20"))
    );
    editor.finish().await;
}

#[tokio::test]
async fn a_model_that_writes_far_slower_than_it_is_sold_is_degraded() {
    let options =
        json!({ "fast": { "candidates": [{ "provider": "test", "model": "gpt-5.3-codex-spark" }] } });
    let words = "word ".repeat(60);
    let simulator = Options {
        models: vec!["gpt-5.3-codex-spark".to_owned()],
        tokens_per_second: 60,
        script: Script::parse(&json!({ "reply": format!("```\n{words}\n```") }).to_string()).unwrap(),
        ..Options::default()
    };
    let (mut editor, ..) = opened(with(simulator, options)).await;
    // Whatever the outcome, the answer was slow.
    let (Ok(_) | Err(_)) = rewrite(&mut editor, "go").await;
    let it = status(&mut editor).await;
    let why = it["gears"]["fast"]["degraded"].as_str().unwrap();
    assert!(why.contains("tokens/s, about 1000 are usual"), "{why}");
    editor.driver.expect("window/showMessage").await.unwrap();
    editor.finish().await;
}

#[tokio::test]
async fn a_cap_stops_requests_and_says_so() {
    let options = json!({ "budget": { "session_tokens": 200 } });
    let (mut editor, line, column) = opened(with(Options::default(), options)).await;
    let mut made = 0;
    let error = loop {
        // No rule of the local engine follows this instruction.
        match rewrite(&mut editor, "make it shorter").await {
            Err(error) if error["data"]["reason"] == "capped" => break error,
            Ok(_) | Err(_) => made += 1,
        }
        assert!(made < 50, "no cap");
    };
    assert_eq!(error["data"]["reason"], "capped");
    assert_eq!(editor.model_requests(), made, "what is capped is not sent");
    let it = status(&mut editor).await;
    assert_eq!(it["state"], "capped");
    assert_eq!([&it["gears"]["fast"]["state"], &it["gears"]["deep"]["state"]], ["capped", "off"]);
    assert!(it["caps"]["reached"].as_str().unwrap().starts_with("`budget.session_tokens` is reached"));
    let session = &it["usage"]["session"];
    let tokens = session["inputTokens"].as_u64().unwrap() + session["outputTokens"].as_u64().unwrap();
    assert!(tokens >= 200, "{session}");
    assert_eq!(session["unpriced"], 0, "what runs on this machine costs nothing");
    complete(&mut editor, line, column).await;
    assert_eq!(editor.model_requests(), made);
    editor.driver.expect("window/showMessage").await.unwrap();
    let why = command(&mut editor, "tandem.why", json!({})).await;
    // The local engine goes on.
    assert_eq!(why["decisions"][0]["code"], "shown");
    editor.finish().await;
}

#[tokio::test]
async fn day_that_is_spent_is_raised_for_this_session() {
    let options = json!({ "budget": { "day_tokens": 200 } });
    let (mut editor, ..) = opened(with(Options::default(), options)).await;
    let is_capped = |answer: Result<Value, Value>| answer.is_err_and(|it| it["data"]["reason"] == "capped");
    while !is_capped(rewrite(&mut editor, "make it shorter").await) {}
    assert_eq!(status(&mut editor).await["state"], "capped");
    let made = editor.model_requests();
    editor.driver.expect("window/showMessage").await.unwrap();
    let raised = command(&mut editor, "tandem.raiseBudget", Value::Null).await;
    assert_eq!(raised, json!({ "dayDollars": null, "dayTokens": 400 }));
    let told = editor.driver.expect("window/showMessage").await.unwrap();
    expect![[r#"Tandem: the budget is 400 tokens until the day (UTC) ends, for this session only; the settings stay as they are"#]]
        .assert_eq(told["params"]["message"].as_str().unwrap());
    assert_ne!(status(&mut editor).await["state"], "capped");
    assert!(!is_capped(rewrite(&mut editor, "make it shorter").await));
    assert_eq!(editor.model_requests(), made + 1);
    editor.finish().await;
}

#[tokio::test]
async fn usage_is_the_providers_own_figures() {
    let options = json!({ "prices": { "test-model": { "input": 1.0, "cached": 0.5, "output": 10.0 } } });
    let (mut editor, ..) = opened(with(Options::default(), options)).await;
    for _ in 0..3 {
        rewrite(&mut editor, "rename width to breadth").await.unwrap();
    }
    let it = status(&mut editor).await;
    let session = &it["usage"]["session"];
    let provider = editor.simulator.as_ref().unwrap().stats();
    assert_eq!(session["requests"], provider.requests);
    assert_eq!(session["outputTokens"], provider.output_tokens_generated);
    let number = |name: &str| session[name].as_f64().unwrap();
    let fresh = number("inputTokens") - number("cachedTokens");
    let dollars = (fresh + number("cachedTokens") * 0.5 + number("outputTokens") * 10.0) / 1e6;
    assert!((number("dollars") - dollars).abs() < 2e-6, "{session}");
    assert!(number("bytesUp") > 1_000.0, "{session}");
    assert_eq!(it["usage"]["day"], *session, "nothing is kept of other sessions here");
    editor.finish().await;
}

#[tokio::test]
async fn a_model_that_is_away_is_made_up_for_and_comes_back_by_itself() {
    let simulator = Options { faults: vec![Fault::Refuse503], ..Options::default() };
    let (mut editor, line, column) = opened(with(simulator, json!({}))).await;
    assert_eq!(complete(&mut editor, line, column).await, "height;");
    let it = status(&mut editor).await;
    assert_eq!(it["state"], "offline");
    assert!(
        it["text"]
            .as_str()
            .unwrap()
            .starts_with("local engine: no fast model answers (test failed (status 503)")
    );
    let why = command(&mut editor, "tandem.why", json!({ "textDocument": { "uri": URI } })).await;
    assert_eq!(
        (&why["decisions"][0]["gear"], &why["decisions"][0]["outcome"]),
        (&json!("local"), &json!("shown"))
    );
    editor.simulator.as_ref().unwrap().clear_faults();
    until(&mut editor, "recovery", |it| it["state"] == "ready").await;
    editor.driver.expect("window/showMessage").await.unwrap();
    editor.finish().await;
}

#[tokio::test]
async fn why_says_what_was_decided() {
    let (mut editor, line, column) = opened(Setup::default()).await;
    complete(&mut editor, line, column).await;
    rewrite(&mut editor, "rename width to breadth").await.unwrap();
    let about = json!({ "textDocument": { "uri": URI } });
    let why = command(&mut editor, "tandem.why", about).await;
    let brief: Vec<String> = why["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            format!(
                "{} {} {} {} {} {}",
                it["line"], it["job"], it["trigger"], it["outcome"], it["code"], it["why"]
            )
        })
        .collect();
    expect![[r#"
        0 "rewrite" "invoked" "shown" "shown" "nothing here calls for the deep gear"
        1 "completion" "invoked" "shown" "shown" "the fast gear made it""#]]
    .assert_eq(&brief.join("\n"));
    assert_eq!(why["text"].as_str().unwrap().lines().count(), 2);
    let other =
        command(&mut editor, "tandem.why", json!({ "textDocument": { "uri": "file:///other" } })).await;
    assert_eq!(other, json!({ "text": "nothing was decided yet\n", "decisions": [] }));
    editor.finish().await;
}

#[tokio::test]
async fn a_client_that_wants_it_is_told_of_changes() {
    let mut capabilities = capabilities("utf-16");
    capabilities["experimental"] = json!({ "tandem": { "statusNotification": true } });
    let (mut editor, line, column) = opened(Setup { capabilities, ..Setup::default() }).await;
    let method = "tandem/statusChanged";
    assert_eq!(editor.driver.expect(method).await.unwrap()["params"]["state"], "starting");
    complete(&mut editor, line, column).await;
    assert_eq!(editor.driver.expect(method).await.unwrap()["params"]["state"], "ready");
    let snoozed = command(&mut editor, "tandem.snooze", json!({ "minutes": 1 })).await;
    assert!(snoozed["snoozedUntil"].as_u64() > Some(1_700_000_000_000));
    let told = editor.driver.expect(method).await.unwrap();
    assert_eq!(told["params"]["state"], "snoozed");
    assert_eq!([&told["params"], &snoozed].map(|it| it["snoozedUntil"].as_u64().unwrap() % 1_000), [0, 0]);
    let items = editor.complete(URI, line, column).await;
    assert_eq!(items, json!([]), "nothing unasked");
    assert_eq!(
        command(&mut editor, "tandem.snooze", json!({ "minutes": 0 })).await,
        json!({ "snoozedUntil": null })
    );
    assert_eq!(editor.driver.expect(method).await.unwrap()["params"]["state"], "ready");
    editor.driver.take_unread();
    editor.finish().await;
}

#[tokio::test]
async fn many_changes_at_once_are_told_twice_a_second_at_most() {
    let mut capabilities = capabilities("utf-16");
    capabilities["experimental"] = json!({ "tandem": { "statusNotification": true } });
    let (mut editor, ..) = opened(Setup { capabilities, ..Setup::default() }).await;
    let started = std::time::Instant::now();
    for minutes in 1..=100 {
        command(&mut editor, "tandem.snooze", json!({ "minutes": minutes })).await;
    }
    tokio::time::sleep(Duration::from_millis(600)).await;
    let most = 1 + started.elapsed().as_millis() / 500;
    let unread = editor.driver.take_unread();
    let told: Vec<&Value> = unread.iter().filter(|it| it["method"] == "tandem/statusChanged").collect();
    assert!((1..=most).contains(&(told.len() as u128)), "{} of {most}", told.len());
    assert_eq!(told.last().unwrap()["params"]["state"], "snoozed");
    editor.finish().await;
}

/// The candidates of the fast gear, as one line each.
fn candidates(models: &Value) -> String {
    let shown = |it: &Value| {
        let [turn, picked] = ["hasTurn", "isPicked"].map(|name| it[name] == true);
        let price = it["price"]["output"].as_f64().map_or("no price".to_owned(), |it| format!("${it}"));
        let speed = if it["firstTokenMs"].is_u64() { "asked" } else { "not asked" };
        let marks = [if turn { "*" } else { " " }, if picked { "!" } else { " " }].concat();
        let [model, why] = ["model", "why"].map(|name| it[name].as_str().unwrap_or_default());
        format!("{marks} {model} {speed} {price} {why}").trim_end().to_owned()
    };
    let all = models["fast"].as_array().unwrap();
    all.iter().map(shown).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn model_is_chosen_for_the_session() {
    let simulator = simulate::start(Options::default()).await.unwrap();
    let candidate = |model: &str| json!({ "provider": "here", "model": model });
    let options = json!({
        "providers": {
            "here": { "base_url": simulator.base_url(), "wire": "responses-sse" },
            "away": { "base_url": "http://127.0.0.1:9/v1", "api_key_env": "NO_SUCH_VARIABLE" },
        },
        "fast": { "candidates": [candidate("one"), candidate("two"), { "provider": "away", "model": "three" }] },
        "prices": { "two": { "input": 1.0, "output": 2.5 } },
    });
    let (mut editor, line, column) = opened(Setup { simulator: None, options, ..Setup::default() }).await;
    let models = command(&mut editor, "tandem.models", Value::Null).await;
    expect![[r#"
        *  one not asked $0
           two not asked $2.5
           three not asked no price the environment variable NO_SUCH_VARIABLE holds no key"#]]
    .assert_eq(&candidates(&models));
    let two = json!({ "gear": "fast", "provider": "here", "model": "two" });
    let models = command(&mut editor, "tandem.useModel", two).await;
    assert!(candidates(&models).starts_with("*! two"), "{models}");
    complete(&mut editor, line, column).await;
    let models = command(&mut editor, "tandem.models", Value::Null).await;
    assert!(candidates(&models).starts_with("*! two asked $2.5"), "{models}");
    // A change of other settings keeps the choice.
    let mut changed = json!({ "settings": { "tandem": { "eagerness": "low" } } });
    changed["settings"]["tandem"]["fast"] = json!({ "candidates": [candidate("one"), candidate("two")] });
    changed["settings"]["tandem"]["providers"] =
        json!({ "here": { "base_url": simulator.base_url(), "wire": "responses-sse" } });
    editor.driver.notify("workspace/didChangeConfiguration", changed);
    let status = status(&mut editor).await;
    assert_eq!((&status["eagerness"], &status["gears"]["fast"]["asked"]), (&json!("low"), &json!("two")));
    let models = command(&mut editor, "tandem.useModel", json!({ "gear": "fast" })).await;
    assert!(candidates(&models).starts_with("*  one"), "{models}");
    for wrong in [
        json!({ "gear": "local" }),
        json!({ "gear": "fast", "model": "two" }),
        json!({ "gear": "deep", "provider": "here", "model": "two" }),
    ] {
        let params = json!({ "command": "tandem.useModel", "arguments": [wrong] });
        let id = editor.driver.ask("workspace/executeCommand", params);
        assert_eq!(editor.driver.answer(id).await.unwrap()["error"]["code"], -32602);
    }
    editor.driver.take_unread();
    editor.finish().await;
}

#[tokio::test]
async fn long_work_is_shown_and_can_be_stopped() {
    let mut capabilities = capabilities("utf-16");
    capabilities["window"] = json!({ "workDoneProgress": true });
    let simulator = Some(Options { ttft: Duration::from_secs(20), ..Options::default() });
    let (mut editor, ..) = opened(Setup { capabilities, simulator, ..Setup::default() }).await;
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1, "character": 0 } });
    let argument = json!({ "textDocument": { "uri": URI }, "range": range, "instruction": "go" });
    let asked = editor
        .driver
        .ask("workspace/executeCommand", json!({ "command": "tandem.rewrite", "arguments": [argument] }));
    let create = editor.driver.expect("window/workDoneProgress/create").await.unwrap();
    let token = create["params"]["token"].clone();
    editor.driver.reply(&create, Value::Null);
    let begin = editor.driver.expect("$/progress").await.unwrap();
    assert_eq!(
        begin["params"],
        json!({ "token": token, "value": { "kind": "begin", "title": "Tandem: go", "cancellable": true } })
    );
    editor.driver.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    let error = editor.driver.answer(asked).await.unwrap()["error"].clone();
    assert_eq!((&error["code"], &error["message"]), (&json!(-32800), &json!("Tandem: it was cancelled")));
    loop {
        let progress = editor.driver.expect("$/progress").await.unwrap();
        if progress["params"]["value"]["kind"] == "end" {
            break;
        }
    }
    editor.finish().await;
}

#[tokio::test]
async fn model_that_refuses_every_request_is_not_ready() {
    let simulator = Options { faults: vec![Fault::Policy], ..Options::default() };
    let (mut editor, line, column) = opened(with(simulator, json!({}))).await;
    for _ in 0..8 {
        complete(&mut editor, line, column).await;
    }
    let status = status(&mut editor).await;
    let fast = &status["gears"]["fast"];
    assert_eq!((&status["state"], &fast["state"]), (&json!("offline"), &json!("refused")), "{status:#}");
    let said = editor.driver.expect("window/showMessage").await.unwrap();
    assert!(said.to_string().contains("no fast model answers: test refused"), "{said}");
    editor.finish().await;
}
