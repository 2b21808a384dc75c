//! Vendors as their documentation describes them: their refusals, and the requests that follow.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::config::{Endpoint, Wire};
use tandem::model::{Request, Timing, Urgency};

use crate::recovery::connect_to;
use crate::socket::{read, request};
use crate::support::vendor::{Asked, Reply, Vendor};

mod anthropic;
mod chat;
mod streams;

/// An answer with the text `ok`, as each wire streams it.
fn ok(wire: Wire) -> Reply {
    let data = |event: Value| format!("data: {event}\n\n");
    Reply::stream(match wire {
        Wire::Anthropic => anthropic::answer("ok"),
        Wire::Chat => {
            let chunk = |delta: Value, reason: Option<&str>| {
                data(json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}))
            };
            chunk(json!({"content": "ok"}), None) + &chunk(json!({}), Some("stop")) + "data: [DONE]\n\n"
        }
        _ => {
            let text = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "ok"});
            data(text) + &data(json!({"type": "response.completed", "response": {"id": "r"}}))
        }
    })
}

/// The requested numbers of tokens where a vendor refuses some with these messages.
async fn caps(wire: Wire, wanted: u32, refusals: &[(u16, Value)], requests: usize) -> String {
    let mut replies: Vec<Reply> = refusals.iter().map(|(status, body)| Reply::json(*status, body)).collect();
    replies.push(ok(wire));
    let vendor = Vendor::start(replies).await;
    let (model, _) = connect_to(vendor.endpoint(wire, "m"), Timing::default());
    let mut said = Vec::new();
    for _ in 0..requests {
        let request = Request { urgency: Urgency::Deep, ..request(wanted) };
        let (text, end) = read(model.stream(request)).await;
        said.push(end.map_or_else(|error| error.to_string(), |_| text));
    }
    let cap = |asked: &Asked| {
        let names = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
        names.iter().filter_map(|name| Some(format!("{name} {}", asked.body.get(name)?))).collect::<String>()
    };
    format!("{} -> {}", vendor.asked().iter().map(cap).collect::<Vec<_>>().join(", "), said.join(", "))
}

fn openai(message: &str, param: Option<&str>, code: Option<&str>) -> (u16, Value) {
    let error = json!({"message": message, "type": "invalid_request_error", "param": param, "code": code});
    (400, json!({"error": error}))
}

#[tokio::test]
async fn too_many_output_tokens_are_asked_for_once() {
    let check = async |wire: Wire, refusals: &[(u16, Value)], expect: Expect| {
        expect.assert_eq(&caps(wire, 65_536, refusals, 2).await);
    };
    // OpenAI, over both of its APIs.
    check(
        Wire::Chat,
        &[openai(
            "max_tokens is too large: 65536. This model supports at most 16384 completion tokens, whereas you \
             provided 65536.",
            Some("max_tokens"),
            Some("invalid_value"),
        )],
        expect!["max_tokens 65536, max_tokens 16384, max_tokens 16384 -> ok, ok"],
    )
    .await;
    check(
        Wire::ResponsesSse,
        &[openai(
            "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 32768, but got 65536 \
             instead.",
            Some("max_output_tokens"),
            Some("integer_above_max_value"),
        )],
        expect!["max_output_tokens 65536, max_output_tokens 32768, max_output_tokens 32768 -> ok, ok"],
    )
    .await;
    // DeepSeek.
    check(
        Wire::Chat,
        &[openai(
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            None,
            Some("invalid_request_error"),
        )],
        expect!["max_tokens 65536, max_tokens 8192, max_tokens 8192 -> ok, ok"],
    )
    .await;
    // Groq, which first refuses the field's name.
    check(
        Wire::Chat,
        &[
            openai(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                 'max_completion_tokens' instead.",
                Some("max_tokens"),
                Some("unsupported_parameter"),
            ),
            openai(
                "`max_completion_tokens` must be less than or equal to `8192`, the maximum value for \
                 `max_completion_tokens` is less than the `context_window` for this model",
                None,
                None,
            ),
        ],
        expect![
            "max_tokens 65536, max_completion_tokens 65536, max_completion_tokens 8192, max_completion_tokens 8192 \
             -> ok, ok"
        ],
    )
    .await;
    // Anthropic.
    let words = "max_tokens: 65536 > 8192, which is the maximum allowed number of output tokens for m";
    let error = json!({"type": "invalid_request_error", "message": words});
    check(
        Wire::Anthropic,
        &[(400, json!({"type": "error", "error": error, "request_id": "req_1"}))],
        expect!["max_tokens 65536, max_tokens 8192, max_tokens 8192 -> ok, ok"],
    )
    .await;
    // LiteLLM, which quotes its upstream server.
    let words = "litellm.BadRequestError: OpenAIException - max_tokens is too large: 65536. This model supports at \
                 most 16384 completion tokens, whereas you provided 65536.. Received Model Group=m\nAvailable Model \
                 Group Fallbacks=None";
    check(
        Wire::Chat,
        &[(400, json!({"error": {"message": words, "type": null, "param": null, "code": "400"}}))],
        expect!["max_tokens 65536, max_tokens 16384, max_tokens 16384 -> ok, ok"],
    )
    .await;
}

#[tokio::test]
async fn a_refusal_without_a_number_halves_what_is_asked_for() {
    let refusal = openai("max_tokens is too large", Some("max_tokens"), None);
    let refusals = vec![refusal; 4];
    expect![
        "max_tokens 65536, max_tokens 32768, max_tokens 16384, max_tokens 8192, max_tokens 4096, max_tokens 4096 -> ok, ok"
    ]
    .assert_eq(&caps(Wire::Chat, 65_536, &refusals, 2).await);
}

#[tokio::test]
async fn what_a_window_leaves_beside_a_prompt_is_asked_for_this_time() {
    // vLLM.
    let words = "This model's maximum context length is 8192 tokens. However, you requested 9216 tokens (1024 in \
                 the messages, 8192 in the completion). Please reduce the length of the messages or completion.";
    let error =
        json!({"object": "error", "message": words, "type": "BadRequestError", "param": null, "code": 400});
    expect!["max_tokens 8192, max_tokens 7168, max_tokens 8192 -> ok, ok"]
        .assert_eq(&caps(Wire::Chat, 8_192, &[(400, json!({"error": error}))], 2).await);
    // Anthropic.
    let words = "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length \
                 or `max_tokens` and try again";
    let error = json!({"type": "invalid_request_error", "message": words});
    expect!["max_tokens 8192, max_tokens 1000, max_tokens 8192 -> ok, ok"].assert_eq(
        &caps(Wire::Anthropic, 8_192, &[(400, json!({"type": "error", "error": error}))], 2).await,
    );
}

/// The interpretation of a vendor's replies.
pub(crate) async fn understood(endpoint: impl Fn(&Vendor) -> Endpoint, replies: Vec<Reply>) -> String {
    let vendor = Vendor::start(replies).await;
    let (model, _) = connect_to(endpoint(&vendor), Timing::default());
    let (text, end) = read(model.stream(request(64))).await;
    let end = end.map_or_else(|error| format!("{:?}: {error}", error.kind()), |_| "end".to_owned());
    let end = end.replace("vendor refused", "refused");
    let text = if text.is_empty() { text } else { format!("{text:?} ") };
    format!("{text}{end} x{}", vendor.asked().len())
}
