//! The typist: how fast keys follow each other, and what the last change to a file was.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::document::{Document, Splice};

/// Keys further apart than this do not belong to one run.
const RUN: Duration = Duration::from_secs(1);
/// How much of the last interval goes into the mean.
const SHARE: f64 = 0.25;
/// A change of more text than this is no typing (bytes).
const BULK: usize = 16 * 1024;

/// The pace of somebody's keys, over all files.
#[derive(Debug, Default)]
pub(in crate::session) struct Pace {
    last: Option<Instant>,
    rhythm: Option<Rhythm>,
}

/// The usual time between two keys of one run, and how far it is off, as a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// The mean.
    pub interval: Duration,
    /// The mean distance from it.
    pub spread: Duration,
}

impl Pace {
    /// A key was typed.
    pub(in crate::session) fn key(&mut self, now: Instant) {
        let gap = self.last.map(|last| now.saturating_duration_since(last)).filter(|gap| *gap < RUN);
        let mix = |old: Duration, new: Duration| old.mul_f64(1.0 - SHARE) + new.mul_f64(SHARE);
        self.rhythm = match (self.rhythm, gap) {
            (Some(Rhythm { interval, spread }), Some(gap)) => {
                Some(Rhythm { interval: mix(interval, gap), spread: mix(spread, interval.abs_diff(gap)) })
            }
            (None, Some(gap)) => Some(Rhythm { interval: gap, spread: gap / 4 }),
            (rhythm, None) => rhythm,
        };
        self.last = Some(now);
    }

    /// The rhythm, once there were two keys.
    pub(in crate::session) fn rhythm(&self) -> Option<Rhythm> {
        self.rhythm
    }
}

/// What the last change to a file was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LastChange {
    /// There was none since the file was opened.
    #[default]
    None,
    /// Text was typed or pasted.
    Typed,
    /// Text was taken away: so many times in a row.
    Deleted(u32),
    /// So much text changed at once that nobody typed it.
    Bulk,
}

/// What the last change to a file was, and when it came.
#[derive(Debug, Default)]
pub(in crate::session) struct Trail {
    pub(in crate::session) last: LastChange,
    pub(in crate::session) at: Option<Instant>,
}

impl Trail {
    /// Follows the changes from `old` to `new`. True if a key was typed.
    pub(in crate::session) fn follow(
        &mut self,
        old: &Document,
        new: &Document,
        splices: &[Splice],
        now: Instant,
    ) -> bool {
        let Some((before, after)) = hull(splices) else { return false };
        if before.len().max(after.len()) > BULK {
            (self.last, self.at) = (LastChange::Bulk, Some(now));
            return false;
        }
        let (taken, made) = (old.slice(before), new.slice(after));
        if taken == made {
            return false;
        }
        self.at = Some(now);
        self.last = match self.last {
            LastChange::Deleted(times) if made.is_empty() => LastChange::Deleted(times.saturating_add(1)),
            _ if made.is_empty() => LastChange::Deleted(1),
            _ => LastChange::Typed,
        };
        // A letter, perhaps with the closer that the editor pairs with it.
        taken.is_empty() && made.chars().take(3).count() <= 2
    }
}

/// The bytes of the old text that the changes touched, and what became of them in the new one.
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
        let mut trail = Trail::default();
        let mut shown = Vec::new();
        for (start, end, text) in changes {
            let position = |byte| position_at(document.text(), byte, Encoding::Utf8);
            let change = Change { range: Some(position(*start)..position(*end)), text: (*text).to_owned() };
            let (next, splices) = document.edited(&[change], Encoding::Utf8, 1).expect("it fits the text");
            let is_key = trail.follow(&document, &next, &splices, Instant::now());
            document = next;
            shown.push(format!("{:?}{}", trail.last, if is_key { "!" } else { "" }));
        }
        expect.assert_eq(&shown.join(" "));
    }

    #[test]
    fn what_a_change_was() {
        check(
            "a\nb\n",
            &[(0, 1, "a"), (1, 1, "x"), (1, 2, ""), (0, 1, ""), (0, 0, "()"), (0, 0, "pasted")],
            expect!["None Typed! Deleted(1) Deleted(2) Typed! Typed"],
        );
        check("", &[(0, 0, &"x".repeat(20_000)), (0, 0, "y")], expect!["Bulk Typed!"]);
    }

    #[test]
    fn pace_is_the_mean_of_a_run() {
        let start = Instant::now();
        let mut pace = Pace::default();
        for at in [0, 100, 200, 300, 5_000, 5_200] {
            pace.key(start + Duration::from_millis(at));
        }
        let rhythm = pace.rhythm().expect("there were keys");
        assert_eq!(rhythm.interval, Duration::from_millis(125));
        assert!(rhythm.spread > Duration::from_millis(25), "{rhythm:?}");
    }
}
