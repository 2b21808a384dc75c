//! Parses and validates a request.
//!
//! The real service refuses unknown fields and values of the wrong type, and so does this one: a client that
//! works here does not depend on leniency.

use serde_json::{Map, Value, json};

/// The transport of a request; some fields are valid on the socket only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Socket,
    Http,
}

/// A request for one response.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Create {
    pub(super) model: String,
    pub(super) instructions: String,
    pub(super) input: Vec<Item>,
    pub(super) previous_response_id: Option<String>,
    /// False for a warm-up, which processes the input and generates nothing.
    pub(super) generate: bool,
    /// Over HTTP: whether to send events, or one object at the end.
    pub(super) stream: bool,
    pub(super) max_output_tokens: Option<usize>,
    pub(super) prompt_cache_key: String,
    /// Whether the request has a `prompt_cache_key`.
    pub(super) has_cache_key: bool,
    /// Whether only prefixes that end at a breakpoint are cached.
    pub(super) caches_on_demand: bool,
    /// Whether the request asks for long cache retention.
    pub(super) is_retained: bool,
    /// The prefix and suffix of a fill-in-the-middle request.
    pub(super) fim: Option<(String, String)>,
    /// The fields that the response object repeats.
    pub(super) echoed: Map<String, Value>,
}

/// One item of the conversation, reduced to its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) role: Role,
    pub(super) text: String,
    /// The length in bytes of the text up to its last cache breakpoint.
    pub(super) breakpoint: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Input from a user, a developer or a tool.
    Input,
    /// Output of the model.
    Assistant,
}

/// The reason for a refusal: the `error` object of the answer, with its HTTP status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) param: Option<String>,
}

impl Refusal {
    pub(super) fn new(code: &'static str, message: impl Into<String>, param: &str) -> Self {
        let param = (!param.is_empty()).then(|| param.to_owned());
        Self { status: 400, code, message: message.into(), param }
    }
}

/// Fields of a request on both transports.
const SHARED: [&str; 34] = [
    "access_programs",
    "background",
    "context_management",
    "conversation",
    "image",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "moderation",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
    // Not in the public schema, but sent by a popular client and tolerated by the service.
    "client_metadata",
];

/// Fields of a request that only the socket has.
const SOCKET_ONLY: [&str; 3] = ["type", "generate", "stream_id"];

/// Fields that a response object always has: as they were sent, or else with the service's defaults.
fn defaults() -> [(&'static str, Value); 20] {
    [
        ("frequency_penalty", 0.0.into()),
        ("instructions", Value::Null),
        ("max_output_tokens", Value::Null),
        ("max_tool_calls", Value::Null),
        ("metadata", json!({})),
        ("parallel_tool_calls", true.into()),
        ("presence_penalty", 0.0.into()),
        ("previous_response_id", Value::Null),
        ("prompt_cache_key", Value::Null),
        ("reasoning", Value::Null),
        ("safety_identifier", Value::Null),
        ("store", true.into()),
        ("temperature", 1.0.into()),
        ("text", json!({})),
        ("tool_choice", "auto".into()),
        ("tools", json!([])),
        ("top_logprobs", 0.into()),
        ("top_p", 1.0.into()),
        ("truncation", "disabled".into()),
        ("user", Value::Null),
    ]
}

impl Create {
    pub(super) fn read(mut fields: Map<String, Value>, transport: Transport) -> Result<Self, Refusal> {
        fields.retain(|_, value| !value.is_null());
        let known = |name: &str| {
            SHARED.contains(&name) || (transport == Transport::Socket && SOCKET_ONLY.contains(&name))
        };
        if let Some(unknown) = fields.keys().find(|name| !known(name)) {
            return Err(Refusal::new(
                "unknown_parameter",
                format!("Unknown parameter: '{unknown}'."),
                unknown,
            ));
        }
        if flag(&fields, "background")?.unwrap_or(false) {
            return Err(Refusal::new(
                "unsupported_parameter",
                "There are no background responses here.",
                "background",
            ));
        }
        let Some(model) = string(&fields, "model")?.filter(|model| !model.is_empty()) else {
            let message = "Missing required parameter: 'model'.";
            return Err(Refusal::new("missing_required_parameter", message, "model"));
        };
        let prewarm = fields.get("prompt_cache_options").and_then(|options| options.get("prewarm"));
        let generate = flag(&fields, "generate")?.unwrap_or(true) && prewarm != Some(&Value::Bool(true));
        let mut create = Self {
            model,
            instructions: string(&fields, "instructions")?.unwrap_or_default(),
            input: input(fields.get("input"))?,
            previous_response_id: string(&fields, "previous_response_id")?,
            generate,
            stream: flag(&fields, "stream")?.unwrap_or(false),
            max_output_tokens: positive(&fields, "max_output_tokens")?,
            prompt_cache_key: string(&fields, "prompt_cache_key")?.unwrap_or_default(),
            has_cache_key: fields.contains_key("prompt_cache_key"),
            caches_on_demand: fields.get("prompt_cache_options").is_some_and(|it| it["mode"] == "explicit"),
            is_retained: fields.get("prompt_cache_options").is_some_and(|it| it["ttl"] == "12h"),
            ..Self::default()
        };
        let tier = string(&fields, "service_tier")?.filter(|tier| tier != "auto");
        flag(&fields, "store")?;
        create.echoed = echo(fields);
        create.echoed.insert("service_tier".into(), tier.unwrap_or_else(|| "default".into()).into());
        Ok(create)
    }
}

fn echo(mut fields: Map<String, Value>) -> Map<String, Value> {
    let field = |(name, default): (&str, Value)| (name.to_owned(), fields.remove(name).unwrap_or(default));
    let mut echoed: Map<String, Value> = defaults().into_iter().map(field).collect();
    // Fields that these objects always have.
    let within = [
        ("text", "format", json!({"type": "text"})),
        ("reasoning", "effort", json!(null)),
        ("reasoning", "summary", json!(null)),
    ];
    for (name, field, default) in within {
        if let Some(Value::Object(fields)) = echoed.get_mut(name) {
            fields.entry(field).or_insert(default);
        }
    }
    for tool in echoed.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(fields) = tool
            && fields.get("type") == Some(&json!("function"))
        {
            for field in ["description", "parameters", "strict"] {
                fields.entry(field).or_insert(Value::Null);
            }
        }
    }
    echoed
}

