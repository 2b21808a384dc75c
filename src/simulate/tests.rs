//! Tests of the server through a client.

mod client;

use std::time::Duration;

use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{self, Message};

use super::*;
use client::{Client, PATIENCE, code, http, id, last, simulate, text};

fn script(lines: &str) -> Options {
    Options { script: Script::parse(lines).unwrap(), ..Options::default() }
}

async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn streams_one_response() {
    let (simulator, mut client) = simulate(script(r#"{"reply": "let a = 1;"}"#)).await;
    client.create(json!({"input": "x", "service_tier": "fast", "prompt_cache_key": "k"})).await;
    let events = client.response().await;
    let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let delta = "response.output_text.delta";
    assert_eq!(
        kinds,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            delta,
            delta,
            delta,
            delta,
            delta,
            delta,
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    let numbers: Vec<_> = events.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..events.len() as u64).collect::<Vec<_>>());
    assert!(events.iter().all(|event| event.get("stream_id").is_none()));
    assert_eq!(text(&events), "let a = 1;");
    let response = &last(&events)["response"];
    assert_eq!(response["output"][0]["content"][0]["text"], "let a = 1;");
    assert_eq!((&response["model"], &response["service_tier"]), (&json!("m"), &json!("fast")));
    let usage = &response["usage"];
    assert_eq!((&usage["output_tokens"], &usage["total_tokens"]), (&json!(6), &json!(8)));
    eventually("counted", || simulator.stats().responses_completed == 1).await;
    let stats = simulator.stats();
    assert_eq!((stats.requests, stats.output_tokens_generated, stats.responses_abandoned), (1, 6, 0));
    eventually("delivered", || simulator.stats().output_tokens_delivered == 6).await;
}

#[tokio::test]
async fn a_warm_up_is_continued_from() {
    let lines = r#"{"when": "stable part\nthe rest", "reply": "both were read"}
        {"reply": "only one part was read"}"#;
    let (_simulator, mut client) = simulate(script(lines)).await;
    client.create(json!({"input": "stable part", "generate": false})).await;
    let warm = client.response().await;
    assert_eq!(last(&warm)["response"]["output"], json!([]));
    assert_eq!(last(&warm)["response"]["usage"]["output_tokens"], 0);
    client.create(json!({"input": "the rest", "previous_response_id": id(&warm)})).await;
    let events = client.response().await;
    assert_eq!(text(&events), "both were read");
    assert_eq!(last(&events)["response"]["previous_response_id"], json!(id(&warm)));

    let mut other = Client::connect(&_simulator).await;
    other.create(json!({"input": "the rest", "previous_response_id": id(&events)})).await;
    assert_eq!(code(&other.response().await), "previous_response_not_found");
}

#[tokio::test]
async fn only_the_newest_response_of_each_lane_can_be_continued_from() {
    let (_simulator, mut client) = simulate(script(r#"{"reply": "x"}"#)).await;
    client.create(json!({"input": "base", "stream_id": "base"})).await;
    let base = id(&client.response().await);
    for stream_id in ["a", "b"] {
        client.create(json!({"input": "fork", "previous_response_id": base, "stream_id": stream_id})).await;
        assert_eq!(last(&client.response().await)["type"], "response.completed");
    }
    client
        .create(json!({"input": "fork", "previous_response_id": base, "stream_id": "a", "prediction": 1}))
        .await;
    assert_eq!(code(&client.response().await), "unknown_parameter");
    client.create(json!({"input": "next", "previous_response_id": base, "stream_id": "base"})).await;
    let next = id(&client.response().await);
    client.create(json!({"input": "fork", "previous_response_id": base, "stream_id": "a"})).await;
    assert_eq!(code(&client.response().await), "previous_response_not_found");
    client.create(json!({"input": 3, "previous_response_id": next, "stream_id": "base"})).await;
    assert_eq!(code(&client.response().await), "invalid_type");
    client.create(json!({"input": "next", "previous_response_id": next, "stream_id": "base"})).await;
    assert_eq!(
        code(&client.response().await),
        "previous_response_not_found",
        "a failed turn evicts its parent"
    );
}

#[tokio::test]
async fn lanes_run_at_the_same_time_and_each_in_order() {
    let lines = r#"{"when": "slow", "reply": "s", "fault": "hang"}
        {"reply": "quick"}"#;
    let (_simulator, mut client) = simulate(script(lines)).await;
    client.create(json!({"input": "slow", "stream_id": "deep"})).await;
    client.create(json!({"input": "waits behind it", "stream_id": "deep"})).await;
    client.create(json!({"input": "first", "stream_id": "typing-1"})).await;
    client.create(json!({"input": "second", "stream_id": "typing-1"})).await;
    for _ in 0..2 {
        let events = client.response().await;
        assert!(events.iter().all(|event| event["stream_id"] == "typing-1"), "{events:?}");
        assert_eq!(text(&events), "quick");
    }
}

#[tokio::test]
async fn the_limits_of_lanes_are_kept() {
    let (_simulator, mut client) = simulate(script(r#"{"reply": "x", "fault": "hang"}"#)).await;
    for stream_id in ["", "a b", &"x".repeat(257)] {
        client.create(json!({"input": "x", "stream_id": stream_id})).await;
        assert_eq!(code(&client.response().await), "invalid_stream_id");
    }
    for index in 0..32 {
        client.create(json!({"input": "x", "stream_id": format!("lane{index}")})).await;
    }
    client.create(json!({"input": "x", "stream_id": "one-too-many"})).await;
    let events = client.response().await;
    assert_eq!(code(&events), "websocket_stream_limit_reached");
    assert_eq!(last(&events)["stream_id"], "one-too-many");
}

#[tokio::test]
async fn at_most_sixteen_responses_are_active() {
    let mut options = script(r#"{"reply": "x"}"#);
    options.ttft = Duration::from_millis(300);
    let (_simulator, mut client) = simulate(options).await;
    for index in 0..17 {
        client.create(json!({"input": "x", "stream_id": format!("lane{index}")})).await;
    }
    let (mut active, mut most, mut ended) = (0, 0, 0);
    while ended < 17 {
        match client.next().await["type"].as_str().unwrap() {
            "response.created" => active += 1,
            "response.completed" => {
                active -= 1;
                ended += 1;
            }
            _ => {}
        }
        most = most.max(active);
    }
    assert_eq!(most, 16);
}

#[tokio::test]
async fn a_bad_frame_is_refused_and_the_socket_stays() {
    let (_simulator, mut client) = simulate(script(r#"{"reply": "fine"}"#)).await;
    for frame in ["{not json", "[]"] {
        client.0.send(Message::text(frame)).await.unwrap();
        let events = client.response().await;
        assert_eq!((code(&events), &last(&events)["status"]), ("invalid_json", &json!(400)));
    }
    client.0.send(Message::binary(vec![1])).await.unwrap();
    assert_eq!(code(&client.response().await), "invalid_frame");
    client.send(json!({"type": "response.cancel"})).await;
    assert_eq!(code(&client.response().await), "invalid_value");
    client.create(json!({"input": "x"})).await;
    assert_eq!(text(&client.response().await), "fine");
}

#[tokio::test]
async fn output_is_capped() {
    let (_simulator, mut client) = simulate(script(r#"{"reply": "one two three four five"}"#)).await;
    client.create(json!({"input": "x", "max_output_tokens": 3})).await;
    let events = client.response().await;
    assert_eq!(last(&events)["type"], "response.incomplete");
    let response = &last(&events)["response"];
    assert_eq!(response["incomplete_details"], json!({"reason": "max_output_tokens"}));
    assert_eq!(response["usage"]["output_tokens"], 3);
    assert_eq!(text(&events), response["output"][0]["content"][0]["text"].as_str().unwrap());
}

#[tokio::test]
async fn generation_stops_when_the_client_leaves() {
    let mut options = script(&json!({"reply": "word ".repeat(10_000)}).to_string());
    options.tokens_per_second = 100;
    let (simulator, mut client) = simulate(options).await;
    client.create(json!({"input": "x"})).await;
    while client.next().await["type"] != "response.output_text.delta" {}
    client.0.close(None).await.unwrap();
    while let Some(Ok(_)) = client.next_message().await {}
    eventually("abandoned", || simulator.stats().responses_abandoned == 1).await;
    let generated = simulator.stats().output_tokens_generated;
    assert!(generated < 5_000, "{generated}");
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(simulator.stats().output_tokens_generated, generated);
}

#[tokio::test]
async fn tokens_come_at_their_pace() {
    let mut options = script(&json!({"reply": "word ".repeat(100)}).to_string());
    options.ttft = Duration::from_millis(50);
    options.tokens_per_second = 1_000;
    let (_simulator, mut client) = simulate(options).await;
    let start = std::time::Instant::now();
    client.create(json!({"input": "x"})).await;
    let events = client.response().await;
    let tokens = events.iter().filter(|event| event["delta"].is_string()).count();
    // The last token is never early; how late it is depends on the machine.
    assert!(
        start.elapsed() >= Duration::from_millis(50 + tokens as u64 - 1),
        "{tokens}: {:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn faults_strike_as_ordered() {
    let lines = r#"{"when": "close", "deltas": ["a", "b", "c", "d"], "fault": "close-mid-stream"}
        {"when": "cut", "deltas": ["a", "b", "c", "d"], "fault": "cut"}
        {"reply": "x", "fault": "unknown-events"}"#;
    let (simulator, mut client) = simulate(script(lines)).await;
    client.create(json!({"input": "x"})).await;
    let events = client.response().await;
    assert!(events.iter().any(|event| event["type"] == "vendor.unheard_of"));
    assert_eq!(text(&events), "x");

    let mut said = String::new();
    client.create(json!({"input": "close"})).await;
    let close = loop {
        match client.next_message().await.unwrap().unwrap() {
            Message::Text(event) => {
                said += serde_json::from_str::<Value>(&event).unwrap()["delta"].as_str().unwrap_or("")
            }
            other => break other,
        }
    };
    assert!(matches!(close, Message::Close(Some(frame)) if frame.code == CloseCode::Error));
    assert_eq!(said, "ab");

    let mut client = Client::connect(&simulator).await;
    client.create(json!({"input": "cut"})).await;
    let end = loop {
        match client.next_message().await {
            Some(Ok(Message::Text(_))) => {}
            other => break other,
        }
    };
    assert!(matches!(end, Some(Err(_))), "no close frame: {end:?}");
}

#[tokio::test]
async fn upgrades_are_refused_with_their_status() {
    let check = async |options: Options, key: Option<&str>, expected: Option<u16>| {
        let simulator = start(options).await.unwrap();
        let mut request = format!("ws://{}/v1/responses", simulator.address).into_client_request().unwrap();
        if let Some(key) = key {
            request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
        }
        let status = match connect_async(request).await {
            Ok(_) => None,
            Err(tungstenite::Error::Http(response)) => Some(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(status, expected);
    };
    let fault = |fault| Options { faults: vec![fault], ..Options::default() };
    let keyed = || Options { api_key: Some("sk-1".into()), ..Options::default() };
    check(fault(Fault::Refuse401), None, Some(401)).await;
    check(fault(Fault::Refuse426), None, Some(426)).await;
    check(fault(Fault::Refuse503), None, Some(503)).await;
    check(keyed(), None, Some(401)).await;
    check(keyed(), Some("sk-2"), Some(401)).await;
    check(keyed(), Some("sk-1"), None).await;
    let (head, _) = http(&start(keyed()).await.unwrap(), "GET /health", "").await;
    assert!(head.starts_with("HTTP/1.1 200"), "without a key: {head}");
}

#[tokio::test]
async fn answers_over_http() {
    let simulator = start(script(r#"{"reply": "let a = 1;"}"#)).await.unwrap();
    let post = "POST /v1/responses";
    let (head, body) = http(&simulator, post, r#"{"model": "m", "input": "x", "stream": true}"#).await;
    assert!(head.contains("text/event-stream"), "{head}");
    let events: Vec<Value> = body
        .split_terminator("\n\n")
        .map(|event| {
            let (kind, data) = event.split_once('\n').unwrap();
            let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            assert_eq!(kind.strip_prefix("event: "), data["type"].as_str());
            data
        })
        .collect();
    assert_eq!(
        (text(&events).as_str(), &last(&events)["type"]),
        ("let a = 1;", &json!("response.completed"))
    );

    let (_, body) = http(&simulator, post, r#"{"model": "m", "input": "x"}"#).await;
    let response: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(response["output"][0]["content"][0]["text"], "let a = 1;");
    let (_, body) = http(&simulator, "GET /v1/models", "").await;
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["data"][0]["id"], MODEL);
    let (_, body) = http(&simulator, "GET /v1/simulator/stats", "").await;
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["responses_completed"], 2);

    for (request, body, status, expected) in [
        (post, "{", "400", "invalid_json"),
        (post, r#"{"model": "m", "stream_id": "a"}"#, "400", "unknown_parameter"),
        (post, r#"{"model": "m", "previous_response_id": "a"}"#, "400", "previous_response_not_found"),
        ("GET /v1/responses", "", "404", "not_found"),
        ("GET /elsewhere", "", "404", "not_found"),
    ] {
        let (head, body) = http(&simulator, request, body).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {head}");
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["error"]["code"], expected);
    }
}

#[tokio::test]
async fn frames_are_recorded_one_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("frames.jsonl");
    let mut options = script(r#"{"reply": "x"}"#);
    options.record = Some(record.clone());
    let (_simulator, mut client) = simulate(options).await;
    for frame in ["{\"type\":\"response.create\",\n\"model\":\"m\"}", "no\njson"] {
        client.0.send(Message::text(frame)).await.unwrap();
        client.response().await;
    }
    let expected = "{\"model\":\"m\",\"type\":\"response.create\"}\n\"no\\njson\"\n";
    assert_eq!(std::fs::read_to_string(record).unwrap(), expected);
}

#[tokio::test]
async fn only_this_machine_is_served_and_dropping_ends_it() {
    let remote = || Options { listen: "0.0.0.0:0".parse().unwrap(), ..Options::default() };
    let error = start(remote()).await.err().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    assert!(start(Options { allow_remote: true, ..remote() }).await.is_ok());

    let (simulator, mut client) = simulate(script(r#"{"reply": "x", "fault": "hang"}"#)).await;
    client.create(json!({"input": "x"})).await;
    drop(simulator);
    assert!(!matches!(client.next_message().await, Some(Ok(Message::Text(_)))));
}
