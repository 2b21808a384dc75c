//! JSON-RPC with one message a line, as protocols for agents have it.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;

/// What a request comes to: its result, or a code and a message.
pub(super) type Answer = Result<Value, (i64, String)>;

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

/// Why a request has no result.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) code: i64,
    pub(super) message: String,
    /// The same for programs, where the protocol names a form for it; otherwise `null`.
    pub(super) data: Value,
}

impl From<(i64, String)> for Fault {
    fn from((code, message): (i64, String)) -> Self {
        Self { code, message, data: Value::Null }
    }
}

/// Reads a line; `None` for an empty one.
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

/// The answer to a request: its result, or what is wrong.
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