/// Parses `input`: a string, or an array of messages and other items.
fn input(value: Option<&Value>) -> Result<Vec<Item>, Refusal> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => {
            Ok(vec![Item { role: Role::Input, text: text.clone(), breakpoint: None }])
        }
        Some(Value::Array(items)) => {
            items.iter().enumerate().map(|(index, value)| item(value, &format!("input[{index}]"))).collect()
        }
        Some(_) => Err(wrong_type("a string or a list of items", "input")),
    }
}

fn item(value: &Value, at: &str) -> Result<Item, Refusal> {
    let Value::Object(fields) = value else { return Err(wrong_type("an object", at)) };
    match fields.get("type").map_or(Some("message"), Value::as_str) {
        Some("message") => message(fields, at),
        Some("function_call_output" | "custom_tool_call_output") => {
            let text = fields.get("output").and_then(Value::as_str).unwrap_or_default();
            Ok(Item { role: Role::Input, text: text.to_owned(), breakpoint: None })
        }
        // The engine has no tools and does not reason; such items are accepted and ignored.
        Some(_) => Ok(Item { role: Role::Assistant, text: String::new(), breakpoint: None }),
        None => Err(wrong_type("a string", &format!("{at}.type"))),
    }
}

fn message(fields: &Map<String, Value>, at: &str) -> Result<Item, Refusal> {
    let role = match fields.get("role").and_then(Value::as_str) {
        Some("user" | "developer" | "system") => Role::Input,
        Some("assistant") => Role::Assistant,
        _ => {
            let message = "A message has one of the roles 'user', 'developer', 'system' and 'assistant'.";
            return Err(Refusal::new("invalid_value", message, &format!("{at}.role")));
        }
    };
    let (mut text, mut breakpoint) = (String::new(), None);
    match fields.get("content") {
        Some(Value::String(whole)) => text.clone_from(whole),
        Some(Value::Array(parts)) => {
            for (index, value) in parts.iter().enumerate() {
                let at = format!("{at}.content[{index}]");
                text += part(value, role, &at)?;
                match value.get("prompt_cache_breakpoint") {
                    None => {}
                    Some(mode) if mode["mode"] == "explicit" => breakpoint = Some(text.len()),
                    Some(_) => return Err(wrong_type("a mode", &format!("{at}.prompt_cache_breakpoint"))),
                }
            }
        }
        _ => return Err(wrong_type("a string or a list of parts", &format!("{at}.content"))),
    }
    Ok(Item { role, text, breakpoint })
}

