//! Maps ranges of earlier versions of a file to the current one.
//!
//! Ranges use the editor's lines and columns.
//!
//! Diagnostics of other servers arrive late: a compiler takes seconds, and its ranges refer to the text that it
//! read. Earlier texts are not kept for that. A change alone shows by how many lines and columns it shifts the
//! text behind it.

use std::collections::VecDeque;
use std::ops::Range;

use crate::document::Change;
use crate::document::position::{Encoding, Position};
use crate::session::limits::MAPPED_CHANGES;

/// The last changes of one file, with the versions that they led to.
#[derive(Debug, Default)]
pub(super) struct VersionMap {
    /// Oldest first, each with the version that the editor gave its result.
    shifts: VecDeque<(i32, Shift)>,
    /// The oldest version that can be mapped.
    oldest: i32,
}

/// The effect of a change on the positions behind it.
#[derive(Debug)]
enum Shift {
    /// `range` became a text with `lines` line ends and a last line of `width` columns.
    Of { range: Range<Position>, lines: u32, width: u32, ends_line: bool },
    /// The whole text was replaced.
    All,
}

impl VersionMap {
    /// A map for a file that was opened with this version.
    pub(super) fn new(version: i32) -> Self {
        Self { shifts: VecDeque::new(), oldest: version }
    }

    /// Adds the changes that led to a version.
    pub(super) fn push(&mut self, version: i32, changes: &[Change], encoding: Encoding) {
        let goes_back = self.shifts.back().is_some_and(|(last, _)| version < *last);
        if goes_back || changes.iter().any(|change| change.range.is_none()) {
            // The previous text was replaced, or its version numbers are reused.
            *self = Self::new(version);
        }
        for change in changes {
            self.shifts.push_back((version, Shift::of(change, encoding)));
            if self.shifts.len() > MAPPED_CHANGES
                && let Some((version, _)) = self.shifts.pop_front()
            {
                self.oldest = version;
            }
        }
    }

    /// Maps a range of `version` to the current one.
    ///
    /// Returns `None` if its text changed, or if the version is too old.
    pub(super) fn now(&self, version: i32, current: i32, range: Range<Position>) -> Option<Range<Position>> {
        if version < self.oldest || version > current {
            return None;
        }
        let later = self.shifts.iter().filter(|(after, _)| *after > version);
        later.map(|(_, shift)| shift).try_fold(range, |range, shift| shift.carry(range))
    }
}

impl Shift {
    fn of(change: &Change, encoding: Encoding) -> Self {
        let Some(range) = change.range.clone() else { return Self::All };
        let text = change.text.replace("\r\n", "\n");
        // Half of a line ending: the effect depends on the text that it joins.
        if change.text.contains('\r') && (text.contains('\r') || change.text.ends_with('\r')) {
            return Self::All;
        }
        let last = text.rsplit('\n').next().unwrap_or_default();
        let width = match encoding {
            Encoding::Utf8 => last.len(),
            Encoding::Utf16 => last.encode_utf16().count(),
            Encoding::Utf32 => last.chars().count(),
        };
        let count = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        Self::Of {
            range,
            lines: count(text.matches('\n').count()),
            width: count(width),
            ends_line: text.ends_with('\n'),
        }
    }

    fn carry(&self, place: Range<Position>) -> Option<Range<Position>> {
        let Self::Of { range, ends_line, .. } = self else { return None };
        if range.start > place.end {
            return Some(place);
        }
        // A letter typed right before a word may extend it; a whole line does not.
        let is_before =
            range.end < place.start || range.end == place.start && (*ends_line || range.start != range.end);
        is_before.then(|| self.moved(place.start)..self.moved(place.end))
    }

