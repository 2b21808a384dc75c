//! What the bodies of requests have in common.

use serde::Serialize;

use crate::model::Request;
use crate::model::error_kind::Refusal;
use crate::model::fields::{Field, Fields};

/// The value, unless the endpoint refuses the field.
pub(super) fn take<T>(fields: &Fields, field: Field, value: T) -> Option<T> {
    fields.takes(field).then_some(value)
}

/// Bytes of a body besides the prompt, and of its escapes.
const BESIDE_BYTES: usize = 2 * 1024;

/// Writes the body of a request, into one piece of memory if it is as long as its prompt.
pub(super) fn write(request: &Request, body: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    let mut written = Vec::with_capacity(request.instructions.len() + request.input.len() + BESIDE_BYTES);
    match serde_json::to_writer(&mut written, body) {
        Ok(()) => Ok(written),
        Err(error) => Err(Refusal::invalid(format!("the request cannot be written: {error}"))),
    }
}
