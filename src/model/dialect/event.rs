//! The events of the Responses API, read leniently and only as far as needed.
//!
//! Unknown events and fields are ignored, fields that real servers omit are not required, and a field of
//! another type counts as absent. [`super::answer`] decides which text of a response is its answer.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use crate::model::Usage;
use crate::model::error_kind::{ErrorKind, Refusal, failure, refusal};
use crate::model::quota::QuotaPool;
use crate::text::hash;

/// One event, with the lane and the response that it belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::model) struct Frame {
    /// The lane on a socket; `None` for the default lane.
    pub(in crate::model) lane: Option<String>,
    /// The id of the response that the event belongs to. Events about a part of a response do not
    /// name it.
    pub(in crate::model) response: Option<String>,
    pub(in crate::model) event: Event,
}

/// The content of an event, as far as it is needed.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::model) enum Event {
    /// A response has begun.
    Created {
        model: Option<String>,
        /// The request's nonce, if the server repeats the request's `metadata`.
        nonce: Option<String>,
    },
    /// A message began or ended, or was labelled.
    Message(MessageItem),
    /// More text of a message.
    Delta { of: ItemKey, text: String },
    /// The regular end.
    Completed {
        usage: Usage,
        /// The messages of the whole response with their text, if the server repeats them.
        messages: Vec<(MessageItem, String)>,
    },
    /// The request was refused, or failed midway.
    Failed(Refusal),
    /// The server names the model that serves.
    Serves { model: String },
    /// The server reports the usage of its quotas. The response continues.
    Quotas(Vec<QuotaPool>),
    /// Any other event. It proves that the server is alive.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) struct MessageItem {
    pub(in crate::model) key: ItemKey,
    /// Whether its `phase` marks it as no answer. Phases are `commentary` and `final_answer`; older
    /// models have none.
    pub(in crate::model) is_commentary: bool,
}

/// Identifies an item of a response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::model) struct ItemKey {
    /// The position in the response's output.
    pub(in crate::model) index: Option<u64>,
    /// A hash of the item's id.
    pub(in crate::model) id: Option<u64>,
}

impl ItemKey {
    fn new(index: Option<u64>, id: Option<&str>) -> Self {
        Self { index, id: id.map(hash::in_process) }
    }

    /// Whether both keys refer to the same item. The position takes precedence over the id, since
    /// some gateways generate a new id for each event. A key without either matches every item.
    pub(in crate::model) fn fits(self, other: Self) -> bool {
        match ((self.index, other.index), (self.id, other.id)) {
            ((Some(one), Some(other)), _) | (_, (Some(one), Some(other))) => one == other,
            _ => self == Self::default() || other == Self::default(),
        }
    }
}

/// The most frequent event, deserialized without building a `Value`.
#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    delta: Cow<'a, str>,
    #[serde(borrow)]
    stream_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    item_id: Option<Cow<'a, str>>,
    output_index: Option<u64>,
}

/// The key in the request's `metadata` that holds the nonce, which the response repeats.
pub(in crate::model) const NONCE: &str = "tandem";

/// The type of events with more text.
const DELTA: &str = "response.output_text.delta";

/// Reads one event. Text that is not JSON is an error, which the caller traces.
pub(in crate::model) fn read(text: &str) -> Result<Frame, serde_json::Error> {
    // The end of a response is large and not a delta: it is not parsed twice.
    if text.contains(DELTA)
        && let Ok(delta) = serde_json::from_str::<Delta<'_>>(text)
        && delta.r#type == DELTA
    {
        let of = ItemKey::new(delta.output_index, delta.item_id.as_deref());
        let event = Event::Delta { of, text: delta.delta.into_owned() };
        return Ok(Frame { lane: delta.stream_id.map(Cow::into_owned), response: None, event });
    }
    let event: Value = serde_json::from_str(text)?;
    let response = string(&event["response"]["id"]).or_else(|| string(&event["response_id"]));
    Ok(Frame { lane: string(&event["stream_id"]), response, event: meaning(&event) })
}

