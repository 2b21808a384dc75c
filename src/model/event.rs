//! What a server sends, read leniently (protocol notes §3): unknown events and fields are nothing to us, and fields
//! that real servers leave out are not asked for.

use std::borrow::Cow;

use serde::Deserialize;

use super::Usage;

/// An event, as far as a client cares.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Our response has begun.
    Created,
    /// More text.
    Text(String),
    /// The natural end.
    Completed(Usage),
    /// The request was refused, or failed on the way.
    Failed { status: Option<u16>, message: String },
    /// Anything else. It proves that the server is alive.
    Other,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
    #[serde(borrow, default)]
    delta: Option<Cow<'a, str>>,
    #[serde(default)]
    response: Option<Response>,
    #[serde(default, alias = "status_code")]
    status: Option<u16>,
    #[serde(default)]
    error: Option<Failure>,
    /// Some back ends refuse with this alone.
    #[serde(default)]
    detail: Option<serde_json::Value>,
}

#[derive(Default, Deserialize)]
struct Response {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    error: Option<Failure>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    input_tokens_details: Option<Cached>,
    #[serde(default)]
    output_tokens: u64,
}

#[derive(Deserialize)]
struct Cached {
    #[serde(default)]
    cached_tokens: u64,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    message: Option<String>,
}

impl Failure {
    fn message(&self) -> String {
        match (&self.code, &self.message) {
            (Some(code), Some(message)) => format!("{message} ({code})"),
            (Some(only), None) | (None, Some(only)) => only.clone(),
            (None, None) => "no reason given".to_owned(),
        }
    }
}

/// Reads one text frame. Text that is not JSON, or not an object, is an error to be traced, not an event.
pub(super) fn read(text: &str) -> Result<Event, serde_json::Error> {
    let wire: Wire<'_> = serde_json::from_str(text)?;
    Ok(match wire.r#type.as_ref() {
        "response.output_text.delta" => wire.delta.map_or(Event::Other, |it| Event::Text(it.into_owned())),
        "response.created" => Event::Created,
        "response.completed" => Event::Completed(usage(wire.response.unwrap_or_default())),
        "response.incomplete" => {
            let response = wire.response.unwrap_or_default();
            let reason = response.incomplete_details.as_ref().and_then(|details| details.reason.clone());
            match reason.as_deref() {
                // A capped answer is an answer, only cut (protocol notes §3.2).
                Some("max_output_tokens") => Event::Completed(Usage { truncated: true, ..usage(response) }),
                reason => {
                    let message = format!("the answer was cut off: {}", reason.unwrap_or("no reason given"));
                    Event::Failed { status: None, message }
                }
            }
        }
        "response.failed" => {
            let error = wire.response.and_then(|response| response.error);
            Event::Failed { status: None, message: failure(error.as_ref()) }
        }
        "error" => Event::Failed { status: wire.status, message: failure(wire.error.as_ref()) },
        "" => match (&wire.error, &wire.detail) {
            (Some(error), _) => Event::Failed { status: wire.status, message: error.message() },
            (None, Some(detail)) => Event::Failed { status: wire.status, message: detail.to_string() },
            (None, None) => Event::Other,
        },
        _ => Event::Other,
    })
}

fn failure(error: Option<&Failure>) -> String {
    error.map_or_else(|| "no reason given".to_owned(), Failure::message)
}

fn usage(response: Response) -> Usage {
    let tokens = response.usage.unwrap_or_default();
    Usage {
        model: response.model,
        input_tokens: tokens.input_tokens,
        cached_tokens: tokens.input_tokens_details.map_or(0, |details| details.cached_tokens),
        output_tokens: tokens.output_tokens,
        truncated: false,
    }
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
                r#"Completed(Usage { model: Some("m"), input_tokens: 9, cached_tokens: 4, output_tokens: 2, truncated: false })"#
            ]],
        );
        check(
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#,
            expect![
                "Completed(Usage { model: None, input_tokens: 0, cached_tokens: 0, output_tokens: 0, truncated: true })"
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
            r#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Slow down"}}}"#,
            expect![[r#"Failed { status: None, message: "Slow down (rate_limit_exceeded)" }"#]],
        );
        check(
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}"#,
            expect![[r#"Failed { status: None, message: "the answer was cut off: content_filter" }"#]],
        );
        check(
            r#"{"detail":"not for this account"}"#,
            expect![[r#"Failed { status: None, message: "\"not for this account\"" }"#]],
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
        check("[1, 2]", expect!["not an event"]);
        check("not json", expect!["not an event"]);
    }
}
