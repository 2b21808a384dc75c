//! Times as they are written in a policy and shown.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::config::token_answer::rfc_3339;
use crate::text::Day;

/// Seconds in a day.
pub(super) const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// Reads a time with its zone (RFC 3339), or the beginning of a day (UTC).
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    match text.len() {
        10 => UNIX_EPOCH.checked_add(Duration::from_secs(Day::parse(text)?.0 * SECONDS_A_DAY)),
        _ => rfc_3339(text),
    }
}

/// A time to the minute.
pub(super) fn shown(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let minutes = seconds % SECONDS_A_DAY / 60;
    format!("{} {:02}:{:02} UTC", Day(seconds / SECONDS_A_DAY), minutes / 60, minutes % 60)
}
