//! JSON-RPC with one message a line, as protocols for agents have it.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;

/// A message as it comes in: a request, a notification, or an answer.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    /// A notification has none. A request's is never `null`, which agents' protocols forbid.
    #[serde(default, deserialize_with = "some_value")]
    pub(super) id: Option<Value>,
    /// An answer has none.
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) params: Value,
    #[serde(default)]
    pub(super) result: Value,
    pub(super) error: Option<Value>,
}

/// A value that is there, `null` among others.
fn some_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Reads a line; `None` for an empty one.
pub(super) fn read(line: &[u8]) -> Result<Option<Message>, Value> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let refused = |code, why: String| answer(&Value::Null, Err((code, why)));
    match serde_json::from_slice::<Message>(line) {
        Ok(message) if message.id == Some(Value::Null) && message.method.is_some() => {
            Err(refused(INVALID_REQUEST, "the `id` of a request is text or a number".to_owned()))
        }
        Ok(message) => Ok(Some(message)),
        Err(error) => {
            let code = if error.is_data() { INVALID_REQUEST } else { PARSE_ERROR };
            Err(refused(code, error.to_string()))
        }
    }
}

/// The answer to a request: its result, or a code and a message.
pub(super) fn answer(id: &Value, result: Result<Value, (i64, String)>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}
