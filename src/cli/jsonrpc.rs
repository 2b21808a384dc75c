//! JSON-RPC with one message per line, as in agent protocols (ACP and MCP).

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;

/// The outcome of a request: its result, or an error code and message.
pub(super) type Answer = Result<Value, (i64, String)>;

/// An incoming message: a request, a notification, or an answer.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    /// Absent in notifications. Never `null` in requests, which agent protocols forbid.
    #[serde(default, deserialize_with = "some_value")]
    pub(super) id: Option<Value>,
    /// Absent in answers.
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) params: Value,
    #[serde(default)]
    pub(super) result: Value,
    pub(super) error: Option<Value>,
}

/// Deserializes a field that is present, even if it is `null`, to `Some`.
fn some_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The error of a request.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) code: i64,
    pub(super) message: String,
    /// Machine-readable details, if the protocol defines them; otherwise `null`.
    pub(super) data: Value,
}

impl From<(i64, String)> for Fault {
    fn from((code, message): (i64, String)) -> Self {
        Self { code, message, data: Value::Null }
    }
}

/// Parses a line; `None` if it is blank.
pub(super) fn read(line: &[u8]) -> Result<Option<Message>, Value> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let refused = |code, why: String| answer(&Value::Null, Err((code, why)));
    let is_name = |id: &Value| id.is_string() || id.is_number();
    match serde_json::from_slice::<Message>(line) {
        Ok(message) if message.method.is_some() && message.id.as_ref().is_some_and(|id| !is_name(id)) => {
            Err(refused(INVALID_REQUEST, "the `id` of a request is text or a number".to_owned()))
        }
        Ok(message) => Ok(Some(message)),
        Err(error) => {
            let code = if error.is_data() { INVALID_REQUEST } else { PARSE_ERROR };
            Err(refused(code, error.to_string()))
        }
    }
}

/// Builds the response to a request from its result or error.
pub(super) fn answer(id: &Value, result: Result<Value, impl Into<Fault>>) -> Value {
    match result.map_err(Into::into) {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Fault { code, message, data }) => {
            let mut error = json!({ "code": code, "message": message });
            if !data.is_null() {
                error["data"] = data;
            }
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }
}
