//! Chat Completions, and the chunks that it shares with most fill-in-the-middle endpoints
//! ([other dialects](crate::model#other-dialects)).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::answer::Output;
use super::body::{take, write};
use crate::config::Endpoint;
use crate::model::error_kind::{ErrorKind, Refusal, refusal};
use crate::model::fields::{Field, Fields};
use crate::model::{Request, ServerTimes, Usage, requester};

#[derive(Serialize)]
struct Chat<'a> {
    model: &'a str,
    messages: [ChatMessage<'a>; 2],
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<ChatStreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prediction: Option<Prediction<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<BTreeMap<&'a str, String>>,
}

#[derive(Serialize)]
pub(super) struct ChatMessage<'a> {
    pub(super) role: &'static str,
    pub(super) content: &'a str,
}

#[derive(Serialize)]
struct Prediction<'a> {
    r#type: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
pub(super) struct ChatStreamOptions {
    pub(super) include_usage: bool,
}

pub(super) fn body(endpoint: &Endpoint, fields: &Fields, request: &Request) -> Result<Vec<u8>, Refusal> {
    let tokens = fields.output_tokens(request.max_output_tokens);
    // Every server knows the older name except for OpenAI's newer models, whose refusal names it.
    let max_tokens = take(fields, Field::MaxTokens, tokens);
    let max_completion_tokens = match max_tokens {
        Some(_) => None,
        None => take(fields, Field::MaxCompletionTokens, tokens),
    };
    let prediction = request.prediction.as_deref().filter(|it| !it.is_empty());
    write(
        request,
        &Chat {
            model: &endpoint.model,
            messages: [
                ChatMessage { role: "system", content: &request.instructions },
                ChatMessage { role: "user", content: &request.input },
            ],
            stream: true,
            stream_options: take(fields, Field::StreamOptions, ChatStreamOptions { include_usage: true }),
            max_tokens,
            max_completion_tokens,
            stop: stops(fields, request),
            prediction: prediction.and_then(|content| {
                take(fields, Field::Prediction, Prediction { r#type: "content", content })
            }),
            reasoning_effort: fields.effort(),
            service_tier: fields.tier(),
            prompt_cache_key: requester::cache_key(endpoint, request)
                .and_then(|key| take(fields, Field::PromptCacheKey, key)),
            metadata: take(fields, Field::Metadata, requester::metadata(endpoint, request))
                .filter(|it| !it.is_empty()),
        },
    )
}

/// The stop sequences, at most as many as every server takes.
pub(super) fn stops<'a>(fields: &Fields, request: &'a Request) -> Option<&'a [String]> {
    const MOST: usize = 4;
    let stops = &request.stop[..request.stop.len().min(MOST)];
    if stops.is_empty() { None } else { take(fields, Field::Stop, stops) }
}

/// The end of an answer, as far as it is known: one chunk has the reason and another one the usage.
#[derive(Debug, Default)]
pub(super) struct Ending {
    model: Option<String>,
    usage: Usage,
    /// Whether the end was announced, and whether the reason was the token limit.
    finished: Option<bool>,
    /// Whether the server ended the answer without a reason.
    unexplained: bool,
    /// The words with which the model declines, which OpenAI's models have in a field of their own.
    declined: String,
}

impl Ending {
    /// Reads a chunk or a whole answer, which yields at most the model's name, a text and an end.
    pub(super) fn read(&mut self, value: &Value) -> [Option<Output>; 3] {
        let mut events = [None, None, None];
        if value.get("error").is_some_and(|error| !error.is_null()) {
            events[0] = Some(Output::Failed(refusal(None, value)));
            return events;
        }
        let model = value["model"].as_str().filter(|model| !model.is_empty());
        if let (None, Some(model)) = (&self.model, model) {
            self.model = Some(model.to_owned());
            events[0] = Some(Output::Serves { model: model.to_owned() });
        }
        self.count(value);
        let choice = &value["choices"][0];
        let texts = [
            &choice["delta"]["content"],
            &choice["message"]["content"],
            &choice["text"],
            // llama.cpp's own endpoints have no `choices`.
            &value["content"],
        ];
        let text = texts.into_iter().find_map(text_of).filter(|text| !text.is_empty());
        events[1] = text.map(|text| Output::Text(text.into_owned()));
        let declined = [&choice["delta"]["refusal"], &choice["message"]["refusal"]];
        self.declined.push_str(declined.into_iter().find_map(Value::as_str).unwrap_or_default());
        match choice["finish_reason"].as_str() {
            Some("error") => {
                events[2] = Some(failed(ErrorKind::ServerError, "the server stopped with an error"))
            }
            Some("content_filter") => {
                events[2] = Some(failed(ErrorKind::Policy, "the answer was cut off: content_filter"));
            }
            // Some servers send an empty reason in every chunk before the last.
            Some("") | None => {}
            Some(reason) => self.finished = Some(matches!(reason, "length" | "model_length")),
        }
        if value["stop"].as_bool() == Some(true) {
            // llama.cpp's own endpoints end here, without `[DONE]`.
            self.finished = Some(value["stop_type"] == "limit" || value["stopped_limit"] == true);
            events[2] = self.take();
        }
        events
    }

