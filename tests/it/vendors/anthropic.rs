//! Anthropic's Messages API, as implemented by a stand-in made from its documentation.

use std::process::Command;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::config::Wire;
use tandem::model::{Request, Timing};
use tempfile::TempDir;

use super::understood;
use crate::recovery::connect_to;
use crate::socket::{read, request};
use crate::support::process::output_of;
use crate::support::vendor::{Reply, Vendor};

fn event(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
}

pub(super) fn start() -> String {
    event(&json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
        "content": [], "model": "claude-haiku-5-5-20261007", "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 25, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 2000,
            "output_tokens": 1, "service_tier": "standard"}}}))
}

pub(super) fn text(text: &str) -> String {
    event(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}))
}

pub(super) fn stop(reason: &str) -> String {
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    event(&json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 15}}))
        + &event(&json!({"type": "message_stop"}))
}

pub(super) fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
}

/// A whole stream with this text.
pub(super) fn answer(said: &str) -> String {
    let block =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let end = event(&json!({"type": "content_block_stop", "index": 0}));
    let ping = event(&json!({"type": "ping"}));
    [start(), event(&block), ping, text(said), end, stop("end_turn")].concat()
}

#[tokio::test]
async fn request_is_the_one_of_the_documentation() {
    let vendor = Vendor::start(vec![Reply::stream(answer("ok"))]).await;
    let (model, _) = connect_to(vendor.endpoint(Wire::Anthropic, "claude-haiku-5-5"), Timing::default());
    let input = "outline\nlet a = ".to_owned();
    let (said, usage) = read(model.stream(Request { input, stable: 8, ..request(64) })).await;
    let usage = usage.unwrap();
    assert_eq!(said, "ok");
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (2_025, 2_000, 15));
    assert_eq!(usage.tier.as_deref(), Some("standard"));
    let [asked] = &vendor.asked()[..] else { panic!("one request") };
    let lines: Vec<&str> = asked.head.lines().collect();
    assert_eq!(lines[0], "post /v1/messages http/1.1");
    assert!(lines.contains(&"x-api-key: key-canary") && lines.contains(&"anthropic-version: 2023-06-01"));
    assert!(!asked.head.contains("authorization"), "{}", asked.head);
    expect![[r#"{"max_tokens":64,"messages":[{"content":[{"cache_control":{"type":"ephemeral"},"text":"outline\n","type":"text"},{"text":"let a = ","type":"text"}],"role":"user"}],"model":"claude-haiku-5-5","stream":true,"system":"go on","thinking":{"type":"disabled"}}"#]]
        .assert_eq(&asked.body.to_string());
}

#[tokio::test]
async fn every_refusal_is_understood() {
    let check = async |status: u16, kind: &str, message: &str, expect: Expect| {
        let replies = vec![Reply::json(status, &error(kind, message))];
        expect.assert_eq(&understood(|it| it.endpoint(Wire::Anthropic, "m"), replies).await);
    };
    check(
        400,
        "invalid_request_error",
        "Output blocked by content filtering policy",
        expect!["Policy: refused (status 400): Output blocked by content filtering policy (invalid_request_error) x1"],
    )
    .await;
    check(
        401,
        "authentication_error",
        "invalid x-api-key",
        expect!["Unauthorized: refused (status 401): invalid x-api-key (authentication_error) x1"],
    )
    .await;
    check(
        402,
        "billing_error",
        "There is an issue with your billing.",
        expect!["QuotaUsedUp: refused (status 402): There is an issue with your billing. (billing_error) x1"],
    )
    .await;
    check(
        403,
        "permission_error",
        "Your API key does not have permission.",
        expect![
            "Forbidden: refused (status 403): Your API key does not have permission. (permission_error) x1"
        ],
    )
    .await;
    check(
        404,
        "not_found_error",
        "model: m",
        expect!["UnsupportedModel: refused (status 404): model: m (not_found_error) x1"],
    )
    .await;
    check(
        413,
        "request_too_large",
        "Request exceeds the maximum size",
        expect!["TooLarge: refused (status 413): Request exceeds the maximum size (request_too_large) x1"],
    )
    .await;
    check(429, "rate_limit_error", "This request would exceed your rate limit", expect!["RateLimited: refused (status 429): This request would exceed your rate limit (rate_limit_error) x1"]).await;
    check(
        500,
        "api_error",
        "Internal server error",
        expect!["ServerError: vendor failed (status 500): Internal server error (api_error) x2"],
    )
    .await;
    check(
        529,
        "overloaded_error",
        "Overloaded",
        expect!["Overloaded: vendor failed (status 529): Overloaded (overloaded_error) x1"],
    )
    .await;
}

#[tokio::test]
async fn streams_that_go_wrong_are_told_from_answers() {
    let check = async |reply: Reply, expect: Expect| {
        let replies = vec![reply];
        expect.assert_eq(&understood(|it| it.endpoint(Wire::Anthropic, "m"), replies).await);
    };
    let begun = start() + &text("one ");
    let overloaded = event(&error("overloaded_error", "Overloaded"));
    check(
        Reply::stream(begun.clone() + &overloaded),
        expect![[r#""one " Overloaded: refused: Overloaded (overloaded_error) x1"#]],
    )
    .await;
    check(
        Reply::stream(start() + &overloaded),
        expect!["Overloaded: refused: Overloaded (overloaded_error) x1"],
    )
    .await;
    check(
        Reply::stream(begun.clone()).broken(),
        expect![[r#""one " Closed: vendor closed the connection before its answer was complete x2"#]],
    )
    .await;
    check(
        Reply::stream(begun.clone()),
        expect![[r#""one " Closed: vendor closed the connection before its answer was complete x2"#]],
    )
    .await;
    check(
        Reply::stream(begun.clone() + &stop("refusal")),
        expect![[r#""one " Policy: refused: the answer was cut off: refusal x1"#]],
    )
    .await;
    // Out of order: the end before its text, and a text before the beginning.
    check(Reply::stream(start() + &stop("end_turn") + &text("late")), expect!["end x1"]).await;
    check(
        Reply::stream(text("early ") + &start() + &text("two") + &stop("end_turn")),
        expect![[r#""two" end x1"#]],
    )
    .await;
    let whole = json!({"type": "message", "model": "m", "content": [{"type": "text", "text": "whole"}],
        "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 1}});
    check(Reply::json(200, &whole), expect![[r#""whole" end x1"#]]).await;
}

#[tokio::test]
async fn model_that_always_thinks_is_asked_to_think_little() {
    let words = "\"thinking.type.disabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \
                 \"output_config.effort\" to control thinking behavior.";
    let refusal = Reply::json(400, &error("invalid_request_error", words));
    let vendor = Vendor::start(vec![refusal, Reply::stream(answer("ok"))]).await;
    let (model, _) = connect_to(vendor.endpoint(Wire::Anthropic, "claude-next"), Timing::default());
    for _ in 0..2 {
        assert_eq!(read(model.stream(request(64))).await.0, "ok");
    }
    let asked: Vec<String> = vendor
        .asked()
        .iter()
        .map(|it| format!("{} {}", it.body["thinking"], it.body["output_config"]))
        .collect();
    assert_eq!(
        asked,
        [r#"{"type":"disabled"} null"#, r#"null {"effort":"low"}"#, r#"null {"effort":"low"}"#]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn setup_finds_the_model_and_writes_the_wire() {
    let models = json!({"data": [{"type": "model", "id": "claude-opus-5-5"},
        {"type": "model", "id": "claude-haiku-5-5-20261007", "max_input_tokens": 1_000_000}], "has_more": false});
    let vendor = Vendor::start(vec![Reply::json(200, &models), Reply::stream(answer("OK"))]).await;
    let folder = TempDir::new().unwrap();
    let config = folder.path().join("config.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.args([
        "setup",
        "--provider",
        "anthropic",
        "--base-url",
        &vendor.base_url,
        "--key-variable",
        "KEY",
    ]);
    command.env("TANDEM_CONFIG", &config).env("KEY", "sk-ant-canary").env("PATH", folder.path());
    let output = tokio::task::spawn_blocking(move || output_of(&mut command, b"")).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = std::fs::read_to_string(&config).unwrap();
    let (_, written) = written.split_once("[providers").unwrap();
    expect![[r#"
        .anthropic]
        base_url = "URL"
        wire = "anthropic"
        api_key_env = "KEY"

        [fast]
        candidates = [{ provider = "anthropic", model = "claude-haiku-5-5-20261007" }]
    "#]]
    .assert_eq(&written.replace(&vendor.base_url, "URL"));
    let paths: Vec<String> =
        vendor.asked().iter().map(|it| it.head.lines().next().unwrap().to_owned()).collect();
    assert_eq!(paths, ["get /v1/models http/1.1", "post /v1/messages http/1.1"]);
}
