//! Anthropic's Messages API: its events, answers and errors.

pub(super) mod read;

use hyper::header::HeaderName;
use serde_json::{Value, json};

use crate::simulate::request::Refusal;

/// The header with the version of the API, which every request needs.
pub(in crate::simulate) const VERSION: &str = "anthropic-version";

/// The header with the key.
pub(in crate::simulate) const KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The codes of refusals here, with the status and the type that the API has for them.
const ERRORS: [(&str, u16, &str); 8] = [
    ("invalid_api_key", 401, "authentication_error"),
    ("insufficient_quota", 402, "billing_error"),
    ("model_not_found", 404, "not_found_error"),
    ("not_found", 404, "not_found_error"),
    ("body_too_large", 413, "request_too_large"),
    ("rate_limit_exceeded", 429, "rate_limit_error"),
    ("usage_limit_reached", 429, "rate_limit_error"),
    ("server_is_overloaded", 529, "overloaded_error"),
];

/// Converts an event of a response to the events that this API has for it.
pub(super) fn events(kind: &str, event: &Value) -> Option<String> {
    let response = &event["response"];
    let index = event["output_index"].clone();
    let own = match kind {
        "response.created" => {
            vec![json!({"type": "message_start", "message": message(response, &json!([]), None)})]
        }
        "response.content_part.added" => {
            let block = json!({"type": "text", "text": ""});
            vec![
                json!({"type": "content_block_start", "index": index, "content_block": block}),
                json!({"type": "ping"}),
            ]
        }
        "response.output_text.delta" => {
            let delta = json!({"type": "text_delta", "text": event["delta"]});
            vec![json!({"type": "content_block_delta", "index": index, "delta": delta})]
        }
        "response.content_part.done" => vec![json!({"type": "content_block_stop", "index": index})],
        "response.completed" => end("end_turn", response),
        "response.incomplete" => end("max_tokens", response),
        "response.failed" if response["error"]["code"] == "invalid_prompt" => end("refusal", response),
        "response.failed" => vec![failure(&response["error"])],
        "error" => vec![failure(&event["error"])],
        // The API says that events of other types may be added.
        _ if !kind.starts_with("response.") => vec![event.clone()],
        _ => return None,
    };
    let frame = |it: &Value| format!("event: {}\ndata: {it}\n\n", it["type"].as_str().unwrap_or(kind));
    Some(own.iter().map(frame).collect())
}

fn end(reason: &str, response: &Value) -> Vec<Value> {
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    vec![
        json!({"type": "message_delta", "delta": delta, "usage": usage(response)}),
        json!({"type": "message_stop"}),
    ]
}

/// The complete answer as one object.
pub(super) fn whole(response: &Value, text: &str, reason: &str) -> Value {
    let reason = if reason == "length" { "max_tokens" } else { "end_turn" };
    message(response, &json!([{"type": "text", "text": text}]), Some(reason))
}

fn message(response: &Value, content: &Value, reason: Option<&str>) -> Value {
    let id = response["id"].as_str().unwrap_or_default().replace("resp_", "msg_");
    json!({"id": id, "type": "message", "role": "assistant", "model": response["model"], "content": content,
        "stop_reason": reason, "stop_sequence": null, "usage": usage(response)})
}

/// Cached and written tokens are counted apart from the other input.
fn usage(response: &Value) -> Value {
    let usage = &response["usage"];
    let of_cache = |name: &str| usage["input_tokens_details"][name].as_u64().unwrap_or_default();
    let (cached, written) = (of_cache("cached_tokens"), of_cache("cache_write_tokens"));
    let total = usage["input_tokens"].as_u64().unwrap_or_default();
    json!({
        "input_tokens": total.saturating_sub(cached + written),
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached,
        "output_tokens": usage["output_tokens"].as_u64().unwrap_or_default(),
        "service_tier": "standard",
    })
}

/// The event that ends a stream with an error.
fn failure(error: &Value) -> Value {
    let code = error["code"].as_str().unwrap_or_default();
    json!({"type": "error", "error": {"type": kind_of(code, 500).1, "message": error["message"]}})
}

/// The status and the body of a refusal.
pub(super) fn refused(refusal: &Refusal, request: &str) -> (u16, Value) {
    let (status, kind) = kind_of(refusal.code, refusal.status);
    // The API has no codes, and these words instead.
    let words = match refusal.code {
        "context_length_exceeded" => "prompt is too long: 200001 tokens > 200000 maximum",
        "invalid_prompt" => "Output blocked by content filtering policy",
        "invalid_api_key" => "invalid x-api-key",
        _ => &refusal.message,
    };
    (status, json!({"type": "error", "error": {"type": kind, "message": words}, "request_id": request}))
}

fn kind_of(code: &str, status: u16) -> (u16, &'static str) {
    match ERRORS.iter().find(|(known, ..)| *known == code) {
        Some((_, status, kind)) => (*status, kind),
        None if status >= 500 => (status, "api_error"),
        None => (status, "invalid_request_error"),
    }
}

/// The refusal of a request that does not say which version of the API it is for.
pub(in crate::simulate) fn without_version() -> Refusal {
    Refusal::new("", format!("{VERSION}: header is required"), "")
}

/// The list of models.
pub(in crate::simulate) fn models(names: &[&str]) -> Value {
    let model = |id: &&str| {
        json!({"type": "model", "id": id, "display_name": id, "created_at": "1970-01-01T00:00:00Z",
            "lifecycle": "active", "deprecated_at": null, "retires_at": null, "line": null,
            "max_input_tokens": null, "max_tokens": null, "capabilities": null})
    };
    let data: Vec<Value> = names.iter().map(model).collect();
    json!({"data": data, "has_more": false, "first_id": names.first(), "last_id": names.last()})
}
