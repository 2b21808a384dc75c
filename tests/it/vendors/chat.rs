//! Vendors of Chat Completions: each has its own form of refusals.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::config::Wire;

use super::understood;
use crate::support::vendor::Reply;

async fn check(status: u16, body: Value, expect: Expect) {
    let replies = vec![Reply::json(status, &body)];
    let said = understood(|it| it.endpoint(Wire::Chat, "m"), replies).await;
    expect.assert_eq(&said.replace(&format!("refused (status {status}): "), ""));
}

#[tokio::test]
async fn wrong_keys_are_understood() {
    // OpenAI, and Groq, Cerebras and DeepSeek likewise.
    let error = json!({"message": "Incorrect API key provided: key-canary. You can find your API key at …",
        "type": "invalid_request_error", "param": null, "code": "invalid_api_key"});
    check(401, json!({"error": error}), expect!["Unauthorized: Incorrect API key provided: ***. You can find your API key at … (invalid_api_key) x1"]).await;
    // Google: a list, and the same status for any invalid request.
    let error = json!({"code": 400, "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT"});
    check(
        400,
        json!([{"error": error}]),
        expect!["Unauthorized: API key not valid. Please pass a valid API key. (400) x1"],
    )
    .await;
    // xAI.
    let words = "Incorrect API key provided: ke***ry. You can obtain an API key from https://console.x.ai.";
    check(400, json!({"code": "Client specified an invalid argument", "error": words}), expect!["Unauthorized: Incorrect API key provided: ke***ry. You can obtain an API key from https://console.x.ai. x1"]).await;
    // Azure.
    let words = "Access denied due to invalid subscription key or wrong API endpoint.";
    check(
        401,
        json!({"error": {"code": "401", "message": words}}),
        expect![
            "Unauthorized: Access denied due to invalid subscription key or wrong API endpoint. (401) x1"
        ],
    )
    .await;
    check(
        401,
        json!({"statusCode": 401, "message": "Unauthorized. Access token is missing."}),
        expect!["Unauthorized: Unauthorized. Access token is missing. x1"],
    )
    .await;
    // Mistral.
    check(401, json!({"detail": "Unauthorized"}), expect!["Unauthorized: Unauthorized x1"]).await;
    // OpenRouter.
    check(
        401,
        json!({"error": {"message": "No auth credentials found", "code": 401}}),
        expect!["Unauthorized: No auth credentials found (401) x1"],
    )
    .await;
    // Fireworks.
    check(
        401,
        json!({"error": {"object": "error", "message": "The API key you provided is invalid.",
        "type": "error", "code": "unauthorized"}}),
        expect!["Unauthorized: The API key you provided is invalid. (unauthorized) x1"],
    )
    .await;
    // Vercel.
    check(
        401,
        json!({"error": {"message": "Invalid API key", "type": "authentication_error"}}),
        expect!["Unauthorized: Invalid API key (authentication_error) x1"],
    )
    .await;
}

