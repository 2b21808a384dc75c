//! Classification of failures: the codes and statuses of real servers, reduced to the few kinds
//! that are handled differently ([failures](super#failures)).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use httpdate::parse_http_date;
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::fields;
use crate::text::named;

named! {
    /// A kind of failure.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ErrorKind {
        /// The key is missing, wrong or expired. Retrying is useless.
        Unauthorized = "unauthorized",
        /// There is no token to send, because its source failed.
        NoToken = "no-token",
        /// Forbidden for this account, region or network; a challenge page; too many connections.
        Forbidden = "forbidden",
        /// The server does not have this path: another wire is needed.
        NotFound = "not-found",
        /// Too many requests or tokens at the moment.
        RateLimited = "rate-limited",
        /// The account's quota is used up until it is renewed or paid for.
        QuotaUsedUp = "quota-used-up",
        /// The server is overloaded.
        Overloaded = "overloaded",
        /// The request is too long for the model's window.
        ContextTooLong = "context-too-long",
        /// The request violates the provider's policy.
        Policy = "policy",
        /// The response that the request continues from no longer exists.
        PreviousNotFound = "previous-not-found",
        /// The connection is too old or was used for too much; another connection is needed.
        ConnectionLimit = "connection-limit",
        /// The model does not take a field of the request.
        UnsupportedField = "unsupported-field",
        /// The model does not exist here, or not for this account.
        UnsupportedModel = "unsupported-model",
        /// The request has too many bytes for this wire.
        TooLarge = "too-large",
        /// The server failed.
        ServerError = "server-error",
        /// Any other fault of the request.
        Invalid = "invalid",
        /// The server cannot be reached.
        Offline = "offline",
        /// The connection ended before the answer was complete.
        Closed = "closed",
        /// The server was silent for too long.
        IdleTimeout = "idle-timeout",
        /// A response arrived that answers another request, or no request.
        Mismatched = "mismatched",
    }
}

/// A refusal, as read from a status, a header or an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) kind: ErrorKind,
    pub(super) status: Option<u16>,
    pub(super) param: Option<String>,
    pub(super) message: String,
    pub(super) retry_after: Option<Duration>,
}

impl Refusal {
    /// The refusal of an unusable request or answer.
    pub(super) fn invalid(message: String) -> Self {
        Self::of(ErrorKind::Invalid, message)
    }

    /// The refusal of an answer beyond [`Request::longest_answer`](super::Request::longest_answer).
    pub(super) fn too_long() -> Self {
        Self::invalid("its answer has many times the tokens that were asked for".to_owned())
    }

    /// The refusal of a response to another request, or to none.
    pub(super) fn mismatched() -> Self {
        Self::of(ErrorKind::Mismatched, "the server sent a response that was not asked for".to_owned())
    }

    pub(super) fn of(kind: ErrorKind, message: String) -> Self {
        Self { kind, status: None, param: None, message, retry_after: None }
    }

    /// Whether the refusal may be about the number of output tokens.
    ///
    /// Servers have no code for that.
    pub(super) fn may_be_of_output(&self) -> bool {
        match self.kind {
            ErrorKind::Invalid | ErrorKind::UnsupportedField | ErrorKind::ContextTooLong => true,
            // A refusal without a status.
            ErrorKind::ServerError => self.status.is_none(),
            _ => false,
        }
    }

    /// Reads a response with an error status, by its body and headers. The message is on one line.
    pub(super) fn read(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let code = Some(status.as_u16());
        let mut refusal = match serde_json::from_str::<Value>(&text) {
            // Google wraps its errors in lists.
            Ok(Value::Array(refusals)) => self::refusal(code, refusals.first().unwrap_or(&Value::Null)),
            Ok(value) => self::refusal(code, &value),
            Err(_) => {
                // An HTML page, as challenges and proxies send it, has no message of one line.
                let page = text.trim_start().starts_with('<');
                let words = if page { "" } else { &*text };
                let message = words.split_whitespace().collect::<Vec<_>>().join(" ");
                let kind = ErrorKind::of(code, &[], None, &message);
                Self { status: code, ..Self::of(kind, message) }
            }
        };
        if refusal.message.is_empty() {
            refusal.message = status.canonical_reason().unwrap_or("no reason given").to_owned();
        }
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let date = header(DATE).and_then(|value| parse_http_date(value).ok());
        let wait =
            header(RETRY_AFTER).and_then(|value| wait_in_header(value, date.unwrap_or_else(SystemTime::now)));
        refusal.retry_after = wait.or(refusal.retry_after);
        refusal
    }
}

