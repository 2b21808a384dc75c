//! Reports models that their provider is about to shut down, in time and at most once a week.

use std::path::Path;

use super::usage::default_folder;
use crate::config::models::slug;
use crate::disk::{self, Links};
use crate::text::Day;

/// Days before a model's shutdown from which on it is reported.
const SAID_BEFORE: u64 = 30;
/// Days between two reports.
const SAID_EVERY: u64 = 7;
/// Maximum size of a note file in bytes; it holds one number.
const NOTE_BYTES: u64 = 64;

/// The shutdown of a model as a clause: `retires in 20 days`. `None` if it is far away.
pub fn clause(shutdown: Day, today: Day) -> Option<String> {
    match shutdown.0.checked_sub(today.0) {
        None => Some("has been retired".to_owned()),
        Some(0) => Some("retires today".to_owned()),
        Some(1) => Some("retires tomorrow".to_owned()),
        Some(days) if days <= SAID_BEFORE => Some(format!("retires in {days} days")),
        Some(_) => None,
    }
}

/// The message about a model's shutdown, if one is due.
///
/// Records that it was reported; blocks on disk access.
pub(super) fn due(model: &str, shutdown: Day, today: Day) -> Option<String> {
    let clause = clause(shutdown, today)?;
    let folder = default_folder()?.join("retirements");
    is_due(&folder, model, today)
        .then(|| format!("Tandem: {model} {clause}; choose another model with `tandem setup`"))
}

/// Whether nothing was reported about a model this week. If so, records a report.
fn is_due(folder: &Path, model: &str, today: Day) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let name: String = slug(model).chars().map(|it| if is_plain(it) { it } else { '_' }).take(80).collect();
    let file = folder.join(format!("{name}.said"));
    let said = disk::text(&file, NOTE_BYTES, Links::Refuse).ok();
    let said = said.and_then(|text| text.trim().parse::<u64>().ok());
    if said.is_some_and(|said| said <= today.0 && today.0 < said + SAID_EVERY) {
        return false;
    }
    if let Err(error) = disk::write_private(&file, &today.0.to_string()) {
        // Then it is reported at each start, which is better than never.
        tracing::debug!(%error, "that a model retires was said and cannot be noted");
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_is_told_by_days() {
        let check = |in_days: i64, expected: Option<&str>| {
            let shutdown = Day(20_000_u64.checked_add_signed(in_days).unwrap());
            assert_eq!(clause(shutdown, Day(20_000)).as_deref(), expected);
        };
        check(31, None);
        check(20, Some("retires in 20 days"));
        check(1, Some("retires tomorrow"));
        check(0, Some("retires today"));
        check(-3, Some("has been retired"));
    }

    #[test]
    fn each_model_is_said_once_a_week() {
        let folder = tempfile::tempdir().unwrap();
        let is_due = |model: &str, day: u64| is_due(&folder.path().join("a"), model, Day(day));
        assert!(is_due("vendor/some:model", 100));
        assert!(!is_due("vendor/some:model", 100) && !is_due("vendor/some:model", 106));
        assert!(is_due("other", 106));
        assert!(is_due("vendor/some:model", 107));
        assert!(is_due("vendor/some:model", 50), "the clock was set back");
    }
}
