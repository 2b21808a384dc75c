//! The other APIs in front of the same engine: their requests are converted to [`Create`], and its events to
//! their formats.

pub(super) mod messages;

use serde_json::{Map, Value, json};

use super::event::error_object;
use super::request::{Create, Item, Refusal, Role, Transport};
use crate::trained;

/// The API of a request over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Responses,
    /// `/chat/completions`.
    Chat,
    /// `/fim/completions`: its chunks have the chat format.
    Mistral,
    /// `/completions` with a suffix.
    Completions,
    /// `/infill` of llama.cpp.
    Infill,
    /// `/edit/completions` of Inception.
    Edit,
    /// `/messages` of Anthropic.
    Messages,
}

impl Dialect {
    /// The API that serves a path, except the Responses API.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        let known = [
            ("/chat/completions", Self::Chat),
            ("/fim/completions", Self::Mistral),
            ("/edit/completions", Self::Edit),
            ("/completions", Self::Completions),
            ("/infill", Self::Infill),
            ("/messages", Self::Messages),
        ];
        known.into_iter().find(|(end, _)| path.ends_with(end)).map(|(_, dialect)| dialect)
    }

    /// Converts a request's fields.
    pub(super) fn read(self, mut fields: Map<String, Value>) -> Result<Create, Refusal> {
        match self {
            Self::Responses => return Create::read(fields, Transport::Http),
            Self::Messages => return messages::read::read(&fields),
            _ => {}
        }
        let stream = fields.get("stream") == Some(&Value::Bool(true));
        let cap = ["max_tokens", "max_completion_tokens", "n_predict"];
        let cap = cap.into_iter().find_map(|name| fields.get(name)?.as_u64());
        let model = match (fields.remove("model"), self) {
            (Some(Value::String(model)), _) => model,
            // A llama.cpp server has a single model, so its name is optional.
            (None, Self::Infill) => super::MODEL.to_owned(),
            _ => return Err(Refusal::new("missing_required_parameter", "A model is needed.", "model")),
        };
        let text = |name: &str| match fields.get(name) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(Refusal::new(
                "invalid_type",
                format!("Invalid type for '{name}': expected a string."),
                name,
            )),
        };
        let mut create = Create {
            model,
            generate: true,
            stream,
            max_output_tokens: cap.and_then(|cap| usize::try_from(cap).ok()),
            ..Create::default()
        };
        match self {
            Self::Chat => read_messages(fields.get("messages"), &mut create)?,
            Self::Edit => {
                if stream {
                    return Err(Refusal::new("invalid_value", "Edits are not streamed.", "stream"));
                }
                read_messages(fields.get("messages"), &mut create)?;
                let is_tagged =
                    |item: &Item| item.role == Role::Input && trained::parse(&item.text).is_some();
                if !create.instructions.is_empty() || !matches!(&create.input[..], [one] if is_tagged(one)) {
                    let words = "One message of the user is needed, with the tags of an edit.";
                    return Err(Refusal::new("invalid_value", words, "messages"));
                }
            }
            Self::Infill => {
                create.fim = Some((text("input_prefix")? + &text("prompt")?, text("input_suffix")?))
            }
            _ => create.fim = Some((text("prompt")?, text("suffix")?)),
        }
        if let Some((prefix, suffix)) = &create.fim {
            let told = |text: &String| Item { role: Role::Input, text: text.clone(), breakpoint: None };
            create.input = vec![told(prefix), told(suffix)];
        }
        Ok(create)
    }

    /// Converts an event of a response to a part of the stream; `None` if this API has no such event.
    pub(super) fn event(self, kind: &str, json: String, model: &str) -> Option<String> {
        if self == Self::Responses {
            return Some(format!("event: {kind}\ndata: {json}\n\n"));
        }
        let event: Value = serde_json::from_str(&json).ok()?;
        if self == Self::Messages {
            return messages::events(kind, &event);
        }
        let data = |value: Value| format!("data: {value}\n\n");
        let response = &event["response"];
        match kind {
            "response.output_text.delta" => Some(data(self.chunk(event["delta"].clone(), None, model))),
            "response.completed" | "response.incomplete" => {
                let reason = if kind == "response.completed" { "stop" } else { "length" };
                if self == Self::Infill {
                    return Some(data(self.whole(response, "", reason)));
                }
                let last = self.chunk(Value::from(""), Some(reason), model);
                let usage = json!({"object": last["object"], "id": last["id"], "model": response["model"],
                    "choices": [], "usage": usage(response), "timings": response["timings"]});
                Some(format!("{}{}data: [DONE]\n\n", data(last), data(usage)))
            }
            "response.failed" => Some(data(json!({"error": response["error"]}))),
            "error" => Some(data(json!({"error": event["error"]}))),
            _ => None,
        }
    }

    /// The status and the body of a refusal. `request` is its identifier.
    pub(super) fn refused(self, refusal: &Refusal, request: &str) -> (u16, Value) {
        match self {
            Self::Messages => messages::refused(refusal, request),
            _ => (refusal.status, json!({"error": error_object(refusal)})),
        }
    }

    fn chunk(self, text: Value, reason: Option<&str>, model: &str) -> Value {
        let (created, id) = (0, "chunk");
        match self {
            Self::Infill => json!({"content": text, "stop": false, "tokens": []}),
            Self::Completions => json!({"id": id, "object": "text_completion", "created": created,
                "model": model, "choices": [{"index": 0, "text": text, "finish_reason": reason, "logprobs": null}]}),
            _ => {
                json!({"id": id, "object": "chat.completion.chunk", "created": created, "model": model,
                "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": reason}]})
            }
        }
    }

    /// The complete answer as one object.
    pub(super) fn whole(self, response: &Value, text: &str, reason: &str) -> Value {
        let model = &response["model"];
        match self {
            Self::Responses => response.clone(),
            Self::Messages => messages::whole(response, text, reason),
            Self::Infill => json!({"content": text, "stop": true, "model": model,
                "stop_type": if reason == "length" { "limit" } else { "eos" },
                "tokens_predicted": response["usage"]["output_tokens"],
                "tokens_evaluated": response["usage"]["input_tokens"],
                "timings": timings(response)}),
            Self::Completions => {
                json!({"id": "whole", "object": "text_completion", "created": 0, "model": model,
                "choices": [{"index": 0, "text": text, "finish_reason": reason, "logprobs": null}],
                "usage": usage(response)})
            }
            _ => json!({"id": "whole", "object": "chat.completion", "created": 0, "model": model,
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}],
                "usage": usage(response)}),
        }
    }
}

