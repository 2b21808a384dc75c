//! Access to the fields of JSON objects.

use serde_json::Value;

use crate::tool_output::diagnostic::Severity;

/// A string field of an object.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// A number field of an object.
pub(super) fn number(value: &Value, key: &str) -> Option<usize> {
    usize::try_from(value.get(key)?.as_u64()?).ok()
}

/// A number field that counts from 1, converted to count from 0.
pub(super) fn ordinal(value: &Value, key: &str) -> Option<usize> {
    number(value, key).map(|it| it.saturating_sub(1))
}

/// A list field of an object; empty if missing.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The severity that a field names; a remark unless it is an error or a warning.
pub(super) fn severity(value: &Value, key: &str) -> Severity {
    match text(value, key) {
        Some("error" | "fatal error" | "error: internal compiler error") => Severity::Error,
        Some("warning") => Severity::Warning,
        _ => Severity::Information,
    }
}