#[tokio::test]
async fn models_that_are_not_there_are_understood() {
    // Groq.
    check(
        404,
        json!({"error": {"message": "The model `m` does not exist or you do not have access to it.",
        "type": "invalid_request_error", "code": "model_not_found"}}),
        expect!["UnsupportedModel: The model `m` does not exist or you do not have access to it. (model_not_found) x1"],
    )
    .await;
    // Google.
    check(
        404,
        json!([{"error": {"code": 404, "message": "models/m is not found for API version v1main, or is not \
        supported for generateContent.", "status": "NOT_FOUND"}}]),
        expect!["UnsupportedModel: models/m is not found for API version v1main, or is not supported for generateContent. (404) x1"],
    )
    .await;
    // Azure.
    check(
        404,
        json!({"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does \
        not exist."}}),
        expect![
            "UnsupportedModel: The API deployment for this resource does not exist. (DeploymentNotFound) x1"
        ],
    )
    .await;
    // xAI.
    check(
        404,
        json!({"code": "Some requested entity was not found", "error": "The model m does not exist or your \
        team does not have access to it."}),
        expect!["UnsupportedModel: The model m does not exist or your team does not have access to it. x1"],
    )
    .await;
    // Mistral.
    check(
        400,
        json!({"object": "error", "message": "Invalid model: m", "type": "invalid_model", "param": null,
        "code": "1500"}),
        expect!["UnsupportedModel: Invalid model: m x1"],
    )
    .await;
    // OpenRouter.
    check(
        400,
        json!({"error": {"message": "m is not a valid model ID", "code": 400}}),
        expect!["UnsupportedModel: m is not a valid model ID (400) x1"],
    )
    .await;
    // Together.
    check(
        404,
        json!({"error": {"message": "Unable to access model m. Please visit our site.",
        "type": "invalid_request_error", "param": null, "code": "model_not_available"}}),
        expect![
            "UnsupportedModel: Unable to access model m. Please visit our site. (model_not_available) x1"
        ],
    )
    .await;
    // Fireworks.
    check(
        404,
        json!({"error": {"object": "error", "message": "Model not found, inaccessible, and/or not deployed",
        "type": "error", "code": "NOT_FOUND"}}),
        expect!["UnsupportedModel: Model not found, inaccessible, and/or not deployed (NOT_FOUND) x1"],
    )
    .await;
    // SambaNova.
    check(
        404,
        json!({"error": {"code": null, "message": "Model not found", "param": null,
        "type": "invalid_request_error"}}),
        expect!["UnsupportedModel: Model not found (invalid_request_error) x1"],
    )
    .await;
}

#[tokio::test]
async fn limits_and_debts_are_understood() {
    // Groq.
    check(
        429,
        json!({"error": {"message": "Rate limit reached for model `m` on tokens per minute (TPM): Limit \
        6000. Please try again in 1.2s.", "type": "tokens", "code": "rate_limit_exceeded"}}),
        expect!["RateLimited: Rate limit reached for model `m` on tokens per minute (TPM): Limit 6000. Please try again in 1.2s. (rate_limit_exceeded) x1"],
    )
    .await;
    // Google.
    check(
        429,
        json!([{"error": {"code": 429, "message": "You exceeded your current quota, please check your plan \
        and billing details.", "status": "RESOURCE_EXHAUSTED"}}]),
        expect!["RateLimited: You exceeded your current quota, please check your plan and billing details. (429) x1"],
    )
    .await;
    // Azure.
    check(
        429,
        json!({"error": {"code": "429", "message": "Requests have exceeded call rate limit. Please retry \
        after 5 seconds."}}),
        expect![
            "RateLimited: Requests have exceeded call rate limit. Please retry after 5 seconds. (429) x1"
        ],
    )
    .await;
    // OpenRouter, DeepSeek.
    check(
        402,
        json!({"error": {"message": "Insufficient credits. Add more.", "code": 402}}),
        expect!["QuotaUsedUp: Insufficient credits. Add more. (402) x1"],
    )
    .await;
    check(
        402,
        json!({"error": {"message": "Insufficient Balance", "type": "unknown_error", "param": null,
        "code": "invalid_request_error"}}),
        expect!["QuotaUsedUp: Insufficient Balance (invalid_request_error) x1"],
    )
    .await;
    // Cerebras.
    check(
        429,
        json!({"message": "Requests per minute limit exceeded - too many requests sent.",
        "type": "too_many_requests_error", "param": "quota", "code": "request_quota_exceeded"}),
        expect!["RateLimited: Requests per minute limit exceeded - too many requests sent. x1"],
    )
    .await;
    // Mistral: a list of errors in the request.
    check(
        422,
        json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "store"], "msg": "Extra inputs are not \
        permitted"}]}),
        expect!["UnsupportedField: Extra inputs are not permitted x2"],
    )
    .await;
}