/// Converts the messages of a chat to instructions and input items.
fn read_messages(messages: Option<&Value>, create: &mut Create) -> Result<(), Refusal> {
    let Some(Value::Array(messages)) = messages else {
        return Err(Refusal::new("missing_required_parameter", "Messages are needed.", "messages"));
    };
    for message in messages {
        let text = content(&message["content"]);
        match message["role"].as_str() {
            Some("system" | "developer") => create.instructions.push_str(&text),
            Some("user" | "tool") => create.input.push(Item { role: Role::Input, text, breakpoint: None }),
            Some("assistant") => create.input.push(Item { role: Role::Assistant, text, breakpoint: None }),
            _ => {
                let words = "A message has one of the roles system, developer, user, assistant, tool.";
                return Err(Refusal::new("invalid_value", words, "messages"));
            }
        }
    }
    Ok(())
}

fn usage(response: &Value) -> Value {
    let usage = &response["usage"];
    json!({
        "prompt_tokens": usage["input_tokens"],
        "completion_tokens": usage["output_tokens"],
        "total_tokens": usage["total_tokens"],
        "prompt_tokens_details": {
            "cached_tokens": usage["input_tokens_details"]["cached_tokens"],
            "cache_write_tokens": usage["input_tokens_details"]["cache_write_tokens"],
        },
    })
}

/// The `timings` object of llama.cpp's own endpoints, with at least the number of cached tokens.
fn timings(response: &Value) -> Value {
    match &response["timings"] {
        Value::Null => json!({"cache_n": response["usage"]["input_tokens_details"]["cached_tokens"]}),
        timings => timings.clone(),
    }
}

/// The text of a message's content: a string, or the text parts of an array.
fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