/// The object that describes a failure: `error`, else an event of the type `error` itself, as in the Responses API.
fn error_of(event: &Value) -> &Value {
    if event["error"].is_null() && event["type"] == "error" { event } else { &event["error"] }
}

/// The first of the details with which servers in Python refuse a field: of the body, or within its message.
fn first_detail(event: &Value) -> &Value {
    let details = [&event["detail"], &event["message"]["detail"], &event["error"]["message"]["detail"]];
    details.into_iter().find(|it| !it[0].is_null()).map_or(&Value::Null, |it| &it[0])
}

/// Returns the message of a failure in an object.
///
/// The message is in `error`, as text or as an object with message and code, or in `detail`, as
/// text or as a list of messages.
pub(super) fn failure(event: &Value) -> Option<String> {
    let error = error_of(event);
    let code = text(&error["code"]).or_else(|| text(&error["type"]).filter(|it| it != "error"));
    match (text(&error["message"]).or_else(|| text(error)), code) {
        (Some(message), Some(code)) => Some(format!("{message} ({code})")),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => text(&event["detail"]).or_else(|| text(&first_detail(event)["msg"])),
    }
}

/// Reads a refusal from an object.
pub(super) fn refusal(status: Option<u16>, event: &Value) -> Refusal {
    let error = error_of(event);
    let codes = [text(&error["code"]), text(&error["type"]), text(&event["code"]), text(&event["type"])];
    let codes: Vec<&str> = codes.iter().flatten().map(String::as_str).collect();
    // A whole body may have only a `message`.
    let whole = || status.and_then(|_| text(&event["message"]));
    let message = failure(event).or_else(whole).unwrap_or_default();
    let place = first_detail(event)["loc"].as_array().and_then(|it| text(it.last()?));
    let param = text(&error["param"]).or(place);
    Refusal {
        kind: ErrorKind::of(status, &codes, param.as_deref(), &message),
        status,
        param,
        retry_after: retry_after(event).or_else(|| wait_in(&message)),
        message,
    }
}

/// Returns how long an object asks the client to wait: in headers repeated in it, or as the end of
/// a quota's window.
fn retry_after(event: &Value) -> Option<Duration> {
    let header = |headers: &Value, name: &str| {
        let (_, value) = headers.as_object()?.iter().find(|(it, _)| it.eq_ignore_ascii_case(name))?;
        text(value)
    };
    let now = SystemTime::now();
    let after = |headers: &Value| {
        let date = header(headers, "date").and_then(|it| parse_http_date(&it).ok());
        wait_in_header(&header(headers, "retry-after")?, date.unwrap_or(now))
    };
    let error = error_of(event);
    // Google's `RetryInfo`.
    let details = || error["details"].as_array()?.iter().find_map(|it| duration(it["retryDelay"].as_str()?));
    let window = || {
        let seconds = error["resets_in_seconds"].as_f64().or_else(|| {
            let now = now.duration_since(UNIX_EPOCH).ok()?;
            Some((error["resets_at"].as_f64()? - now.as_secs_f64()).max(0.0))
        })?;
        Duration::try_from_secs_f64(seconds).ok()
    };
    after(&event["headers"]).or_else(|| after(&error["headers"])).or_else(details).or_else(window)
}

/// Parses `Retry-After` (RFC 9110 §10.2.3): seconds, or an HTTP date. `now` is the server's own
/// `Date` if there is one, so that a wrong clock on either side does not matter.
fn wait_in_header(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    match value.parse() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => Some(parse_http_date(value).ok()?.duration_since(now).unwrap_or_default()),
    }
}

/// A string, or a number as a string.
fn text(value: &Value) -> Option<String> {
    let string = value.as_str().map(str::to_owned).filter(|text| !text.is_empty());
    string.or_else(|| value.as_number().map(ToString::to_string))
}