fn meaning(event: &Value) -> Event {
    let response = &event["response"];
    match event["type"].as_str().unwrap_or_default() {
        "response.created" => {
            Event::Created { model: served(event), nonce: string(&response["metadata"][NONCE]) }
        }
        "response.output_item.added" | "response.output_item.done" => {
            match message(&event["item"], event["output_index"].as_u64()) {
                Some(message) => Event::Message(message),
                None => Event::Other,
            }
        }
        // A delta with a field of an unexpected type.
        DELTA => match event["delta"].as_str() {
            Some(text) => {
                let of = ItemKey::new(event["output_index"].as_u64(), event["item_id"].as_str());
                Event::Delta { of, text: text.to_owned() }
            }
            None => Event::Other,
        },
        "response.completed" => completed(response, served(event), false),
        "response.incomplete" => match response["incomplete_details"]["reason"].as_str() {
            // An answer cut off at the token limit is still an answer.
            Some("max_output_tokens") => completed(response, served(event), true),
            reason => {
                let reason = reason.unwrap_or("no reason given");
                let message = format!("the answer was cut off: {reason}");
                Event::Failed(Refusal::of(ErrorKind::of(None, &[reason], None, ""), message))
            }
        },
        "response.refusal.done" => declined(&event["refusal"]).unwrap_or(Event::Other),
        "response.failed" => Event::Failed(refusal(None, response)),
        "error" => Event::Failed(refusal(status(event), event)),
        // Some back ends refuse without an event type.
        "" if failure(event).is_some() => Event::Failed(refusal(status(event), event)),
        // The whole answer as one object, from servers that do not stream.
        "" if event["object"] == "response" => match event["status"].as_str() {
            Some("failed") => Event::Failed(refusal(None, event)),
            status => completed(event, string(&event["model"]), status == Some("incomplete")),
        },
        "codex.rate_limits" => quotas(event),
        _ => served(event).map_or(Event::Other, |model| Event::Serves { model }),
    }
}

/// Reads a message from a response's items; `None` for reasoning, tool calls and other items.
fn message(item: &Value, index: Option<u64>) -> Option<MessageItem> {
    if !item.is_object() || item["type"].as_str().is_some_and(|it| it != "message") {
        return None;
    }
    let key = ItemKey::new(index, item["id"].as_str());
    // An unknown phase is not the final answer either.
    let is_commentary = item["phase"].as_str().is_some_and(|phase| phase != "final_answer");
    Some(MessageItem { key, is_commentary })
}

/// Returns the name of the serving model. Headers repeated in an event are more reliable than
/// `response.model`. Next comes the name beside the response, a gateway's own name for the
/// requested model, then the name in the response.
fn served(event: &Value) -> Option<String> {
    let headers = [&event["response"]["headers"], &event["headers"]];
    let named = headers.into_iter().filter_map(Value::as_object).flatten().find(|(name, _)| {
        name.eq_ignore_ascii_case("openai-model") || name.eq_ignore_ascii_case("x-openai-model")
    });
    // Some servers repeat headers as lists.
    let named = named.and_then(|(_, value)| string(value).or_else(|| string(&value[0])));
    named.or_else(|| string(&event["model"])).or_else(|| string(&event["response"]["model"]))
}

fn quotas(event: &Value) -> Event {
    let limits = &event["rate_limits"];
    // With several meters, each has its own windows.
    let meter = string(&event["metered_limit_name"]).or_else(|| string(&event["limit_name"]));
    let windows = ["primary", "secondary"].into_iter().filter_map(|name| {
        let window = &limits[name];
        let (used, minutes) = (window["used_percent"].as_f64()?, window["window_minutes"].as_u64()?);
        let pool = meter.as_ref().map_or_else(|| name.to_owned(), |meter| format!("{meter} {name}"));
        Some((pool, format!("{used} % of {minutes} minutes")))
    });
    let pools: Vec<QuotaPool> = windows.collect();
    if pools.is_empty() { Event::Other } else { Event::Quotas(pools) }
}

fn status(event: &Value) -> Option<u16> {
    let number = event["status"].as_u64().or_else(|| event["status_code"].as_u64())?;
    u16::try_from(number).ok()
}

fn completed(response: &Value, model: Option<String>, truncated: bool) -> Event {
    let usage = &response["usage"];
    let tokens = |value: &Value| value.as_u64().unwrap_or(0);
    let items = || response["output"].as_array().into_iter().flatten();
    let parts = items().flat_map(|item| item["content"].as_array().into_iter().flatten());
    if let Some(event) =
        parts.filter(|part| part["type"] == "refusal").find_map(|it| declined(&it["refusal"]))
    {
        return event;
    }
    let items = items().zip(0..);
    let messages = items.filter_map(|(item, index)| {
        let message = message(item, Some(index))?;
        let parts = item["content"].as_array().into_iter().flatten();
        Some((message, parts.filter_map(|part| part["text"].as_str()).collect()))
    });
    Event::Completed {
        messages: messages.collect(),
        usage: Usage {
            model,
            tier: string(&response["service_tier"]),
            input_tokens: tokens(&usage["input_tokens"]),
            cached_tokens: tokens(&usage["input_tokens_details"]["cached_tokens"]),
            cache_write_tokens: tokens(&usage["input_tokens_details"]["cache_write_tokens"]),
            output_tokens: tokens(&usage["output_tokens"]),
            truncated,
            ..Usage::default()
        },
    }
}

