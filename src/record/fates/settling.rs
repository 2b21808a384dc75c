//! What comes to stand at a place of a file once its text has settled.

use std::ops::Range;

use ropey::Rope;

use super::fate::MOST_OFF;
use super::life::{LONGEST, SETTLED, moved};

/// A place at which something may be written, until the text around it has settled.
#[derive(Debug)]
pub struct Settling {
    text: Rope,
    /// In bytes, with what is typed around it.
    place: Range<usize>,
    began: u64,
    changed: u64,
    is_gone: bool,
}

impl Settling {
    /// A byte of a text, at a time in milliseconds.
    pub fn new(time: u64, text: Rope, at: usize) -> Self {
        let at = at.min(text.len_bytes());
        Self { text, place: at..at, began: time, changed: time, is_gone: false }
    }

    /// The text was changed: these bytes of it became another text. What is no span of the text is an end of the place.
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
        // A reload, or a branch: nothing says that it was written here.
        let covers = span.start <= self.place.start && self.place.end <= span.end;
        self.is_gone |= covers && span.len() + new.len() > 2 * (self.place.len() + MOST_OFF);
        self.place = moved(&self.place, span, new.len(), true);
    }

    /// Whether the text has settled at a time: ten seconds are quiet, or five minutes have passed.
    pub fn has_settled(&self, time: u64) -> bool {
        let (quiet, most) = SETTLED;
        time.saturating_sub(self.changed) >= quiet || time.saturating_sub(self.began) >= most
    }

    /// What stands at the place; `None` if it was replaced as a whole, or is too long to be compared.
    pub fn written(&self) -> Option<String> {
        let is_known = !self.is_gone && self.place.len() <= LONGEST;
        is_known.then(|| self.text.byte_slice(self.place.clone()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written at `ˇ` by changes of spans, each a second after the one before.
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
