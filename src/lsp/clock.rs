//! Times as the protocol represents them: whole milliseconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(super) use crate::record::milliseconds;

/// Milliseconds since the Unix epoch (1970).
pub(super) fn now() -> u64 {
    milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// The end of a duration that starts now, in milliseconds since the Unix epoch (1970).
///
/// Rounded up to whole seconds, so that equal states compare equal.
pub(super) fn end_of(duration: Duration) -> u64 {
    (now() + milliseconds(duration)).div_ceil(1_000) * 1_000
}
