//! Bodies of JSON-RPC messages.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(super) fn message(mut content: Value) -> Vec<u8> {
    content["jsonrpc"] = "2.0".into();
    content.to_string().into_bytes()
}

/// The parameters of a message; `None` if they cannot be read.
pub(super) fn params<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    #[derive(Deserialize)]
    struct Message<T> {
        params: T,
    }
    serde_json::from_slice::<Message<T>>(body).ok().map(|it| it.params)
}

/// The message with another id; `None` if it is no object.
pub(super) fn with_id(body: &[u8], id: Value) -> Option<Vec<u8>> {
    let mut message: Value = serde_json::from_slice(body).ok()?;
    message.as_object_mut()?.insert("id".to_owned(), id);
    Some(message.to_string().into_bytes())
}
