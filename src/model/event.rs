//! What a server sends, read leniently (protocol notes §3): unknown events and fields are nothing to us, fields that
//! real servers leave out are not asked for, and a field of another type is as good as none.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::Usage;

/// An event, as far as a client cares.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A response has begun.
    Created { id: Option<String> },
    /// More text.
    Text(String),
    /// The natural end.
    Completed { id: Option<String>, usage: Usage },
    /// The request was refused, or failed on the way.
    Failed { status: Option<u16>, message: String },
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
}

/// Reads one text frame. Text that is not JSON is an error to be traced, not an event.
pub(super) fn read(text: &str) -> Result<Event, serde_json::Error> {
    if let Ok(Delta { r#type, delta }) = serde_json::from_str(text)
        && r#type == "response.output_text.delta"
    {
        return Ok(Event::Text(delta.into_owned()));
    }
    let event: Value = serde_json::from_str(text)?;
    let response = &event["response"];
    Ok(match event["type"].as_str().unwrap_or_default() {
        "response.created" => Event::Created { id: string(&response["id"]) },
        "response.completed" => completed(response, false),
        "response.incomplete" => match response["incomplete_details"]["reason"].as_str() {
            // A capped answer is an answer, only cut (protocol notes §3.2).
            Some("max_output_tokens") => completed(response, true),
            reason => Event::Failed {
                status: None,
                message: format!("the answer was cut off: {}", reason.unwrap_or("no reason given")),
            },
        },
        "response.failed" => failed(None, response),
        "error" => failed(status(&event), &event),
        // Some back ends refuse without saying that it is an error.
        "" if failure(&event).is_some() => failed(status(&event), &event),
        _ => Event::Other,
    })
}

/// What an object says of a failure: in `error`, as text or as an object of message and code, or in `detail`.
pub(super) fn failure(event: &Value) -> Option<String> {
    let error = &event["error"];
    let code = text(&error["code"]).or_else(|| text(&error["type"]));
    match (text(&error["message"]).or_else(|| text(error)), code) {
        (Some(message), Some(code)) => Some(format!("{message} ({code})")),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => text(&event["detail"]),
    }
}

fn failed(status: Option<u16>, event: &Value) -> Event {
    Event::Failed { status, message: failure(event).unwrap_or_else(|| "no reason given".to_owned()) }
}

fn status(event: &Value) -> Option<u16> {
    let number = event["status"].as_u64().or_else(|| event["status_code"].as_u64())?;
    u16::try_from(number).ok()
}

fn completed(response: &Value, truncated: bool) -> Event {
    let usage = &response["usage"];
    let tokens = |value: &Value| value.as_u64().unwrap_or(0);
    Event::Completed {
        id: string(&response["id"]),
        usage: Usage {
            model: string(&response["model"]),
            input_tokens: tokens(&usage["input_tokens"]),
            cached_tokens: tokens(&usage["input_tokens_details"]["cached_tokens"]),
            output_tokens: tokens(&usage["output_tokens"]),
            truncated,
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
            Ok(event) => format!("{event:?}"),
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
            expect![[
                r#"Completed { id: Some("r"), usage: Usage { model: Some("m"), input_tokens: 9, cached_tokens: 4, output_tokens: 2, truncated: false } }"#
            ]],
        );
        check(
            r#"{"type":"response.completed","response":{"id":7,"usage":{"input_tokens":null,
                "input_tokens_details":{"cached_tokens":null},"output_tokens":"2"}}}"#,
            expect![
                "Completed { id: None, usage: Usage { model: None, input_tokens: 0, cached_tokens: 0, output_tokens: 0, truncated: false } }"
            ],
        );
        check(
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#,
            expect![
                "Completed { id: None, usage: Usage { model: None, input_tokens: 0, cached_tokens: 0, output_tokens: 0, truncated: true } }"
            ],
        );
    }

    #[test]
    fn reads_every_shape_of_failure() {
        check(
            r#"{"type":"error","status":400,"error":{"code":"unknown_parameter","message":"no such field"}}"#,
            expect![[r#"Failed { status: Some(400), message: "no such field (unknown_parameter)" }"#]],
        );
        check(
            r#"{"type":"error","status":"400","error":{"code":429,"message":null,"param":7}}"#,
            expect![[r#"Failed { status: None, message: "429" }"#]],
        );
        check(
            r#"{"error":"model not found"}"#,
            expect![[r#"Failed { status: None, message: "model not found" }"#]],
        );
        check(
            r#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Slow down"}}}"#,
            expect![[r#"Failed { status: None, message: "Slow down (rate_limit_exceeded)" }"#]],
        );
        check(
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}"#,
            expect![[r#"Failed { status: None, message: "the answer was cut off: content_filter" }"#]],
        );
        check(
            r#"{"detail":"not for this account"}"#,
            expect![[r#"Failed { status: None, message: "not for this account" }"#]],
        );
        check(r#"{"type":"error"}"#, expect![[r#"Failed { status: None, message: "no reason given" }"#]]);
    }

    #[test]
    fn passes_over_what_it_does_not_know() {
        check(
            r#"{"type":"codex.rate_limits","plan_type":"plus","rate_limits":{"allowed":true}}"#,
            expect!["Other"],
        );
        check(r#"{"type":"response.output_text.delta"}"#, expect!["Other"]);
        check("{}", expect!["Other"]);
        check("[1, 2]", expect!["Other"]);
        check("not json", expect!["not an event"]);
    }
}
