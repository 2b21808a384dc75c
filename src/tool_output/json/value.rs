//! The fields of objects.

use serde_json::Value;

/// A text in an object.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// A number in an object.
pub(super) fn number(value: &Value, key: &str) -> Option<usize> {
    usize::try_from(value.get(key)?.as_u64()?).ok()
}

/// A number that counts from 1, as one that counts from 0.
pub(super) fn ordinal(value: &Value, key: &str) -> Option<usize> {
    number(value, key).map(|it| it.saturating_sub(1))
}

/// A list in an object; empty without one.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
