//! The bodies of messages, as JSON-RPC 2.0.

use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};

use crate::lsp::limits::METHOD_BYTES;
use crate::lsp::protocol::DidChange;

pub(super) const DID_CHANGE: &str = "textDocument/didChange";

/// A message that is not a change of a file.
pub(super) enum Incoming {
    Request(Request),
    Response(Response),
}

/// Decodes a change of a file directly into its type, since every key press sends one.
///
/// Returns `None` for any other message, and for a change that must be [decoded](decode) like other messages.
pub(super) fn decode_change(body: &[u8]) -> Option<DidChange> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Notification<'a> {
        jsonrpc: &'a str,
        method: &'a str,
        params: DidChange,
    }
    let head = body.get(..METHOD_BYTES).unwrap_or(body);
    memmem::find(head, DID_CHANGE.as_bytes())?;
    let Notification { jsonrpc, method, params } = serde_json::from_slice(body).ok()?;
    (jsonrpc == "2.0" && method == DID_CHANGE).then_some(params)
}

/// Decodes a message's body. The error is the answer to send.
pub(super) fn decode(body: &[u8]) -> Result<Incoming, Response> {
    // Nearly every message is a request or notification, so that is tried first. The framework accepts any
    // object as a request; without a method it is not one.
    if let Ok(request) = serde_json::from_slice::<Request>(body)
        && !request.method().is_empty()
    {
        return Ok(Incoming::Request(request));
    }
    if let Ok(response) = serde_json::from_slice(body) {
        return Ok(Incoming::Response(response));
    }
    match serde_json::from_slice::<Value>(body) {
        Err(why) => {
            let error = protocol_error(ErrorCode::ParseError, format!("not JSON: {why}"));
            Err(Response::from_error(Id::Null, error))
        }
        Ok(value) => {
            let id =
                value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok()).unwrap_or(Id::Null);
            let message = "neither a request nor a notification nor an answer of JSON-RPC 2.0".to_owned();
            Err(Response::from_error(id, protocol_error(ErrorCode::InvalidRequest, message)))
        }
    }
}

pub(super) fn protocol_error(code: ErrorCode, message: String) -> Error {
    Error { code, message: message.into(), data: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_change_is_read_without_the_values_between() {
        let params = r#"{"textDocument":{"uri":"a"},"contentChanges":[{"text":"\u00e9"}],"more":[1]}"#;
        let texts = |message: String| {
            let change = decode_change(message.as_bytes())?;
            Some(change.content_changes.into_iter().map(|it| it.text).collect::<String>())
        };
        let change = format!(r#""jsonrpc":"2.0","method":"{DID_CHANGE}","params":{params}"#);
        assert_eq!(texts(format!("{{{change}}}")).as_deref(), Some("é"));
        assert_eq!(texts(format!("{{ {change} }} ")).as_deref(), Some("é"));
        for other in [
            format!(r#"{{"id":null,{change}}}"#),
            format!(r#"{{{change},"method":"exit"}}"#),
            format!("{{{change}}}").replace("2.0", "1.0"),
            format!("{{{change}}}").replace("\"text\"", "\"lines\""),
            format!("{{{change}}}").replace("didChange", "didChangeAll"),
            format!("{{{change}"),
        ] {
            assert_eq!(texts(other.clone()), None, "{other}");
        }
    }
}