    /// A position behind the change, after the change.
    fn moved(&self, at: Position) -> Position {
        let Self::Of { range, lines, width, .. } = self else { return at };
        let line =
            range.start.line.saturating_add(*lines).saturating_add(at.line.saturating_sub(range.end.line));
        if at.line > range.end.line {
            return Position::new(line, at.column);
        }
        let before = if *lines == 0 { range.start.column } else { 0 };
        let column = before.saturating_add(*width).saturating_add(at.column.saturating_sub(range.end.column));
        Position::new(line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::position::{clamped_byte_at, position_at};
    use crate::document::{Document, DocumentId};

    /// Puts a range at `«…»`; each edit replaces the first `old`. Checks the resulting range.
    #[track_caller]
    fn check(marked: &str, edits: &[(&str, &str)], expected: &str) {
        let text = marked.replace(['«', '»'], "");
        let start = marked.find('«').unwrap();
        let end = marked.find('»').unwrap() - '«'.len_utf8();
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let mut document = Document::new(DocumentId::new("a"), "plaintext", 3, &text);
            let position = |document: &Document, byte| position_at(document.text(), byte, encoding);
            let range = position(&document, start)..position(&document, end);
            let mut versions = VersionMap::new(3);
            for (version, (old, new)) in (4..).zip(edits) {
                let at = document.text().to_string().find(old).unwrap();
                let range = position(&document, at)..position(&document, at + old.len());
                let change = Change { range: Some(range), text: (*new).to_owned() };
                versions.push(version, std::slice::from_ref(&change), encoding);
                document = document.edited(&[change], encoding, version).unwrap().0;
            }
            let shown = match versions.now(3, document.version(), range) {
                None => "gone".to_owned(),
                Some(range) => {
                    let byte = |at| clamped_byte_at(document.text(), at, encoding);
                    let mut shown = document.text().to_string();
                    shown.insert(byte(range.end), '»');
                    shown.insert(byte(range.start), '«');
                    shown
                }
            };
            assert_eq!(shown, expected, "{encoding:?}");
        }
    }

    #[test]
    fn range_after_changes_before_it_is_moved() {
        check("a 猫 «b𝄞c» d\n", &[("a", "猫𝄞"), ("猫𝄞 ", "x\n猫 ")], "x\n猫 猫 «b𝄞c» d\n");
        check("one\ntwo\n«three»\n", &[("one\n", ""), ("t", "new\r\nt")], "new\r\ntwo\n«three»\n");
        check("one\ntwo «three\nfour» five\n", &[("one\ntwo ", "2 ")], "2 «three\nfour» five\n");
        check("one\n«two»\n", &[("one\n", "one\nmore\n")], "one\nmore\n«two»\n");
        check("a «b» c\n", &[("c", "\n\nd"), ("a ", "")], "«b» \n\nd\n");
    }

    #[test]
    fn range_with_changed_text_is_dropped() {
        check("a «bc» d\n", &[("c", "x")], "gone");
        check("a «bc» d\n", &[("bc", "xbc")], "gone");
        check("a «bc» d\n", &[("a b", "b")], "gone");
        check("a «bc» d\n", &[("d", "\rd")], "gone");
    }

    #[test]
    fn range_of_unknown_version_is_none() {
        let at = |line| Position::new(line, 0)..Position::new(line, 1);
        let key =
            |line| Change { range: Some(Position::new(line, 0)..Position::new(line, 0)), text: "\n".into() };
        let mut versions = VersionMap::new(1);
        assert_eq!(versions.now(1, 1, at(5)), Some(at(5)));
        assert_eq!((versions.now(0, 1, at(5)), versions.now(2, 1, at(5))), (None, None));
        let last = MAPPED_CHANGES as i32 + 10;
        for version in 2..=last {
            versions.push(version, &[key(0)], Encoding::Utf16);
        }
        assert_eq!(versions.now(1, last, at(5)), None, "too long ago");
        assert_eq!(versions.now(last - 3, last, at(5)), Some(at(8)));
        versions.push(last + 1, &[Change { range: None, text: "x".into() }], Encoding::Utf16);
        assert_eq!(versions.now(last, last + 1, at(5)), None, "the whole text came");
        versions.push(1, &[Change { range: None, text: "x".into() }], Encoding::Utf16);
        versions.push(2, &[key(0)], Encoding::Utf16);
        assert_eq!(versions.now(1, 2, at(5)), Some(at(6)), "the numbers begin anew");
        versions.push(1, &[key(0)], Encoding::Utf16);
        assert_eq!(versions.now(1, 1, at(5)), Some(at(5)), "and once more");
    }
}
