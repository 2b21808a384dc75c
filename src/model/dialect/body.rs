//! What the bodies of requests have in common.

use serde::Serialize;

use crate::model::error_kind::Refusal;
use crate::model::fields::{Field, Fields};

/// The value, unless the endpoint refuses the field.
pub(super) fn take<T>(fields: &Fields, field: Field, value: T) -> Option<T> {
    fields.takes(field).then_some(value)
}

/// Writes a body.
pub(super) fn write(body: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(body)
        .map_err(|error| Refusal::invalid(format!("the request cannot be written: {error}")))
}