/// The failure of a model that declines in these words.
fn declined(words: &Value) -> Option<Event> {
    let words = string(words).filter(|it| !it.is_empty())?;
    Some(Event::Failed(Refusal::of(ErrorKind::Policy, words)))
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(frame: &str, expect: Expect) {
        let text = match read(frame) {
            Ok(Frame { response, event: Event::Completed { usage, .. }, .. }) => format!(
                "Completed {response:?} {:?} {:?} {}/{}/{} truncated: {}",
                usage.model,
                usage.tier,
                usage.input_tokens,
                usage.cached_tokens,
                usage.output_tokens,
                usage.truncated
            ),
            Ok(Frame { event: Event::Failed(it), .. }) => {
                format!(
                    "{:?} {:?} {:?} {:?} after {:?}",
                    it.kind, it.status, it.param, it.message, it.retry_after
                )
            }
            Ok(Frame { lane, event: Event::Delta { text, .. }, .. }) => format!("{lane:?} {text:?}"),
            Ok(Frame { response: Some(id), event, .. }) => format!("{id}: {event:?}"),
            Ok(Frame { event, .. }) => format!("{event:?}"),
            Err(_) => "not an event".to_owned(),
        };
        expect.assert_eq(&text);
    }

    #[test]
    fn reads_text_and_ends() {
        check(
            r#"{"type":"response.output_text.delta","sequence_number":4,"delta":"a \"b\"\n","logprobs":[]}"#,
            expect![[r#"None "a \"b\"\n""#]],
        );
        check(
            r#"{"type":"response.completed","response":{"id":"r","model":"m","usage":{"input_tokens":9,
                "input_tokens_details":{"cached_tokens":4},"output_tokens":2}}}"#,
            expect![[r#"Completed Some("r") Some("m") None 9/4/2 truncated: false"#]],
        );
        check(
            r#"{"type":"response.completed","response":{"id":7,"usage":{"input_tokens":null,
                "input_tokens_details":{"cached_tokens":null},"output_tokens":"2"}}}"#,
            expect!["Completed None None None 0/0/0 truncated: false"],
        );
        check(
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#,
            expect!["Completed None None None 0/0/0 truncated: true"],
        );
    }

    #[test]
    fn reads_every_shape_of_failure() {
        check(
            r#"{"type":"error","status":400,"error":{"code":"unknown_parameter","message":"no such field"}}"#,
            expect![[r#"UnsupportedField Some(400) None "no such field (unknown_parameter)" after None"#]],
        );
        check(
            r#"{"type":"error","status":"400","error":{"code":429,"message":null,"param":7}}"#,
            expect![[r#"RateLimited None Some("7") "429" after None"#]],
        );
        check(
            r#"{"error":"model not found"}"#,
            expect![[r#"UnsupportedModel None None "model not found" after None"#]],
        );
        check(
            r#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Slow down"}}}"#,
            expect![[r#"RateLimited None None "Slow down (rate_limit_exceeded)" after None"#]],
        );
        check(
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}"#,
            expect![[r#"Policy None None "the answer was cut off: content_filter" after None"#]],
        );
        check(
            r#"{"detail":"not for this account"}"#,
            expect![[r#"ServerError None None "not for this account" after None"#]],
        );
        check(
            r#"{"type":"error","status":429,"headers":{"Retry-After":"2"},"error":{"message":"wait"}}"#,
            expect![[r#"RateLimited Some(429) None "wait" after Some(2s)"#]],
        );
        check(
            r#"{"type":"error","status":429,"error":{"type":"usage_limit_reached","resets_in_seconds":60}}"#,
            expect![[r#"QuotaUsedUp Some(429) None "usage_limit_reached" after Some(60s)"#]],
        );
        check(r#"{"type":"error"}"#, expect![[r#"ServerError None None "" after None"#]]);
    }

    #[test]
    fn passes_over_what_it_does_not_know() {
        check(
            r#"{"type":"codex.rate_limits","plan_type":"plus","rate_limits":{"allowed":true}}"#,
            expect![["Other"]],
        );
        check(r#"{"type":"response.output_text.delta"}"#, expect![["Other"]]);
        check(
            r#"{"type":"codex.rate_limits","rate_limits":{"limit_reached":true,"primary":{"used_percent":37.5,
                "window_minutes":300}}}"#,
            expect![[r#"Quotas([("primary", "37.5 % of 300 minutes")])"#]],
        );
        check(
            r#"{"type":"response.metadata","headers":{"OpenAI-Model":"other"}}"#,
            expect![[r#"Serves { model: "other" }"#]],
        );
        check(
            r#"{"type":"response.created","response":{"id":"r","model":"m","headers":{"openai-model":["other"]}}}"#,
            expect![[r#"r: Created { model: Some("other"), nonce: None }"#]],
        );
        // A gateway's own name for the model is beside the response.
        check(
            r#"{"type":"response.created","response":{"id":"r","model":"m"},"model":"alias"}"#,
            expect![[r#"r: Created { model: Some("alias"), nonce: None }"#]],
        );
        check(
            r#"{"type":"response.output_text.delta","stream_id":"t1","delta":"x"}"#,
            expect![[r#"Some("t1") "x""#]],
        );
        check("{}", expect![["Other"]]);
        check("[1, 2]", expect![["Other"]]);
        check("not json", expect![["not an event"]]);
    }
}