    /// Handles the end of the stream, which ends the answer with or without a reason.
    pub(super) fn done(&mut self) -> Option<Output> {
        self.unexplained = self.finished.is_none();
        self.finished.get_or_insert(false);
        self.take()
    }

    /// Returns the end, once it was announced.
    pub(super) fn take(&mut self) -> Option<Output> {
        let truncated = self.finished.take()?;
        if !self.declined.is_empty() {
            return Some(failed(ErrorKind::Policy, &self.declined));
        }
        let (model, unexplained) = (self.model.take(), self.unexplained);
        let usage = Usage { model, truncated, unexplained, ..std::mem::take(&mut self.usage) };
        Some(Output::Done(usage))
    }

    /// Whether the end was announced.
    pub(super) fn is_announced(&self) -> bool {
        self.finished.is_some()
    }

    /// The tokens, as far as reported.
    pub(super) fn so_far(&self) -> Usage {
        self.usage.tokens_alone()
    }

    fn count(&mut self, value: &Value) {
        let usage = &value["usage"];
        let tokens = |names: [&Value; 2]| names.into_iter().find_map(Value::as_u64);
        let set = |count: &mut u64, names: [&Value; 2]| *count = tokens(names).unwrap_or(*count);
        set(&mut self.usage.input_tokens, [&usage["prompt_tokens"], &value["tokens_evaluated"]]);
        set(
            &mut self.usage.cached_tokens,
            [&usage["prompt_tokens_details"]["cached_tokens"], &value["timings"]["cache_n"]],
        );
        set(
            &mut self.usage.cache_write_tokens,
            [&usage["prompt_tokens_details"]["cache_write_tokens"], &Value::Null],
        );
        set(&mut self.usage.output_tokens, [&usage["completion_tokens"], &value["tokens_predicted"]]);
        // Some servers count reasoning in the total alone (xAI's, Gemini's OpenAI API).
        if let (Some(total), Some(input)) = (usage["total_tokens"].as_u64(), usage["prompt_tokens"].as_u64())
        {
            let output = &mut self.usage.output_tokens;
            *output = (*output).max(total.saturating_sub(input));
        }
        self.usage.times = times(&value["timings"]).or(self.usage.times);
        if let Some(tier) = value["service_tier"].as_str() {
            self.usage.tier = Some(tier.to_owned());
        }
    }
}

/// The text of a message: a string, or parts of which some are text and others thinking.
fn text_of(content: &Value) -> Option<Cow<'_, str>> {
    if let Some(parts) = content.as_array() {
        let texts = parts.iter().filter(|it| it["type"] == "text").filter_map(|it| it["text"].as_str());
        return Some(texts.collect());
    }
    content.as_str().map(Cow::Borrowed)
}

/// The timings of an answer, as llama.cpp reports them.
fn times(timings: &Value) -> Option<ServerTimes> {
    let tokens = |name: &str| timings[name].as_u64();
    let took = |name: &str| Duration::try_from_secs_f64(timings[name].as_f64()? / 1e3).ok();
    Some(ServerTimes {
        read_tokens: tokens("prompt_n")?,
        reading: took("prompt_ms")?,
        written_tokens: tokens("predicted_n")?,
        writing: took("predicted_ms")?,
    })
}

fn failed(kind: ErrorKind, message: &str) -> Output {
    Output::Failed(Refusal::of(kind, message.to_owned()))
}
