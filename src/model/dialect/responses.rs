//! The Responses API, over a socket (`response.create`, flat) and over HTTP
//! ([requests](crate::model#requests)).
//! Requests have no tools, so that they are as small as their prompt, and `store` is off, so that
//! nothing is kept. Answers have no obfuscation padding.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::body::{take, write};
use super::event::NONCE;
use crate::config::Endpoint;
use crate::model::error_kind::Refusal;
use crate::model::fields::{Field, Fields};
use crate::model::{Request, requester};

#[derive(Serialize)]
struct CreateResponse<'a> {
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
    input: Vec<InputMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_options: Option<CacheOptions<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<BTreeMap<&'a str, String>>,
}

#[derive(Serialize)]
struct InputMessage<'a> {
    r#type: &'static str,
    role: &'static str,
    content: Vec<Content<'a>>,
}

#[derive(Serialize)]
struct Content<'a> {
    r#type: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_breakpoint: Option<CacheMode>,
}

/// The provider's caching options.
///
/// With `explicit`, only text that ends at a breakpoint is cached, so that no cache write is paid
/// for that the next keystroke invalidates.
#[derive(Serialize)]
struct CacheOptions<'a> {
    #[serde(flatten)]
    mode: CacheMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<&'a str>,
}

#[derive(Clone, Copy, Serialize)]
struct CacheMode {
    mode: &'static str,
}

const EXPLICIT: CacheMode = CacheMode { mode: "explicit" };

#[derive(Serialize)]
struct Reasoning {
    effort: String,
}

#[derive(Serialize)]
struct StreamOptions {
    include_obfuscation: bool,
}

/// The part of a request that a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Part<'a> {
    /// The whole request.
    Whole,
    /// The stable part, for a base response without output. It has the instructions as a developer
    /// message, because messages are inherited from a response and instructions are not.
    Base,
    /// The changing part, which continues this base response.
    Fork(&'a str),
    /// The whole request, for a response without output.
    WarmUp,
}

/// Builds the frame of `request` on a socket, with its lane and nonce, if any.
pub(in crate::model) fn frame(
    endpoint: &Endpoint,
    fields: &Fields,
    request: &Request,
    lane: Option<&str>,
    part: Part<'_>,
    nonce: Option<&str>,
) -> Result<String, Refusal> {
    let mut create = create(endpoint, fields, request, part);
    if let Some(nonce) = nonce {
        create.metadata.get_or_insert_default().insert(NONCE, nonce.to_owned());
    }
    let create = CreateResponse { r#type: Some("response.create"), stream_id: lane, ..create };
    let written = String::from_utf8(write(request, &create)?);
    written.map_err(|error| Refusal::invalid(format!("the request cannot be written: {error}")))
}

/// Builds the body of `request` over HTTP.
pub(super) fn body(endpoint: &Endpoint, fields: &Fields, request: &Request) -> Result<Vec<u8>, Refusal> {
    write(request, &CreateResponse { stream: Some(true), ..create(endpoint, fields, request, Part::Whole) })
}

/// Minimum size of a beginning that providers cache, in bytes: 1,024 tokens.
const CACHED_BYTES: usize = 4_096;

fn create<'a>(
    endpoint: &'a Endpoint,
    fields: &Fields,
    request: &'a Request,
    part: Part<'a>,
) -> CreateResponse<'a> {
    let is_cached_on_demand = fields.takes(Field::PromptCacheOptions);
    let content = |text| Content { r#type: "input_text", text, prompt_cache_breakpoint: None };
    let kept = |text| Content {
        prompt_cache_breakpoint: Some(EXPLICIT)
            .filter(|_| is_cached_on_demand && request.instructions.len() + request.stable >= CACHED_BYTES),
        ..content(text)
    };
    let message = |role, content| InputMessage { r#type: "message", role, content };
    let instructions = &*request.instructions;
    let (stable, rest) = request.input.split_at(request.stable);
    let (instructions, input) = match part {
        Part::Whole if is_cached_on_demand && !stable.is_empty() => {
            (Some(instructions), vec![message("user", vec![kept(stable), content(rest)])])
        }
        Part::Whole | Part::WarmUp => {
            (Some(instructions), vec![message("user", vec![content(&request.input)])])
        }
        Part::Base => (
            None,
            vec![message("developer", vec![content(instructions)]), message("user", vec![kept(stable)])],
        ),
        Part::Fork(_) => (None, vec![message("user", vec![content(rest)])]),
    };
    let is_base = part == Part::Base;
    let tokens = fields.output_tokens(request.max_output_tokens);
    let options = CacheOptions { mode: EXPLICIT, ttl: endpoint.cache_ttl.as_deref() };
    let cache_key = match requester::cache_key(endpoint, request) {
        Some(own) => Cow::Owned(own),
        None => Cow::Borrowed(request.cache_key.as_str()),
    };
    let metadata = requester::metadata(endpoint, request);
    CreateResponse {
        r#type: None,
        stream: None,
        stream_id: None,
        generate: (is_base || part == Part::WarmUp).then_some(false),
        model: &endpoint.model,
        store: take(fields, Field::Store, false),
        previous_response_id: if let Part::Fork(id) = part { Some(id) } else { None },
        instructions,
        input,
        max_output_tokens: take(fields, Field::MaxOutputTokens, tokens).filter(|_| !is_base),
        prompt_cache_key: take(fields, Field::PromptCacheKey, cache_key),
        prompt_cache_options: take(fields, Field::PromptCacheOptions, options),
        reasoning: fields.effort().map(|effort| Reasoning { effort }),
        service_tier: fields.tier(),
        stream_options: take(fields, Field::StreamOptions, StreamOptions { include_obfuscation: false }),
        metadata: take(fields, Field::Metadata, metadata).filter(|it| !it.is_empty()),
    }
}
