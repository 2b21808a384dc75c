//! Parses and validates a request of Anthropic's Messages API.
//!
//! Only what ends at a breakpoint (`cache_control`) is cached, and each model has its own cache.

use serde_json::{Map, Value};

use crate::simulate::request::{Create, Item, Refusal, Role};

/// The fields of a request.
const FIELDS: [&str; 22] = [
    "cache_control",
    "container",
    "diagnostics",
    "inference_geo",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "output_config",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
    "user_profile_id",
    "workspace_id",
];
/// The blocks without text of their own for the engine.
const WORDLESS: [&str; 7] =
    ["image", "document", "search_result", "tool_use", "tool_result", "thinking", "redacted_thinking"];
/// The most blocks of a request with a breakpoint.
const BREAKPOINTS: usize = 4;

/// Converts the fields of a request.
pub(in crate::simulate::dialect) fn read(fields: &Map<String, Value>) -> Result<Create, Refusal> {
    if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(refusal(unknown, "Extra inputs are not permitted"));
    }
    let Some(model) = fields.get("model").and_then(Value::as_str).filter(|it| !it.is_empty()) else {
        return Err(refusal("model", "Field required"));
    };
    let most = match fields.get("max_tokens") {
        None => return Err(refusal("max_tokens", "Field required")),
        Some(Value::Number(most)) => most.as_u64().and_then(|it| usize::try_from(it).ok()),
        Some(_) => return Err(refusal("max_tokens", "Input should be a valid integer")),
    };
    let Some(most) = most.filter(|it| *it > 0) else {
        return Err(refusal("max_tokens", "Input should be greater than or equal to 1"));
    };
    one_of(fields, "service_tier", &["auto", "standard_only"])?;
    let parts = [
        ("thinking", "type", &["adaptive", "between_tools", "disabled", "enabled"][..]),
        ("output_config", "effort", &["low", "medium", "high", "xhigh", "max"]),
    ];
    for (name, field, values) in parts {
        match fields.get(name) {
            None => {}
            Some(Value::Object(part)) => one_of(part, field, values)?,
            Some(_) => return Err(refusal(name, "Input should be an object")),
        }
    }
    if let Some(Value::Object(metadata)) = fields.get("metadata")
        && let Some(unknown) = metadata.keys().find(|name| *name != "user_id")
    {
        return Err(refusal(&format!("metadata.{unknown}"), "Extra inputs are not permitted"));
    }
    let stops = fields.get("stop_sequences").and_then(Value::as_array).into_iter().flatten();
    if stops.clone().any(|stop| stop.as_str().is_none_or(|it| it.trim().is_empty())) {
        return Err(refusal("stop_sequences", "each stop sequence must contain non-whitespace"));
    }
    let stream = match fields.get("stream") {
        None => false,
        Some(Value::Bool(stream)) => *stream,
        Some(_) => return Err(refusal("stream", "Input should be a valid boolean")),
    };
    let mut caching = Caching::default();
    let (instructions, breakpoint) = match fields.get("system") {
        None => (String::new(), None),
        Some(system) => caching.content(system, "system")?,
    };
    // A breakpoint behind the system prompt is one of an empty item behind it.
    let system = breakpoint.map(|_| Item { role: Role::Input, text: String::new(), breakpoint: Some(0) });
    let mut input: Vec<Item> = system.into_iter().chain(caching.messages(fields.get("messages"))?).collect();
    if let Some(control) = fields.get("cache_control")
        && let Some(last) = input.last_mut()
    {
        caching.control(control, "cache_control")?;
        last.breakpoint = Some(last.text.len());
    }
    if caching.breakpoints > BREAKPOINTS {
        let words = format!(
            "A maximum of {BREAKPOINTS} blocks with cache_control may be provided. Found {}.",
            caching.breakpoints
        );
        return Err(Refusal::new("", words, ""));
    }
    Ok(Create {
        model: model.to_owned(),
        instructions,
        input,
        generate: true,
        stream,
        max_output_tokens: Some(most),
        // Without a breakpoint, nothing is read from the cache either: under this key there is nothing.
        prompt_cache_key: if caching.breakpoints > 0 { model.to_owned() } else { String::new() },
        caches_on_demand: true,
        is_retained: caching.is_retained,
        ..Create::default()
    })
}