/// Codes that determine the kind, whatever the status.
const CODES: &[(ErrorKind, &[&str])] = &[
    // The last is LiteLLM's without a database, for every unknown key.
    (ErrorKind::Unauthorized, &["invalid_api_key", "authentication_error", "no_db_connection"]),
    (ErrorKind::RateLimited, &["rate_limit_exceeded", "rate_limit_error"]),
    (ErrorKind::QuotaUsedUp, &["usage_limit_reached", "usage_limit_exceeded"]),
    (ErrorKind::QuotaUsedUp, &["subscription_sharing_usage_limit_exceeded", "insufficient_quota"]),
    (ErrorKind::QuotaUsedUp, &["usage_not_included", "billing_hard_limit_reached"]),
    (ErrorKind::Overloaded, &["server_is_overloaded", "overloaded_error", "slow_down"]),
    (ErrorKind::ContextTooLong, &["context_length_exceeded", "exceed_context_size_error"]),
    (ErrorKind::Policy, &["invalid_prompt", "content_filter", "cyber_policy", "bio_policy"]),
    (ErrorKind::Policy, &["misalignment_policy_violation"]),
    (ErrorKind::PreviousNotFound, &["previous_response_not_found"]),
    (ErrorKind::ConnectionLimit, &["websocket_connection_limit_reached", "websocket_stream_limit_reached"]),
    (ErrorKind::UnsupportedField, &["unknown_parameter", "unsupported_parameter", "unsupported_value"]),
    (ErrorKind::UnsupportedField, &["invalid_value", "invalid_stream_id"]),
    (ErrorKind::UnsupportedModel, &["model_not_found", "model_not_supported", "model_not_available"]),
    (ErrorKind::UnsupportedModel, &["invalid_model", "DeploymentNotFound"]),
    (ErrorKind::NotFound, &["websocket_unsupported"]),
    (ErrorKind::ServerError, &["server_error"]),
];

/// Messages of servers about requests that are too long, which may also name a field, such as the output's limit. In
/// lower case; all words of a row must occur.
const TOO_LONG: &[(&[&str], ErrorKind)] = &[
    (&["context length"], ErrorKind::ContextTooLong),
    (&["context size"], ErrorKind::ContextTooLong),
    (&["prompt is too long"], ErrorKind::ContextTooLong),
    // Google, xAI, Amazon, and OpenAI without a code.
    (&["input token count", "exceeds the maximum"], ErrorKind::ContextTooLong),
    (&["maximum prompt length"], ErrorKind::ContextTooLong),
    (&["input is too long"], ErrorKind::ContextTooLong),
    (&["reduce the length of the messages"], ErrorKind::ContextTooLong),
];

/// Other messages of servers that refuse without a code.
const WORDS: &[(&[&str], ErrorKind)] = &[
    // Anthropic names a type of thinking that the model lacks, or how to turn thinking off, or the values of a field.
    (&["thinking.type"], ErrorKind::UnsupportedField),
    (&["turn thinking off"], ErrorKind::UnsupportedField),
    (&["input should be '"], ErrorKind::UnsupportedField),
    (&[": extra inputs are not permitted"], ErrorKind::UnsupportedField),
    (&["blocked by content filtering policy"], ErrorKind::Policy),
    (&["model", "not supported"], ErrorKind::UnsupportedModel),
    (&["model", "does not exist"], ErrorKind::UnsupportedModel),
    (&["model", "not found"], ErrorKind::UnsupportedModel),
    (&["invalid model name"], ErrorKind::UnsupportedModel),
    (&["not a valid model id"], ErrorKind::UnsupportedModel),
    // Google and xAI, with the status of an invalid request.
    (&["api key not valid"], ErrorKind::Unauthorized),
    (&["incorrect api key"], ErrorKind::Unauthorized),
    (&["unsupported parameter"], ErrorKind::UnsupportedField),
    (&["unknown parameter"], ErrorKind::UnsupportedField),
    (&["credit balance is too low"], ErrorKind::QuotaUsedUp),
    (&["reached your specified", "usage limits"], ErrorKind::QuotaUsedUp),
];

impl ErrorKind {
    /// Whether another key may help.
    pub fn is_of_key(self) -> bool {
        matches!(self, Self::Unauthorized | Self::NoToken | Self::Forbidden)
    }

