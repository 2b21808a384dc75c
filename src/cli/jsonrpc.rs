//! JSON-RPC with one message a line, as protocols for agents have it.

use serde::Deserialize;
use serde_json::{Value, json};

const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;

/// A message as it comes in: a request, a notification, or an answer.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    /// A notification has none.
    pub(super) id: Option<Value>,
    /// An answer has none.
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) params: Value,
    #[serde(default)]
    pub(super) result: Value,
    pub(super) error: Option<Value>,
}

/// Reads a line; `None` for an empty one.
///
/// # Errors
///
/// It is no message; what is to be answered.
pub(super) fn read(line: &[u8]) -> Result<Option<Message>, Value> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(line).map(Some).map_err(|error| {
        let code = if error.is_data() { INVALID_REQUEST } else { PARSE_ERROR };
        answer(&Value::Null, Err((code, error.to_string())))
    })
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
