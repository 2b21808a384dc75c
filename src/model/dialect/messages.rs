//! Anthropic's Messages API over HTTP ([other dialects](crate::model#other-dialects)).
//!
//! Thinking is off unless the request is deep or the user set an effort: thinking takes time,
//! counts as output, and is not shown.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::answer::Output;
use super::body::{take, write};
use crate::config::Endpoint;
use crate::model::error_kind::{ErrorKind, Refusal, refusal};
use crate::model::fields::{Field, Fields};
use crate::model::{Request, Urgency, Usage, requester};

/// The API version, which every request has to name.
pub(in crate::model) const VERSION: &str = "2023-06-01";

/// The effort that turns thinking off.
const NO_EFFORT: &str = "none";
/// The least effort of models that always think.
const LEAST_EFFORT: &str = "low";
/// Tokens that such a model may spend on thinking at that effort before it writes.
const LEAST_THOUGHT: u32 = 2_048;

#[derive(Serialize)]
struct CreateMessage<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    system: &'a str,
    messages: [Message<'a>; 1],
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop_sequences: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<BTreeMap<&'a str, String>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Block<'a> {
    r#type: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl<'a>>,
}

/// Marks the end of the cached part: everything before it, including the system prompt.
#[derive(Serialize)]
struct CacheControl<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<&'a str>,
}

#[derive(Serialize)]
struct Thinking {
    r#type: &'static str,
}

#[derive(Serialize)]
struct OutputConfig {
    effort: String,
}