    /// Classifies a refusal by its code, else by the field that it names, else by its message, else by its status.
    pub(super) fn of(status: Option<u16>, codes: &[&str], param: Option<&str>, message: &str) -> Self {
        // Some servers have the code of a rate limit for that.
        if status == Some(413) {
            return Self::TooLarge;
        }
        let by_code = codes.iter().find_map(|code| CODES.iter().find(|(_, names)| names.contains(code)));
        if let Some((kind, _)) = by_code {
            return *kind;
        }
        let named = || matches!(status, Some(400 | 422)) && fields::is_named(param, message);
        let message = message.to_lowercase();
        let is_said = |words: &&[&str]| words.iter().all(|word| message.contains(word));
        let by_words = |table: &[(&[&str], Self)]| Some(table.iter().find(|(words, _)| is_said(words))?.1);
        let kind = by_words(TOO_LONG).or_else(|| named().then_some(Self::UnsupportedField));
        if let Some(kind) = kind.or_else(|| by_words(WORDS)) {
            return kind;
        }
        // Anthropic's message about an unknown model is only its name.
        if status == Some(404) && message.starts_with("model:") {
            return Self::UnsupportedModel;
        }
        // Some servers send the status as the code.
        match status.or_else(|| codes.iter().find_map(|code| code.parse().ok())) {
            Some(401) => Self::Unauthorized,
            Some(402) => Self::QuotaUsedUp,
            Some(403) => Self::Forbidden,
            Some(404 | 405 | 426 | 501) => Self::NotFound,
            Some(429) => Self::RateLimited,
            Some(503 | 529) => Self::Overloaded,
            Some(status) if status < 500 && status != 408 => Self::Invalid,
            // Without a status it was accepted and then failed, with an unknown code: a retry may succeed.
            _ => Self::ServerError,
        }
    }
}

/// Parses "try again in 1.5s" and similar hints in a message.
pub(super) fn wait_in(message: &str) -> Option<Duration> {
    let message = message.to_ascii_lowercase();
    let hints = ["try again in ", "retry in ", "retry after "];
    hints.iter().find_map(|hint| duration(message.split_once(hint)?.1))
}

