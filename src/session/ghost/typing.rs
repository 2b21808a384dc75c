//! How fast the user types, and what the last edit of a file was.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::document::{Document, Splice};

/// Keys further apart than this belong to two runs.
const MAX_KEY_GAP: Duration = Duration::from_secs(1);
/// The share of a new interval in the moving averages.
const INTERVAL_SHARE: f64 = 0.25;
/// A change of more text than this was not typed.
const MAX_TYPED_BYTES: usize = 16 * 1024;

/// How fast the user types, over all files.
#[derive(Debug, Default)]
pub(in crate::session) struct TypingRate {
    last: Option<Instant>,
    interval: Option<KeyInterval>,
}

/// The time between two keys of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyInterval {
    /// The moving average.
    pub mean: Duration,
    /// The moving average of the distance from it.
    pub deviation: Duration,
}

impl TypingRate {
    /// A key was typed.
    pub(in crate::session) fn record_key(&mut self, now: Instant) {
        let gap = self.last.map(|last| now.saturating_duration_since(last)).filter(|gap| *gap < MAX_KEY_GAP);
        let mix =
            |old: Duration, new: Duration| old.mul_f64(1.0 - INTERVAL_SHARE) + new.mul_f64(INTERVAL_SHARE);
        self.interval = match (self.interval, gap) {
            (Some(KeyInterval { mean, deviation }), Some(gap)) => {
                Some(KeyInterval { mean: mix(mean, gap), deviation: mix(deviation, mean.abs_diff(gap)) })
            }
            (None, Some(gap)) => Some(KeyInterval { mean: gap, deviation: gap / 4 }),
            (interval, None) => interval,
        };
        self.last = Some(now);
    }

    /// The interval, once there were two keys.
    pub(in crate::session) fn interval(&self) -> Option<KeyInterval> {
        self.interval
    }
}

/// The kind of an edit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EditKind {
    /// The file was not edited since it was opened.
    #[default]
    None,
    /// Text was typed or pasted.
    Typed,
    /// Text was deleted, this many times in a row.
    Deleted(u32),
    /// More text changed at once than is ever typed.
    Bulk,
}

/// The last edit of a file, and when it was made.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::session) struct LastEdit {
    pub(in crate::session) kind: EditKind,
    pub(in crate::session) at: Option<Instant>,
}

impl LastEdit {
    /// An edit that was just typed.
    pub(in crate::session) fn typed(now: Instant) -> Self {
        Self { kind: EditKind::Typed, at: Some(now) }
    }

    /// Records the changes from `old` to `new`. True if they are a single key.
    pub(in crate::session) fn record(
        &mut self,
        old: &Document,
        new: &Document,
        splices: &[Splice],
        now: Instant,
    ) -> bool {
        let Some((before, after)) = hull(splices) else { return false };
        if before.len().max(after.len()) > MAX_TYPED_BYTES {
            *self = Self { kind: EditKind::Bulk, at: Some(now) };
            return false;
        }
        let (removed, made) = (old.slice(before), new.slice(after));
        if removed == made {
            return false;
        }
        self.at = Some(now);
        self.kind = match self.kind {
            EditKind::Deleted(times) if made.is_empty() => EditKind::Deleted(times.saturating_add(1)),
            _ if made.is_empty() => EditKind::Deleted(1),
            _ => EditKind::Typed,
        };
        // A letter, perhaps with the closer that the editor pairs with it.
        removed.is_empty() && made.chars().take(3).count() <= 2
    }
}

/// The bytes of the old text that the changes touched, and of the new text there.
fn hull(splices: &[Splice]) -> Option<(Range<usize>, Range<usize>)> {
    let mut hull: Option<(Range<usize>, Range<usize>)> = None;
    for Splice { span, text, .. } in splices {
        let (old, new) = hull.get_or_insert_with(|| (span.clone(), span.clone()));
        if span.start < new.start {
            old.start -= new.start - span.start;
            new.start = span.start;
        }
        if span.end > new.end {
            old.end += span.end - new.end;
            new.end = span.end;
        }
        new.end = new.end - span.len() + text.len();
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::position::{Encoding, position_at};
    use crate::document::{Change, DocumentId};
    use expect_test::{Expect, expect};

    /// Makes each change `(start, end, text)` and shows what it was, with a `!` for a key.
    fn check(text: &str, changes: &[(usize, usize, &str)], expect: Expect) {
        let mut document = Document::new(DocumentId::new("untitled:a"), "rust", 0, text);
        let mut last_edit = LastEdit::default();
        let mut shown = Vec::new();
        for (start, end, text) in changes {
            let position = |byte| position_at(document.text(), byte, Encoding::Utf8);
            let change = Change { range: Some(position(*start)..position(*end)), text: (*text).to_owned() };
            let (next, splices) = document.edited(&[change], Encoding::Utf8, 1).expect("it fits the text");
            let is_key = last_edit.record(&document, &next, &splices, Instant::now());
            document = next;
            shown.push(format!("{:?}{}", last_edit.kind, if is_key { "!" } else { "" }));
        }
        expect.assert_eq(&shown.join(" "));
    }

    #[test]
    fn change_is_classified_and_counted() {
        check(
            "a\nb\n",
            &[(0, 1, "a"), (1, 1, "x"), (1, 2, ""), (0, 1, ""), (0, 0, "()"), (0, 0, "pasted")],
            expect!["None Typed! Deleted(1) Deleted(2) Typed! Typed"],
        );
        check("", &[(0, 0, &"x".repeat(20_000)), (0, 0, "y")], expect!["Bulk Typed!"]);
    }

    #[test]
    fn typing_rate_is_the_average_of_runs() {
        let start = Instant::now();
        let mut typing = TypingRate::default();
        for at in [0, 100, 200, 300, 5_000, 5_200] {
            typing.record_key(start + Duration::from_millis(at));
        }
        let interval = typing.interval().expect("there were keys");
        assert_eq!(interval.mean, Duration::from_millis(125));
        assert!(interval.deviation > Duration::from_millis(25), "{interval:?}");
    }
}
