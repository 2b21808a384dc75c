//! Times as the protocol has them: whole milliseconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// The second, in milliseconds since 1970, in which a duration from now ends.
///
/// In whole seconds, so that equal states look equal.
pub(super) fn end_of(duration: Duration) -> u64 {
    (now() + milliseconds(duration)).div_ceil(1_000) * 1_000
}

/// A duration in whole milliseconds.
pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