#[tokio::test]
async fn streams_have_notes_and_failures_in_their_middle() {
    let check = async |body: &str, expect: Expect| {
        let replies = vec![Reply::stream(body.to_owned())];
        expect.assert_eq(&understood(|it| it.endpoint(Wire::Chat, "m"), replies).await);
    };
    let text =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one \"},\"finish_reason\":null}]}\n\n";
    let stop = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    // OpenRouter sends comments as keep-alives, and fails in a chunk.
    check(&format!(": OPENROUTER PROCESSING\n\n{text}{stop}data: [DONE]\n\n"), expect![[r#""one " end x1"#]])
        .await;
    let error = "data: {\"error\":{\"code\":502,\"message\":\"Provider disconnected\"},\
                 \"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}\n\n";
    check(
        &format!("{text}{error}"),
        expect![[r#""one " ServerError: refused: Provider disconnected (502) x1"#]],
    )
    .await;
    // Groq fails in a named event.
    let named = "event: error\ndata: {\"error\":{\"message\":\"over capacity\",\"type\":\"internal_server_error\"}}\n\n";
    check(
        &format!("{text}{named}"),
        expect![[r#""one " ServerError: refused: over capacity (internal_server_error) x1"#]],
    )
    .await;
    // Azure begins with a chunk that only contains its filter results.
    let filter = "data: {\"choices\":[],\"prompt_filter_results\":[{\"prompt_index\":0}],\"model\":\"\"}\n\n";
    check(&format!("{filter}{text}{stop}data: [DONE]\n\n"), expect![[r#""one " end x1"#]]).await;
    // The end before the text.
    check(&format!("data: [DONE]\n\n{text}"), expect!["end x1"]).await;
}

/// A stream of these choices of one chunk each.
fn chunks(choices: &[Value]) -> String {
    choices.iter().map(|it| format!("data: {}\n\n", json!({ "choices": [it] }))).collect()
}

#[tokio::test]
async fn text_may_be_in_parts_and_a_model_may_decline() {
    let check = async |body: String, expect: Expect| {
        expect.assert_eq(&understood(|it| it.endpoint(Wire::Chat, "m"), vec![Reply::stream(body)]).await);
    };
    // Mistral's models that reason.
    let thinking = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]);
    let parts = [
        json!({"delta": {"content": thinking}}),
        json!({"delta": {"content": [{"type": "text", "text": "one "}]}}),
        json!({"delta": {"content": [{"type": "text", "text": "two"}]}, "finish_reason": "stop"}),
    ];
    check(chunks(&parts) + "data: [DONE]\n\n", expect![[r#""one two" end x1"#]]).await;
    let declined = [
        json!({"delta": {"refusal": "I'm "}}),
        json!({"delta": {"refusal": "sorry."}}),
        json!({"delta": {}, "finish_reason": "stop"}),
    ];
    check(chunks(&declined) + "data: [DONE]\n\n", expect!["Policy: refused: I'm sorry. x1"]).await;
    let part = json!({"type": "refusal", "refusal": "I'm sorry."});
    let output = json!([{"type": "message", "id": "m", "content": [part]}]);
    let end = json!({"type": "response.completed", "response": {"id": "r", "output": output}});
    let body = Reply::stream(format!("data: {end}\n\n"));
    expect!["Policy: refused: I'm sorry. x1"]
        .assert_eq(&understood(|it| it.endpoint(Wire::ResponsesSse, "m"), vec![body]).await);
}

/// What was announced as complete is complete, whatever becomes of the connection.
#[tokio::test]
async fn announced_end_needs_no_clean_close() {
    let parts = [
        json!({"delta": {"content": "one "}}),
        json!({"delta": {"content": "two"}, "finish_reason": "stop"}),
    ];
    let reply = Reply::stream(chunks(&parts)).broken();
    expect![[r#""one two" end x1"#]]
        .assert_eq(&understood(|it| it.endpoint(Wire::Chat, "m"), vec![reply]).await);
}
