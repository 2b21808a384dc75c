//! What a server sends, read leniently (protocol notes §3): unknown events and fields are nothing to us, fields that
//! real servers leave out are not asked for, and a field of another type is as good as none.

use std::borrow::Cow;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::Value;

use crate::model::Usage;
use crate::model::condition::{Condition, Refusal, wait_in};
use crate::model::quota::Pool;

/// An event, as far as a client cares.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::model) enum Event {
    /// A response has begun.
    Created { id: Option<String>, model: Option<String> },
    /// More text.
    Text(String),
    /// The natural end.
    Completed {
        id: Option<String>,
        usage: Usage,
        /// The whole answer once more, where it is repeated.
        text: String,
    },
    /// The request was refused, or failed on the way.
    Failed(Refusal),
    /// The server says which model serves (protocol notes §3.5).
    Serves { model: String },
    /// The server says how much of its quotas is used (protocol notes §3.4). The response goes on.
    Quotas(Vec<Pool>),
    /// Anything else. It proves that the server is alive.
    Other,
}

/// What nearly all events are, read without building anything.
#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    delta: Cow<'a, str>,
    #[serde(borrow)]
    stream_id: Option<Cow<'a, str>>,
}

/// The lane that an event belongs to; `None` is the default lane.
pub(in crate::model) type Lane = Option<String>;

