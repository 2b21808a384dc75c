//! The Responses API, over a socket (`response.create`, flat) and over HTTP
//! ([requests](crate::model#requests)).
//!
//! No tools, so that a request is as small as its prompt; `store` off, so that nothing is kept; no
//! obfuscation padding in the answer.

use serde::Serialize;

use super::body::{take, write};
use crate::config::Endpoint;
use crate::model::Request;
use crate::model::capability::{Field, Fields};
use crate::model::error_kind::Refusal;

#[derive(Serialize)]
struct Create<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generate: Option<bool>,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_response_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    input: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Metadata<'a>>,
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

/// What the response repeats.
#[derive(Serialize)]
struct Metadata<'a> {
    #[serde(rename = "tandem")]
    nonce: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_obfuscation: bool,
}

/// How much of a request a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Part<'a> {
    /// All of it.
    Whole,
    /// What stays the same, for a base response that says nothing. Instructions are not
    /// inherited from a response but messages are, so they are a developer's message
    /// here.
    Base,
    /// What changes, to be continued from this base response.
    Fork(&'a str),
}

/// The frame that asks `request` on a socket, in this lane and with this nonce if there
/// are any.
pub(in crate::model) fn frame(
    endpoint: &Endpoint,
    fields: &Fields,
    request: &Request,
    lane: Option<&str>,
    part: Part<'_>,
    nonce: Option<&str>,
) -> Result<String, Refusal> {
    let create = create(endpoint, fields, request, part);
    let metadata = nonce.map(|nonce| Metadata { nonce });
    let create = Create { r#type: Some("response.create"), stream_id: lane, metadata, ..create };
    serde_json::to_string(&create)
        .map_err(|error| Refusal::invalid(format!("the request cannot be written: {error}")))
}

/// The body that asks `request` over HTTP.
pub(super) fn body(endpoint: &Endpoint, fields: &Fields, request: &Request) -> Result<Vec<u8>, Refusal> {
    write(&Create { stream: Some(true), ..create(endpoint, fields, request, Part::Whole) })
}

fn create<'a>(endpoint: &'a Endpoint, fields: &Fields, request: &'a Request, part: Part<'a>) -> Create<'a> {
    let message =
        |role, text| Message { r#type: "message", role, content: [Content { r#type: "input_text", text }] };
    let instructions = &*request.instructions;
    let (stable, rest) = request.input.split_at(request.stable);
    let (instructions, input) = match part {
        Part::Whole => (Some(instructions), vec![message("user", &request.input)]),
        Part::Base => (None, vec![message("developer", instructions), message("user", stable)]),
        Part::Fork(_) => (None, vec![message("user", rest)]),
    };
    let is_base = part == Part::Base;
    let effort = endpoint.reasoning_effort.as_deref();
    Create {
        r#type: None,
        stream: None,
        stream_id: None,
        generate: is_base.then_some(false),
        model: &endpoint.model,
        store: take(fields, Field::Store, false),
        previous_response_id: if let Part::Fork(id) = part { Some(id) } else { None },
        instructions,
        input,
        max_output_tokens: take(fields, Field::MaxOutputTokens, request.max_output_tokens)
            .filter(|_| !is_base),
        prompt_cache_key: take(fields, Field::PromptCacheKey, &request.cache_key),
        reasoning: effort.and_then(|effort| take(fields, Field::ReasoningEffort, Reasoning { effort })),
        service_tier: endpoint
            .service_tier
            .as_deref()
            .and_then(|tier| take(fields, Field::ServiceTier, tier)),
        stream_options: take(fields, Field::StreamOptions, StreamOptions { include_obfuscation: false }),
        metadata: None,
    }
}
