//! Helpers that the bodies of all dialects share.

use serde::Serialize;

use crate::model::Request;
use crate::model::error_kind::Refusal;
use crate::model::fields::{Field, Fields};

/// Returns the value, unless the endpoint refuses the field.
pub(super) fn take<T>(fields: &Fields, field: Field, value: T) -> Option<T> {
    fields.takes(field).then_some(value)
}

/// Bytes reserved for the rest of a body besides the prompt, including escapes.
const BESIDE_BYTES: usize = 2 * 1024;

/// Serializes the body of a request into a buffer sized for its prompt.
pub(super) fn write(request: &Request, body: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    let mut written = Vec::with_capacity(request.instructions.len() + request.input.len() + BESIDE_BYTES);
    match serde_json::to_writer(&mut written, body) {
        Ok(()) => Ok(written),
        Err(error) => Err(Refusal::invalid(format!("the request cannot be written: {error}"))),
    }
}
