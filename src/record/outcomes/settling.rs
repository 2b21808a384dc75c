//! Follows a position of a file until the text around it has settled.

use std::ops::Range;

use ropey::Rope;

use super::outcome::MOST_OFF;
use super::suggestion_tracker::{LONGEST, SETTLED, moved};

/// A position where something may be typed, followed until the text around it has settled.
#[derive(Debug)]
pub struct Settling {
    text: Rope,
    /// In bytes, including text typed around it.
    place: Range<usize>,
    began: u64,
    changed: u64,
    is_gone: bool,
}

impl Settling {
    /// Follows the byte `at` of a text, from a time in milliseconds.
    pub fn new(time: u64, text: Rope, at: usize) -> Self {
        let at = at.min(text.len_bytes());
        Self { text, place: at..at, began: time, changed: time, is_gone: false }
    }

    /// Applies a change: the bytes `span` became `new`. A span that is not within the text ends the tracking.
    pub fn change(&mut self, time: u64, span: &Range<usize>, new: &str) {
        self.changed = time;
        let length = self.text.len_bytes();
        if span.start > span.end || span.end > length {
            self.is_gone = true;
            return;
        }
        let chars = self.text.byte_to_char(span.start)..self.text.byte_to_char(span.end);
        self.text.remove(chars.clone());
        self.text.insert(chars.start, new);
        // A reload or a branch switch: the text was probably not typed here.
        let covers = span.start <= self.place.start && self.place.end <= span.end;
        self.is_gone |= covers && span.len() + new.len() > 2 * (self.place.len() + MOST_OFF);
        self.place = moved(&self.place, span, new.len(), true);
    }

    /// Whether the text has settled at `time`: after ten seconds without a change, or after five minutes.
    pub fn has_settled(&self, time: u64) -> bool {
        let (quiet, most) = SETTLED;
        time.saturating_sub(self.changed) >= quiet || time.saturating_sub(self.began) >= most
    }

    /// The text typed at the position; `None` if it was replaced as a whole, or is too long to compare.
    pub fn written(&self) -> Option<String> {
        let is_known = !self.is_gone && self.place.len() <= LONGEST;
        is_known.then(|| self.text.byte_slice(self.place.clone()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the text typed at `ˇ` by changes of spans, each a second after the one before.
    fn check(marked: &str, changes: &[(Range<usize>, &str)], expected: Option<&str>) {
        let at = marked.find('ˇ').unwrap();
        let mut settling = Settling::new(0, Rope::from_str(&marked.replace('ˇ', "")), at);
        let mut time = 0;
        for (span, new) in changes {
            time += 1_000;
            settling.change(time, span, new);
            assert!(!settling.has_settled(time + 9_999));
        }
        assert!(settling.has_settled(time + 10_000));
        assert_eq!(settling.written().as_deref(), expected, "{marked} {changes:?}");
    }

    #[test]
    fn what_is_typed_at_the_place_is_written_there() {
        check("猫 = ˇ\n", &[], Some(""));
        check("a = ˇ\nb\n", &[(4..4, "f("), (6..6, "x)"), (0..1, "猫猫")], Some("f(x)"));
        check("a = ˇ\nb\n", &[(6..6, "c")], Some(""));
        check("a = ˇ\n", &[(4..4, "old"), (4..7, "new")], Some("new"));
    }

    #[test]
    fn replaced_text_says_nothing() {
        let other = "x".repeat(MOST_OFF * 2);
        check("a = ˇ\n", &[(0..5, &other)], None);
        check("a = ˇ\n", &[(0..99, "")], None);
    }

    #[test]
    fn text_that_never_rests_settles_after_five_minutes() {
        let mut settling = Settling::new(0, Rope::from_str("a"), 1);
        (1..=300).for_each(|second| settling.change(second * 1_000, &(1..1), "b"));
        assert!(settling.has_settled(300_000) && !settling.has_settled(299_999));
    }
}