pub(super) fn body(endpoint: &Endpoint, fields: &Fields, request: &Request) -> Result<Vec<u8>, Refusal> {
    let effort = fields.effort();
    let is_to_think = match effort.as_deref() {
        Some(effort) => effort != NO_EFFORT,
        None => request.urgency == Urgency::Deep,
    };
    let thinking = fields.no_thinking().filter(|_| !is_to_think).map(|r#type| Thinking { r#type });
    let always_thinks = !is_to_think && thinking.is_none();
    let room = if always_thinks { LEAST_THOUGHT } else { 0 };
    let least = || always_thinks.then(|| LEAST_EFFORT.to_owned());
    let effort = effort.filter(|it| it != NO_EFFORT).map(own_effort).or_else(least);
    let effort = effort.and_then(|effort| take(fields, Field::ReasoningEffort, effort));
    let (stable, rest) = request.input.split_at(request.stable);
    let cache_control = CacheControl { r#type: "ephemeral", ttl: endpoint.cache_ttl.as_deref() };
    let kept = Block { r#type: "text", text: stable, cache_control: Some(cache_control) };
    let content = [kept, Block { r#type: "text", text: rest, cache_control: None }];
    write(
        request,
        &CreateMessage {
            model: &endpoint.model,
            // A required field.
            max_tokens: fields.output_tokens(request.max_output_tokens.saturating_add(room)),
            system: &request.instructions,
            // Blocks without text are refused.
            messages: [Message {
                role: "user",
                content: content.into_iter().filter(|it| !it.text.is_empty()).collect(),
            }],
            stream: true,
            // Blank stop sequences are refused as well.
            stop_sequences: take(fields, Field::Stop, &request.stop)
                .into_iter()
                .flatten()
                .map(String::as_str)
                .filter(|stop| !stop.trim().is_empty())
                .collect(),
            thinking,
            output_config: effort.map(|effort| OutputConfig { effort }),
            service_tier: fields.tier(),
            metadata: take(fields, Field::Metadata, requester::metadata(endpoint, request))
                .filter(|it| !it.is_empty()),
        },
    )
}

/// Translates an effort of other APIs to the name that this API has for it.
fn own_effort(effort: String) -> String {
    match effort.as_str() {
        "minimal" => LEAST_EFFORT.to_owned(),
        "ultra" => "max".to_owned(),
        _ => effort,
    }
}

/// The state of an answer that is being read.
#[derive(Debug, Default)]
pub(super) struct MessagesAnswer {
    usage: Usage,
    /// Whether some of its text was passed on.
    has_text: bool,
    /// Whether the end was announced, and whether the reason was the token limit.
    finished: Option<bool>,
}

impl MessagesAnswer {
    /// Reads an event or a whole answer. Unknown events are ignored, as the API requires.
    pub(super) fn read(&mut self, event: &Value, mut out: impl FnMut(Output)) {
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                if std::mem::take(&mut self.has_text) {
                    // A gateway that repeats the request in the middle of an answer starts it over.
                    out(Output::Restart);
                }
                self.begin(&event["message"], &mut out);
            }
            "content_block_start" => self.text(&event["content_block"], &mut out),
            "content_block_delta" => self.text(&event["delta"], &mut out),
            "message_delta" => {
                self.count(&event["usage"]);
                self.stop(&event["delta"], &mut out);
            }
            "message_stop" => out(self.done()),
            // An answer that is not streamed.
            "message" => {
                self.begin(event, &mut out);
                event["content"].as_array().into_iter().flatten().for_each(|it| self.text(it, &mut out));
                self.stop(event, &mut out);
                out(self.done());
            }
            "error" => out(Output::Failed(refusal(None, event))),
            // Some gateways refuse midway with an error of another form.
            "" if !event["error"].is_null() => out(Output::Failed(refusal(None, event))),
            _ => {}
        }
    }

    fn begin(&mut self, message: &Value, out: &mut impl FnMut(Output)) {
        self.count(&message["usage"]);
        if let Some(model) = message["model"].as_str().filter(|it| !it.is_empty()) {
            self.usage.model = Some(model.to_owned());
            out(Output::Serves { model: model.to_owned() });
        }
    }

    /// Passes on the text of a block or a delta. Thinking and its signatures have no text.
    fn text(&mut self, part: &Value, out: &mut impl FnMut(Output)) {
        if let Some(text) = part["text"].as_str().filter(|it| !it.is_empty()) {
            self.has_text = true;
            out(Output::Text(text.to_owned()));
        }
    }

    fn stop(&mut self, delta: &Value, out: &mut impl FnMut(Output)) {
        match delta["stop_reason"].as_str() {
            Some("refusal") => {
                let message = "the answer was cut off: refusal".to_owned();
                out(Output::Failed(Refusal::of(ErrorKind::Policy, message)));
            }
            Some(reason) => {
                self.finished = Some(matches!(reason, "max_tokens" | "model_context_window_exceeded"));
            }
            None => {}
        }
    }

    /// Handles the end of the stream, which ends the answer with or without a reason.
    pub(super) fn done(&mut self) -> Output {
        let unexplained = self.finished.is_none();
        let truncated = self.finished.take().unwrap_or_default();
        Output::Done(Usage { truncated, unexplained, ..std::mem::take(&mut self.usage) })
    }

    /// Handles the mark with which other APIs end a stream, and gateways this one. What has not begun does not end.
    pub(super) fn marked(&mut self) -> Option<Output> {
        let has_begun = self.has_text || self.finished.is_some() || self.usage.model.is_some();
        has_begun.then(|| self.done())
    }

    /// Returns the end, if it was announced.
    pub(super) fn take(&mut self) -> Option<Output> {
        self.finished.is_some().then(|| self.done())
    }

    /// Whether the end was announced.
    pub(super) fn is_announced(&self) -> bool {
        self.finished.is_some()
    }

    /// The tokens, as far as reported.
    pub(super) fn so_far(&self) -> Usage {
        self.usage.tokens_alone()
    }

    /// Counts tokens. Later figures are totals, and cached tokens are counted apart from the other input.
    fn count(&mut self, usage: &Value) {
        let (cached, written) = (&usage["cache_read_input_tokens"], &usage["cache_creation_input_tokens"]);
        let Usage { input_tokens, cached_tokens, cache_write_tokens, output_tokens, .. } = &mut self.usage;
        let fresh = usage["input_tokens"].as_u64();
        let known = input_tokens.saturating_sub(*cached_tokens).saturating_sub(*cache_write_tokens);
        *cached_tokens = cached.as_u64().unwrap_or(*cached_tokens);
        *cache_write_tokens = written.as_u64().unwrap_or(*cache_write_tokens);
        *input_tokens =
            fresh.unwrap_or(known).saturating_add(*cached_tokens).saturating_add(*cache_write_tokens);
        *output_tokens = usage["output_tokens"].as_u64().unwrap_or(*output_tokens);
        if let Some(tier) = usage["service_tier"].as_str() {
            self.usage.tier = Some(tier.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::json;

    use super::*;

    fn asked(model: &str, change: impl FnOnce(&mut Request), learn: &[&str]) -> Value {
        asked_with(None, model, change, learn)
    }

    fn asked_with(
        effort: Option<&str>,
        model: &str,
        change: impl FnOnce(&mut Request),
        learn: &[&str],
    ) -> Value {
        let reasoning_effort = effort.map(str::to_owned);
        let endpoint = Endpoint { model: model.to_owned(), reasoning_effort, ..Endpoint::default() };
        let mut request = crate::model::probe::request();
        request.urgency = Urgency::Typing;
        change(&mut request);
        let fields = Fields::of(&endpoint);
        for message in learn {
            assert!(fields.learn(None, message).is_some(), "{message}");
        }
        serde_json::from_slice(&body(&endpoint, &fields, &request).unwrap()).unwrap()
    }

    #[test]
    fn request_has_the_fields_of_the_api() {
        let plain = asked("claude-haiku-5-5", |_| (), &[]);
        expect![[r#"{"max_tokens":16,"messages":[{"content":[{"text":"OK?","type":"text"}],"role":"user"}],"model":"claude-haiku-5-5","stream":true,"system":"Answer with the one word OK.","thinking":{"type":"disabled"}}"#]]
            .assert_eq(&plain.to_string());
    }

    #[test]
    fn stable_part_ends_at_a_breakpoint_of_the_cache() {
        let cut = |request: &mut Request| {
            request.input = "ab".to_owned();
            request.stable = 1;
        };
        let content = asked("claude-haiku-5-5", cut, &[])["messages"][0]["content"].clone();
        expect![[
            r#"[{"cache_control":{"type":"ephemeral"},"text":"a","type":"text"},{"text":"b","type":"text"}]"#
        ]]
        .assert_eq(&content.to_string());
    }

    #[test]
    fn blank_stops_are_left_out() {
        let stops = |request: &mut Request| request.stop = vec!["\n\n".to_owned(), "<|end|>".to_owned()];
        assert_eq!(asked("claude-haiku-5-5", stops, &[])["stop_sequences"], json!(["<|end|>"]));
    }

    #[test]
    fn thinking_is_off_unless_the_work_is_deep() {
        const ALWAYS: &str = "\"thinking.type.disabled\" is not supported for this model. Use \
                              \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.";
        const BETWEEN: &str =
            "To turn thinking off on this model, send \"thinking\": {\"type\": \"between_tools\"}.";
        let check = |model: &str, urgency: Urgency, learn: &[&str], expect: Expect| {
            let body = asked(model, |request| request.urgency = urgency, learn);
            expect.assert_eq(&format!(
                "{} {} {}",
                body["thinking"]["type"], body["output_config"], body["max_tokens"]
            ));
        };
        check("claude-haiku-5-5", Urgency::Typing, &[], expect![[r#""disabled" null 16"#]]);
        check("claude-haiku-5-5", Urgency::Deep, &[], expect!["null null 16"]);
        check("claude-sonnet-5-5", Urgency::Asked, &[], expect![[r#""between_tools" null 16"#]]);
        check("claude-opus-5-5", Urgency::Asked, &[], expect![[r#"null {"effort":"low"} 2064"#]]);
        check("claude-next", Urgency::Asked, &[ALWAYS], expect![[r#"null {"effort":"low"} 2064"#]]);
        check("claude-next", Urgency::Asked, &[BETWEEN], expect![[r#""between_tools" null 16"#]]);
        let no_type = "\"thinking.type.between_tools\" is not supported for this model.";
        check("claude-next", Urgency::Asked, &[BETWEEN, no_type], expect![[r#"null {"effort":"low"} 2064"#]]);
    }

    #[test]
    fn effort_that_is_set_is_asked_for() {
        let check = |effort: &str, expected: &str| {
            let body = asked_with(Some(effort), "claude-haiku-5-5", |_| (), &[]);
            assert_eq!(
                format!("{} {}", body["thinking"]["type"], body["output_config"]),
                expected,
                "{effort}"
            );
        };
        check("none", r#""disabled" null"#);
        check("minimal", r#"null {"effort":"low"}"#);
        check("high", r#"null {"effort":"high"}"#);
        check("ultra", r#"null {"effort":"max"}"#);
    }

    fn read(events: &[Value]) -> String {
        let mut answer = MessagesAnswer::default();
        let mut words = Vec::new();
        let word = |output: Output| match output {
            Output::Text(text) => format!("{text:?}"),
            Output::Done(it) => format!(
                "end cut: {} why: {} {:?} {}+{}/{}+{}",
                it.truncated,
                !it.unexplained,
                it.tier,
                it.cached_tokens,
                it.cache_write_tokens,
                it.input_tokens,
                it.output_tokens
            ),
            Output::Failed(it) => format!("{:?}: {}", it.kind, it.message),
            other => format!("{other:?}"),
        };
        events.iter().for_each(|event| answer.read(event, |output| words.push(word(output))));
        words.extend(answer.take().map(word));
        words.join("\n")
    }

    #[test]
    fn answer_is_read_from_its_events() {
        let delta = |kind: &str, text: &str| json!({"type": "content_block_delta", "index": 1, "delta": {"type": kind, kind.replace("_delta", ""): text}});
        expect![[r#"
            Serves { model: "claude-haiku-5-5" }
            "a"
            "b"
            end cut: true why: true Some("standard") 100+20/130+7"#]]
        .assert_eq(&read(&[
            json!({"type": "message_start", "message": {"model": "claude-haiku-5-5", "usage": {
                "input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20,
                "output_tokens": 1, "service_tier": "standard"}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
            json!({"type": "ping"}),
            delta("thinking_delta", "hm"),
            delta("signature_delta", "s"),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
            delta("text_delta", "a"),
            json!({"type": "an_event_of_tomorrow"}),
            delta("text_delta", "b"),
            json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 7}}),
            json!({"type": "message_stop"}),
        ]));
    }

    #[test]
    fn odd_endings_are_told_apart() {
        let text = json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a"}});
        let start = json!({"type": "message_start", "message": {}});
        let stop =
            |reason: &str| json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {}});
        let check = |events: &[Value], expect: Expect| expect.assert_eq(&read(events));
        check(
            &[text.clone(), stop("end_turn")],
            expect![[r#"
            "a"
            end cut: false why: true None 0+0/0+0"#]],
        );
        check(std::slice::from_ref(&text), expect![[r#""a""#]]);
        check(
            &[text.clone(), json!({"type": "message_stop"})],
            expect![[r#"
            "a"
            end cut: false why: false None 0+0/0+0"#]],
        );
        check(
            &[start.clone(), text.clone(), start, text.clone()],
            expect![[r#"
            "a"
            Restart
            "a""#]],
        );
        check(
            &[text.clone(), stop("refusal")],
            expect![[r#"
            "a"
            Policy: the answer was cut off: refusal"#]],
        );
        check(
            &[text, json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})],
            expect![[r#"
                "a"
                Overloaded: Overloaded (overloaded_error)"#]],
        );
        check(
            &[json!({"type": "message", "model": "m", "content": [{"type": "text", "text": "a"}],
                "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 1}})],
            expect![[r#"
                Serves { model: "m" }
                "a"
                end cut: false why: true None 0+0/3+1"#]],
        );
    }
}