fn refusal(field: &str, words: &str) -> Refusal {
    Refusal::new("", format!("{field}: {words}"), "")
}

fn one_of(fields: &Map<String, Value>, name: &str, values: &[&str]) -> Result<(), Refusal> {
    match fields.get(name) {
        Some(value) if !value.as_str().is_some_and(|it| values.contains(&it)) => {
            let listed: Vec<String> = values.iter().map(|it| format!("'{it}'")).collect();
            Err(refusal(name, &format!("Input should be {}", listed.join(" or "))))
        }
        _ => Ok(()),
    }
}

/// The breakpoints of a request.
#[derive(Default)]
struct Caching {
    breakpoints: usize,
    /// Whether one asks for long retention.
    is_retained: bool,
}

impl Caching {
    fn messages(&mut self, messages: Option<&Value>) -> Result<Vec<Item>, Refusal> {
        let messages = messages.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if messages.is_empty() {
            return Err(refusal("messages", "at least one message is required"));
        }
        let item = |(index, message): (usize, &Value)| {
            let at = format!("messages.{index}");
            let role = match message["role"].as_str() {
                Some("user" | "system") => Role::Input,
                Some("assistant") if index > 0 => Role::Assistant,
                Some("assistant") => {
                    return Err(refusal("messages", "first message must use the \"user\" role"));
                }
                _ => {
                    return Err(refusal(
                        &format!("{at}.role"),
                        "Input should be 'user', 'assistant' or 'system'",
                    ));
                }
            };
            let (text, breakpoint) = self.content(&message["content"], &format!("{at}.content"))?;
            Ok(Item { role, text, breakpoint })
        };
        messages.iter().enumerate().map(item).collect()
    }

    /// The text of a content, and the length of the text up to its last breakpoint.
    fn content(&mut self, content: &Value, at: &str) -> Result<(String, Option<usize>), Refusal> {
        let blocks = match content {
            Value::String(text) => return Ok((text.clone(), None)),
            Value::Array(blocks) => blocks,
            _ => return Err(refusal(at, "Input should be a valid string or list")),
        };
        let (mut text, mut breakpoint) = (String::new(), None);
        for (index, block) in blocks.iter().enumerate() {
            let at = format!("{at}.{index}");
            match (block["type"].as_str(), block["text"].as_str()) {
                (Some("text"), Some("")) => {
                    return Err(refusal("messages", "text content blocks must be non-empty"));
                }
                (Some("text"), Some(part)) => text += part,
                (Some("text"), None) => return Err(refusal(&format!("{at}.text"), "Field required")),
                (Some(kind), _) if WORDLESS.contains(&kind) => {}
                _ => return Err(refusal(&format!("{at}.type"), "Input does not match any of the blocks")),
            }
            if let Some(control) = block.get("cache_control").filter(|it| !it.is_null()) {
                self.control(control, &format!("{at}.cache_control"))?;
                breakpoint = Some(text.len());
            }
        }
        Ok((text, breakpoint))
    }