/// Parses a duration at the beginning of a text in lower case, such as `1h2m24s`, `1.5 seconds` or `20`, which means
/// seconds.
fn duration(text: &str) -> Option<Duration> {
    let (mut rest, mut seconds) = (text, None);
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        let digits = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].trim_end_matches('.').parse::<f64>() else { break };
        rest = rest[digits..].trim_start();
        let unit;
        (unit, rest) = rest.split_at(rest.find(|it: char| !it.is_ascii_alphabetic()).unwrap_or(rest.len()));
        let factor = match unit {
            "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "ms" | "msec" | "millisecond" | "milliseconds" => 1e-3,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => break,
        };
        seconds = Some(seconds.unwrap_or(0.0) + number * factor);
    }
    Duration::try_from_secs_f64(seconds?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_code_then_words_then_status() {
        let check = |status, code, message, expected| {
            assert_eq!(
                ErrorKind::of(status, &[code], None, message),
                expected,
                "{status:?} {code} {message}"
            );
        };
        check(Some(400), "previous_response_not_found", "", ErrorKind::PreviousNotFound);
        check(Some(429), "insufficient_quota", "", ErrorKind::QuotaUsedUp);
        check(Some(429), "", "Too Many Requests", ErrorKind::RateLimited);
        check(
            Some(400),
            "",
            "The 'x' model is not supported when using Codex with a ChatGPT account.",
            ErrorKind::UnsupportedModel,
        );
        check(None, "", "Unsupported parameter: stream_id", ErrorKind::UnsupportedField);
        check(Some(400), "what_is_this", "no", ErrorKind::Invalid);
        check(Some(502), "", "", ErrorKind::ServerError);
        check(Some(404), "", "", ErrorKind::NotFound);
        check(Some(404), "model_not_found", "", ErrorKind::UnsupportedModel);
        check(Some(404), "not_found_error", "model: claude-9 (not_found_error)", ErrorKind::UnsupportedModel);
        check(Some(404), "not_found_error", "Not found", ErrorKind::NotFound);
        check(Some(529), "overloaded_error", "Overloaded", ErrorKind::Overloaded);
        check(
            Some(400),
            "invalid_request_error",
            "\"thinking.type.disabled\" is not supported for this model.",
            ErrorKind::UnsupportedField,
        );
        check(
            Some(400),
            "invalid_request_error",
            "prompt is too long: 345320 tokens > 199999 maximum",
            ErrorKind::ContextTooLong,
        );
        check(
            Some(400),
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API.",
            ErrorKind::QuotaUsedUp,
        );
        check(None, "a_new_code", "", ErrorKind::ServerError);
        check(
            Some(400),
            "400",
            "/responses: Invalid model name passed in model=x. Call `/v1/models` to view available models.",
            ErrorKind::UnsupportedModel,
        );
        check(Some(400), "no_db_connection", "No connected db.", ErrorKind::Unauthorized);
        for message in [
            "Unsupported parameter: 'max_tokens' is not supported with this model.",
            "Unrecognized request argument supplied: stream_options",
            "property 'stream_options' is unsupported",
            "Extra inputs are not permitted, field: 'stream_options'",
            "Unknown name \"stream_options\": Cannot find field.",
            "The parameter stream_options is not supported by this model",
        ] {
            check(Some(400), "400", message, ErrorKind::UnsupportedField);
        }
        for message in [
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            "Input is too long for requested model.",
            "Please reduce the length of the messages or `max_tokens`.",
        ] {
            check(Some(400), "", message, ErrorKind::ContextTooLong);
        }
        check(Some(413), "rate_limit_exceeded", "Request too large for model", ErrorKind::TooLarge);
    }

    #[test]
    fn refusals_are_read_in_every_form() {
        let check = |status, event: &str, expected: (ErrorKind, Option<&str>, &str, Option<u64>)| {
            let Refusal { kind, param, message, retry_after, .. } =
                refusal(status, &serde_json::from_str(event).unwrap());
            let shown = (kind, param.as_deref(), &*message, retry_after.map(|it| it.as_secs()));
            assert_eq!(shown, expected, "{event}");
        };
        // OpenAI's event on a stream.
        check(
            None,
            r#"{"type":"error","code":"rate_limit_exceeded","message":"Please try again in 20s.","param":null,"sequence_number":1}"#,
            (ErrorKind::RateLimited, None, "Please try again in 20s. (rate_limit_exceeded)", Some(20)),
        );
        check(
            None,
            r#"{"type":"error","code":"unsupported_parameter","message":"no","param":"max_output_tokens"}"#,
            (ErrorKind::UnsupportedField, Some("max_output_tokens"), "no (unsupported_parameter)", None),
        );
        // Servers in Python, and Mistral's.
        let detail =
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs"}]}"#;
        let expected = (ErrorKind::UnsupportedField, Some("stream_options"), "Extra inputs", None);
        check(Some(422), detail, expected);
        check(Some(422), &format!(r#"{{"object":"error","message":{detail}}}"#), expected);
        // Google's.
        check(
            Some(429),
            r#"{"error":{"code":429,"message":"Quota exceeded.","details":[{"x":1},{"retryDelay":"40s"}]}}"#,
            (ErrorKind::RateLimited, None, "Quota exceeded. (429)", Some(40)),
        );
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let check = |value, expected: Option<u64>| {
            assert_eq!(wait_in_header(value, now), expected.map(Duration::from_millis), "{value}");
        };
        check("2", Some(2_000));
        check(" 0.5 ", Some(500));
        check("Sun, 06 Nov 1994 08:49:44 GMT", Some(7_000));
        check("Sunday, 06-Nov-94 08:50:37 GMT", Some(60_000));
        check("Sun Nov  6 08:49:38 1994", Some(1_000));
        check("Sun, 06 Nov 1994 08:49:30 GMT", Some(0));
        check("-1", None);
        check("soon", None);
    }

    #[test]
    fn refusals_are_read_with_the_servers_own_clock() {
        let headers = HeaderMap::from_iter([
            (DATE, "Sun, 06 Nov 1994 08:49:37 GMT".parse().unwrap()),
            (RETRY_AFTER, "Sun, 06 Nov 1994 08:49:40 GMT".parse().unwrap()),
        ]);
        let refusal = Refusal::read(StatusCode::TOO_MANY_REQUESTS, &headers, b"");
        assert_eq!(refusal.retry_after, Some(Duration::from_secs(3)));
        let headers =
            r#"{"Date":"Sun, 06 Nov 1994 08:49:37 GMT","Retry-After":"Sun, 06 Nov 1994 08:49:42 GMT"}"#;
        let event = serde_json::from_str(&format!(r#"{{"type":"error","headers":{headers}}}"#)).unwrap();
        assert_eq!(super::refusal(Some(429), &event).retry_after, Some(Duration::from_secs(5)));
    }

    #[test]
    fn reads_how_long_to_wait() {
        let check = |message, expected: Option<u64>| {
            assert_eq!(wait_in(message), expected.map(Duration::from_millis), "{message}");
        };
        check("Slow down; try again in 1.5s.", Some(1_500));
        check("Please try again in 20ms.", Some(20));
        check("Try again in 7 seconds", Some(7_000));
        check("try again in 2m", Some(120_000));
        check("Please try again in 1h2m24s.", Some(3_744_000));
        check("try again in 7m12s", Some(432_000));
        check("Please retry in 40.5s.", Some(40_500));
        check("try again in 2 hours", Some(7_200_000));
        check("try again in 1 minute, 5 seconds.", Some(65_000));
        check("try again in 20", Some(20_000));
        check("try again in 3 requests", None);
        check("Try again in a while", None);
        check("Slow down", None);
    }
}
