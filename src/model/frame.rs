//! The one frame a client sends: `response.create`, flat (protocol notes §2.1).
//!
//! Written strictly: every key is in the public schema, and none is sent that our requests do not need. No tools, so
//! that a frame is as small as its prompt; `store` off, so that nothing is kept; no obfuscation padding in the answer.

use serde::Serialize;

use super::Request;
use crate::config::Endpoint;

#[derive(Serialize)]
struct Create<'a> {
    r#type: &'static str,
    model: &'a str,
    store: bool,
    instructions: &'a str,
    input: [Message<'a>; 1],
    max_output_tokens: u32,
    prompt_cache_key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning<'a>>,
    stream_options: StreamOptions,
}

#[derive(Serialize)]
struct Message<'a> {
    r#type: &'static str,
    role: &'static str,
    content: [Content<'a>; 1],
}

#[derive(Serialize)]
struct Content<'a> {
    r#type: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
struct Reasoning<'a> {
    effort: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_obfuscation: bool,
}

/// Renders the frame that asks `request` of `endpoint`.
pub(super) fn create(endpoint: &Endpoint, request: &Request) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Create {
        r#type: "response.create",
        model: &endpoint.model,
        store: false,
        instructions: &request.instructions,
        input: [Message {
            r#type: "message",
            role: "user",
            content: [Content { r#type: "input_text", text: &request.input }],
        }],
        max_output_tokens: request.max_output_tokens,
        prompt_cache_key: &request.cache_key,
        reasoning: endpoint.reasoning_effort.as_deref().map(|effort| Reasoning { effort }),
        stream_options: StreamOptions { include_obfuscation: false },
    })
}