fn part<'a>(value: &'a Value, role: Role, at: &str) -> Result<&'a str, Refusal> {
    let kind = value.get("type").and_then(Value::as_str);
    let text = value.get("text").or_else(|| value.get("refusal")).and_then(Value::as_str);
    match (kind, role) {
        (Some("input_text"), Role::Input) | (Some("output_text" | "refusal"), Role::Assistant) => {
            text.ok_or_else(|| wrong_type("a string", &format!("{at}.text")))
        }
        (Some("input_image" | "input_file" | "input_audio"), Role::Input) => Ok(""),
        _ => {
            let expected = if role == Role::Input { "input_text" } else { "output_text" };
            let message = format!("Invalid value: {}. Supported here is '{expected}'.", value["type"]);
            Err(Refusal::new("invalid_value", message, &format!("{at}.type")))
        }
    }
}

fn string(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, Refusal> {
    match fields.get(name) {
        None => Ok(None),
        Some(Value::String(value)) => Ok(Some(value.clone())),
        Some(_) => Err(wrong_type("a string", name)),
    }
}

fn flag(fields: &Map<String, Value>, name: &str) -> Result<Option<bool>, Refusal> {
    match fields.get(name) {
        None => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(_) => Err(wrong_type("a boolean", name)),
    }
}

fn positive(fields: &Map<String, Value>, name: &str) -> Result<Option<usize>, Refusal> {
    let Some(value) = fields.get(name) else { return Ok(None) };
    match value.as_u64().map(usize::try_from) {
        Some(Ok(0)) => Err(Refusal::new("integer_below_min_value", format!("'{name}' is at least 1."), name)),
        Some(Ok(value)) => Ok(Some(value)),
        _ => Err(wrong_type("an integer", name)),
    }
}

fn wrong_type(expected: &str, param: &str) -> Refusal {
    Refusal::new("invalid_type", format!("Invalid type for '{param}': expected {expected}."), param)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value, transport: Transport) -> Result<Create, Refusal> {
        let Value::Object(fields) = value else { panic!("not an object") };
        Create::read(fields, transport)
    }

    #[test]
    fn reads_messages_and_plain_text() {
        let create = read(
            json!({"type": "response.create", "model": "m", "generate": false, "service_tier": "fast", "user": null,
                "input": [
                    {"role": "developer", "content": "rules"},
                    {"type": "message", "role": "user", "content": [
                        {"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "c"}]}]}),
            Transport::Socket,
        );
        let create = create.unwrap();
        let texts: Vec<_> = create.input.iter().map(|item| (item.role, item.text.as_str())).collect();
        assert_eq!(texts, [(Role::Input, "rules"), (Role::Input, "ab"), (Role::Assistant, "c")]);
        assert!(!create.generate);
        assert_eq!(create.echoed["service_tier"], "fast");
        assert_eq!(create.echoed["tool_choice"], "auto");
        let plain = read(json!({"model": "m", "input": "text"}), Transport::Http).unwrap();
        assert_eq!(plain.input, [Item { role: Role::Input, text: "text".into(), breakpoint: None }]);
        assert_eq!(plain.echoed["service_tier"], "default");
    }

    #[test]
    fn refuses_what_the_service_refuses() {
        let check = |value: Value, transport: Transport, code: &str, param: &str| {
            let refusal = read(value, transport).unwrap_err();
            assert_eq!((refusal.code, refusal.param.as_deref()), (code, Some(param)), "{refusal:?}");
        };
        check(json!({"input": "x"}), Transport::Http, "missing_required_parameter", "model");
        check(json!({"model": "", "input": "x"}), Transport::Http, "missing_required_parameter", "model");
        check(json!({"model": "m", "prediction": {}}), Transport::Socket, "unknown_parameter", "prediction");
        check(json!({"model": "m", "response": {}}), Transport::Socket, "unknown_parameter", "response");
        check(json!({"model": "m", "generate": false}), Transport::Http, "unknown_parameter", "generate");
        check(
            json!({"model": "m", "background": true}),
            Transport::Socket,
            "unsupported_parameter",
            "background",
        );
        check(
            json!({"model": "m", "max_output_tokens": "9"}),
            Transport::Http,
            "invalid_type",
            "max_output_tokens",
        );
        check(
            json!({"model": "m", "max_output_tokens": 0}),
            Transport::Http,
            "integer_below_min_value",
            "max_output_tokens",
        );
        check(json!({"model": "m", "input": 3}), Transport::Http, "invalid_type", "input");
        let text_part = json!([{"role": "user", "content": [{"type": "text", "text": "x"}]}]);
        check(
            json!({"model": "m", "input": text_part}),
            Transport::Http,
            "invalid_value",
            "input[0].content[0].type",
        );
        let no_role = json!([{"content": "x"}]);
        check(json!({"model": "m", "input": no_role}), Transport::Http, "invalid_value", "input[0].role");
    }
}