    fn control(&mut self, control: &Value, at: &str) -> Result<(), Refusal> {
        if control["type"] != "ephemeral" {
            return Err(refusal(&format!("{at}.type"), "Input should be 'ephemeral'"));
        }
        match control.get("ttl").map(Value::as_str) {
            None | Some(Some("5m")) => {}
            Some(Some("1h")) => self.is_retained = true,
            Some(_) => return Err(refusal(&format!("{at}.ttl"), "Input should be '5m' or '1h'")),
        }
        self.breakpoints += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(change: impl FnOnce(&mut Value)) -> Result<Create, String> {
        let mut fields =
            json!({"model": "m", "max_tokens": 16, "messages": [{"role": "user", "content": "x"}]});
        change(&mut fields);
        super::read(fields.as_object().unwrap()).map_err(|refusal| refusal.message)
    }

    #[test]
    fn requests_are_refused_as_by_the_service() {
        let check = |name: &str, value: Value, expected: &str| {
            assert_eq!(read(|it| it[name] = value).unwrap_err(), expected);
        };
        let remove = |name: &str| read(|it| drop(it.as_object_mut().unwrap().remove(name))).unwrap_err();
        assert_eq!(remove("model"), "model: Field required");
        assert_eq!(remove("max_tokens"), "max_tokens: Field required");
        assert_eq!(remove("messages"), "messages: at least one message is required");
        check("prediction", json!({}), "prediction: Extra inputs are not permitted");
        check("max_tokens", json!(0), "max_tokens: Input should be greater than or equal to 1");
        check("max_tokens", json!("9"), "max_tokens: Input should be a valid integer");
        check("stream", json!(1), "stream: Input should be a valid boolean");
        check("service_tier", json!("fast"), "service_tier: Input should be 'auto' or 'standard_only'");
        check(
            "thinking",
            json!({"type": "off"}),
            "type: Input should be 'adaptive' or 'between_tools' or 'disabled' or 'enabled'",
        );
        check(
            "output_config",
            json!({"effort": "none"}),
            "effort: Input should be 'low' or 'medium' or 'high' or 'xhigh' or 'max'",
        );
        check("metadata", json!({"job": "x"}), "metadata.job: Extra inputs are not permitted");
        check(
            "stop_sequences",
            json!(["\n"]),
            "stop_sequences: each stop sequence must contain non-whitespace",
        );
        check("system", json!(7), "system: Input should be a valid string or list");
        let messages = |role: &str, content: Value| json!([{"role": role, "content": content}]);
        check(
            "messages",
            messages("developer", json!("x")),
            "messages.0.role: Input should be 'user', 'assistant' or 'system'",
        );
        check(
            "messages",
            messages("assistant", json!("x")),
            "messages: first message must use the \"user\" role",
        );
        let block = |block: Value| messages("user", json!([block]));
        check(
            "messages",
            block(json!({"type": "text", "text": ""})),
            "messages: text content blocks must be non-empty",
        );
        check("messages", block(json!({"type": "text"})), "messages.0.content.0.text: Field required");
        check(
            "messages",
            block(json!({"type": "input_text", "text": "x"})),
            "messages.0.content.0.type: Input does not match any of the blocks",
        );
        let kept = |control: Value| json!({"type": "text", "text": "x", "cache_control": control});
        check(
            "messages",
            block(kept(json!({"type": "forever"}))),
            "messages.0.content.0.cache_control.type: Input should be 'ephemeral'",
        );
        check(
            "messages",
            block(kept(json!({"type": "ephemeral", "ttl": "2h"}))),
            "messages.0.content.0.cache_control.ttl: Input should be '5m' or '1h'",
        );
        check(
            "messages",
            messages("user", vec![kept(json!({"type": "ephemeral"})); 5].into()),
            "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        );
    }

    #[test]
    fn breakpoints_are_where_they_were_set() {
        let control = json!({"type": "ephemeral", "ttl": "1h"});
        let create = read(|it| {
            it["system"] = json!([{"type": "text", "text": "rules", "cache_control": control}]);
            it["messages"][0]["content"] = json!([{"type": "text", "text": "ab", "cache_control": control},
                {"type": "image"}, {"type": "text", "text": "c"}]);
        });
        let create = create.unwrap();
        let items: Vec<_> = create.input.iter().map(|it| (it.text.as_str(), it.breakpoint)).collect();
        assert_eq!(
            (create.instructions.as_str(), &items[..]),
            ("rules", &[("", Some(0)), ("abc", Some(2))][..])
        );
        assert!(create.is_retained);
        let last = read(|it| it["cache_control"] = json!({"type": "ephemeral"})).unwrap();
        assert_eq!((last.input[0].breakpoint, last.is_retained), (Some(1), false));
    }
}
