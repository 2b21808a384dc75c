//! The user's typing rate, and the kind of a file's last edit.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::document::{Document, Splice};

/// The longest gap between two keys that counts towards the rhythm.
///
/// After a longer gap the user was reading, thinking or waiting for a suggestion.
const MAX_KEY_GAP: Duration = Duration::from_millis(400);
/// How many gaps are kept.
const MAX_GAPS: usize = 16;
/// The maximum size of a typed change, in bytes.
const MAX_TYPED_BYTES: usize = 16 * 1024;

/// The typing rate over all files: the gaps between the last keys within runs.
#[derive(Debug, Default)]
pub struct TypingRate {
    last: Option<Instant>,
    /// Newest last.
    gaps: VecDeque<Duration>,
}

impl TypingRate {
    /// Records a key press.
    pub fn record_key(&mut self, now: Instant) {
        let gap = self.last.replace(now).map(|last| now.saturating_duration_since(last));
        if let Some(gap) = gap.filter(|gap| *gap <= MAX_KEY_GAP) {
            if self.gaps.len() == MAX_GAPS {
                self.gaps.pop_front();
            }
            self.gaps.push_back(gap);
        }
    }

    /// The median gap, once two keys of a run were typed.
    pub fn median_gap(&self) -> Option<Duration> {
        let mut gaps: Vec<Duration> = self.gaps.iter().copied().collect();
        gaps.sort_unstable();
        gaps.get(gaps.len() / 2).copied()
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
    /// More text changed at once than a user types.
    Bulk,
}

/// The last edit of a file, and when it was made.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::session) struct LastEdit {
    pub(in crate::session) kind: EditKind,
    pub(in crate::session) at: Option<Instant>,
}

impl LastEdit {
    /// An edit typed just now.
    pub(in crate::session) fn typed(now: Instant) -> Self {
        Self { kind: EditKind::Typed, at: Some(now) }
    }

    /// Records the changes from `old` to `new`. Returns true if they are a single key press.
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
        // A character, perhaps with a closer that the editor adds.
        removed.is_empty() && made.chars().take(3).count() <= 2
    }
}

/// The span of the old text that the changes touched, and its span in the new text.
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
    use crate::document::DocumentId;
    use crate::session::changes::changed;
    use expect_test::{Expect, expect};

    /// Applies each change `(start, end, text)` and checks the recorded kinds, with a `!` for a key press.
    fn check(text: &str, changes: &[(usize, usize, &str)], expect: Expect) {
        let mut document = Document::new(DocumentId::new("untitled:a"), "rust", 0, text);
        let mut last_edit = LastEdit::default();
        let mut shown = Vec::new();
        for (start, end, text) in changes {
            let (next, splices) = changed(&document, *start..*end, text);
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
    fn typing_rate_is_the_median_within_runs() {
        let check = |gaps: &[u64], expected: Option<u64>| {
            let mut now = Instant::now();
            let mut typing = TypingRate::default();
            typing.record_key(now);
            for gap in gaps {
                now += Duration::from_millis(*gap);
                typing.record_key(now);
            }
            assert_eq!(typing.median_gap(), expected.map(Duration::from_millis), "{gaps:?}");
        };
        check(&[], None);
        check(&[5_000], None);
        check(&[120], Some(120));
        check(&[100, 100, 5_000, 200, 600, 100], Some(100));
        // A user who stops for an answer after each word keeps the rhythm.
        check(&[100, 110, 90, 350, 100, 110, 90, 350, 100, 110, 90, 350], Some(110));
        // A new rhythm is learned within a few words.
        check(&[[60; 16], [200; 16]].concat(), Some(200));
        check(&[[60; 16].as_slice(), &[200; 9]].concat(), Some(200));
    }
}