/// Reads one event, and the lane it belongs to. Text that is not JSON is an error to be traced, not an event.
pub(in crate::model) fn read(text: &str) -> Result<(Lane, Event), serde_json::Error> {
    if let Ok(Delta { r#type, delta, stream_id }) = serde_json::from_str(text)
        && r#type == "response.output_text.delta"
    {
        return Ok((stream_id.map(Cow::into_owned), Event::Text(delta.into_owned())));
    }
    let event: Value = serde_json::from_str(text)?;
    let lane = string(&event["stream_id"]);
    Ok((lane, meaning(&event)))
}

fn meaning(event: &Value) -> Event {
    let response = &event["response"];
    match event["type"].as_str().unwrap_or_default() {
        "response.created" => Event::Created { id: string(&response["id"]), model: served(event) },
        "response.completed" => completed(response, served(event), false),
        "response.incomplete" => match response["incomplete_details"]["reason"].as_str() {
            // A capped answer is an answer, only cut (protocol notes §3.2).
            Some("max_output_tokens") => completed(response, served(event), true),
            reason => {
                let reason = reason.unwrap_or("no reason given");
                Event::Failed(Refusal {
                    condition: Condition::of(None, &[reason], ""),
                    status: None,
                    param: None,
                    message: format!("the answer was cut off: {reason}"),
                    retry_after: None,
                })
            }
        },
        "response.failed" => Event::Failed(refusal(None, response)),
        "error" => Event::Failed(refusal(status(event), event)),
        // Some back ends refuse without saying that it is an error.
        "" if failure(event).is_some() => Event::Failed(refusal(status(event), event)),
        // The whole answer as one object, as servers give it that do not stream.
        "" if event["object"] == "response" => match event["status"].as_str() {
            Some("failed") => Event::Failed(refusal(None, event)),
            status => completed(event, string(&event["model"]), status == Some("incomplete")),
        },
        "codex.rate_limits" => quotas(event),
        _ => served(event).map_or(Event::Other, |model| Event::Serves { model }),
    }
}

/// What an object says of a failure: in `error`, as text or as an object of message and code, or in `detail`.
pub(in crate::model) fn failure(event: &Value) -> Option<String> {
    let error = &event["error"];
    let code = text(&error["code"]).or_else(|| text(&error["type"]));
    match (text(&error["message"]).or_else(|| text(error)), code) {
        (Some(message), Some(code)) => Some(format!("{message} ({code})")),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => text(&event["detail"]),
    }
}

/// Reads what an object says of a failure.
pub(in crate::model) fn refusal(status: Option<u16>, event: &Value) -> Refusal {
    let error = &event["error"];
    let codes = [text(&error["code"]), text(&error["type"]), text(&event["code"])];
    let codes: Vec<&str> = codes.iter().flatten().map(String::as_str).collect();
    let message = failure(event).unwrap_or_default();
    Refusal {
        condition: Condition::of(status, &codes, &message),
        status,
        param: text(&error["param"]),
        retry_after: retry_after(event).or_else(|| wait_in(&message)),
        message,
    }
}

/// How long an object asks us to wait: as headers repeated in it, or as the end of a quota's window.
fn retry_after(event: &Value) -> Option<Duration> {
    let header = |headers: &Value, name: &str| {
        let (_, value) = headers.as_object()?.iter().find(|(it, _)| it.eq_ignore_ascii_case(name))?;
        text(value)?.parse::<f64>().ok()
    };
    let error = &event["error"];
    let seconds = header(&event["headers"], "retry-after")
        .or_else(|| header(&error["headers"], "retry-after"))
        .or_else(|| error["resets_in_seconds"].as_f64())
        .or_else(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
            Some((error["resets_at"].as_f64()? - now.as_secs_f64()).max(0.0))
        })?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The serving model where headers are repeated in an event, which tells more than `response.model` does. Else the name
/// beside the response, which is what a gateway calls the model that it was asked for; else that in the response.
fn served(event: &Value) -> Option<String> {
    let headers = [&event["response"]["headers"], &event["headers"]];
    let named = headers.into_iter().filter_map(Value::as_object).flatten().find(|(name, _)| {
        name.eq_ignore_ascii_case("openai-model") || name.eq_ignore_ascii_case("x-openai-model")
    });
    // Some repeat headers as lists.
    let named = named.and_then(|(_, value)| string(value).or_else(|| string(&value[0])));
    named.or_else(|| string(&event["model"])).or_else(|| string(&event["response"]["model"]))
}

fn quotas(event: &Value) -> Event {
    let limits = &event["rate_limits"];
    // Where there are several meters, each has windows of its own.
    let meter = string(&event["metered_limit_name"]).or_else(|| string(&event["limit_name"]));
    let windows = ["primary", "secondary"].into_iter().filter_map(|name| {
        let window = &limits[name];
        let (used, minutes) = (window["used_percent"].as_f64()?, window["window_minutes"].as_u64()?);
        let pool = meter.as_ref().map_or_else(|| name.to_owned(), |meter| format!("{meter} {name}"));
        Some((pool, format!("{used} % of {minutes} minutes")))
    });
    let pools: Vec<Pool> = windows.collect();
    if pools.is_empty() { Event::Other } else { Event::Quotas(pools) }
}

fn status(event: &Value) -> Option<u16> {
    let number = event["status"].as_u64().or_else(|| event["status_code"].as_u64())?;
    u16::try_from(number).ok()
}

fn completed(response: &Value, model: Option<String>, truncated: bool) -> Event {
    let usage = &response["usage"];
    let tokens = |value: &Value| value.as_u64().unwrap_or(0);
    // Thoughts are no part of the answer.
    let said = response["output"].as_array().into_iter().flatten().filter(|item| item["type"] != "reasoning");
    let parts = said.filter_map(|item| item["content"].as_array());
    Event::Completed {
        id: string(&response["id"]),
        text: parts.flatten().filter_map(|part| part["text"].as_str()).collect(),
        usage: Usage {
            model,
            tier: string(&response["service_tier"]),
            input_tokens: tokens(&usage["input_tokens"]),
            cached_tokens: tokens(&usage["input_tokens_details"]["cached_tokens"]),
            output_tokens: tokens(&usage["output_tokens"]),
            truncated,
            ..Usage::default()
        },
    }
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Text, or a number as text.
fn text(value: &Value) -> Option<String> {
    string(value).filter(|text| !text.is_empty()).or_else(|| value.as_number().map(ToString::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(frame: &str, expect: Expect) {
        let text = match read(frame) {
            Ok((_, Event::Completed { id, usage, .. })) => format!(
                "Completed {id:?} {:?} {:?} {}/{}/{} truncated: {}",
                usage.model,
                usage.tier,
                usage.input_tokens,
                usage.cached_tokens,
                usage.output_tokens,
                usage.truncated
            ),
            Ok((_, Event::Failed(it))) => {
                format!(
                    "{:?} {:?} {:?} {:?} after {:?}",
                    it.condition, it.status, it.param, it.message, it.retry_after
                )
            }
            Ok((None, event)) => format!("{event:?}"),
            Ok((Some(lane), event)) => format!("{lane}: {event:?}"),
            Err(_) => "not an event".to_owned(),
        };
        expect.assert_eq(&text);
    }

    #[test]
    fn reads_text_and_ends() {
        check(
            r#"{"type":"response.output_text.delta","sequence_number":4,"delta":"a \"b\"\n","logprobs":[]}"#,
            expect![[r#"Text("a \"b\"\n")"#]],
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
    fn reads_an_answer_without_the_thoughts_before_it() {
        let frame = r#"{"type":"response.completed","response":{"output":[
            {"type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}]},
            {"type":"message","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}]}}"#;
        let (_, event) = read(frame).unwrap();
        assert!(matches!(&event, Event::Completed { text, .. } if text == "ab"), "{event:?}");
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
            expect![[r#"Created { id: Some("r"), model: Some("other") }"#]],
        );
        // A gateway's own name for the model stands beside the response.
        check(
            r#"{"type":"response.created","response":{"id":"r","model":"m"},"model":"alias"}"#,
            expect![[r#"Created { id: Some("r"), model: Some("alias") }"#]],
        );
        check(
            r#"{"type":"response.output_text.delta","stream_id":"t1","delta":"x"}"#,
            expect![[r#"t1: Text("x")"#]],
        );
        check("{}", expect![["Other"]]);
        check("[1, 2]", expect![["Other"]]);
        check("not json", expect![["not an event"]]);
    }
}
