//! The next edits of one file: the ones that wait to be shown, the one that is, and the ones that were rejected.
//!
//! All of them are carried over every change to their file. What the user typed into the place of one ends it, unless
//! it was the beginning of that very edit.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::document::{DocumentId, Splice};
use crate::edit::{Edit, rebase};
use crate::session::ghost::Maker;

/// The most rejections that are remembered.
const REJECTIONS: usize = 20;
/// Changes after which the edits that wait are no longer what comes next, if none of them led to one.
const DRIFT: usize = 24;
/// Searches for the same file begin so far apart at least, however often somebody asks.
const APART: Duration = Duration::from_millis(300);
/// Numbers of edits that are gone, for the editor may report them late.
const GONE: usize = 16;

/// One edit that is, or may be, suggested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextEdit {
    /// The number by which the editor reports what became of it.
    pub id: u64,
    /// The edit, in bytes of the current text.
    pub edit: Edit,
    /// The text that it replaces.
    pub old: String,
    /// Whether it does in one more place what the user did in others.
    pub repeats: bool,
    /// Who made it.
    pub maker: Maker,
}

/// The next edits of one file.
#[derive(Debug, Default)]
pub(in crate::session) struct NextEdits {
    /// In the order in which they are to be shown.
    waiting: VecDeque<NextEdit>,
    gone: VecDeque<NextEdit>,
    rejected: VecDeque<Rejected>,
    /// Changes since the last one that led towards an edit.
    drift: usize,
    /// The version for which there was nothing to suggest, and the line of the cursor.
    nothing: Option<(u64, usize)>,
    /// When the last search began.
    searched: Option<Instant>,
    /// The file that what was done in this one leads to.
    pub(in crate::session) elsewhere: Option<DocumentId>,
}

#[derive(Debug)]
struct Rejected {
    old: String,
    new: String,
    /// Where it stood, as far as that is known.
    at: Option<Range<usize>>,
    repeats: bool,
}

impl NextEdits {
    /// Carries everything over a change.
    pub(in crate::session) fn advance(&mut self, splice: &Splice) {
        let typed = Edit::new(splice.span.clone(), splice.text.clone());
        let mut toward = false;
        let gone = &mut self.gone;
        self.waiting.retain_mut(|next| {
            match rebase::over(std::slice::from_ref(&next.edit), std::slice::from_ref(&typed)) {
                Ok(mut rest) => match rest.pop() {
                    Some(edit) => {
                        if edit.text.len() < next.edit.text.len() {
                            toward = true;
                            next.old.clear();
                        }
                        next.edit = edit;
                        true
                    }
                    None => {
                        toward = true;
                        remember(gone, next.clone(), GONE);
                        false
                    }
                },
                Err(_) => {
                    remember(gone, next.clone(), GONE);
                    false
                }
            }
        });
        if !toward {
            // What repeats a step is worked out again from what that has become: a word may be half typed.
            self.waiting.retain(|next| !next.repeats);
        }
        for rejected in &mut self.rejected {
            rejected.at = rejected.at.take().and_then(|at| moved(at, splice));
        }
        self.drift = if toward { 0 } else { self.drift + 1 };
        if self.drift > DRIFT {
            self.clear();
        }
    }

    /// Puts edits in the place of those that waited.
    pub(in crate::session) fn replace(&mut self, edits: Vec<NextEdit>) {
        self.clear();
        for edit in edits {
            self.add(edit);
        }
    }

    /// Adds an edit behind those that wait; false if it is one that the user rejected, or meets one that waits.
    pub(in crate::session) fn add(&mut self, next: NextEdit) -> bool {
        let meets = |other: &NextEdit| {
            other.edit.span.start <= next.edit.span.end && next.edit.span.start <= other.edit.span.end
        };
        if self.is_rejected(&next) || self.waiting.iter().any(meets) {
            return false;
        }
        self.drift = 0;
        self.nothing = None;
        self.waiting.push_back(next);
        true
    }

    /// The edit to be shown now.
    pub(in crate::session) fn first(&self) -> Option<&NextEdit> {
        self.waiting.front()
    }

    /// Who made an edit, as long as it is known.
    pub(in crate::session) fn maker(&self, id: u64) -> Option<&Maker> {
        self.waiting.iter().chain(&self.gone).find(|next| next.id == id).map(|next| &next.maker)
    }

    /// Lets go of the edits that wait.
    pub(in crate::session) fn clear(&mut self) {
        for next in self.waiting.drain(..) {
            remember(&mut self.gone, next, GONE);
        }
        self.drift = 0;
    }

    /// Notes that the user took an edit; true if it is known.
    pub(in crate::session) fn accept(&mut self, id: u64) -> bool {
        self.take(id).is_some()
    }

    /// Notes that the user does not want an edit; true if it is known. What waits behind it goes, too.
    pub(in crate::session) fn reject(&mut self, id: u64) -> bool {
        let Some(next) = self.take(id) else { return false };
        self.clear();
        let (NextEdit { old, repeats, .. }, Edit { span, text }) = (next.clone(), next.edit);
        remember(&mut self.rejected, Rejected { old, new: text, at: Some(span), repeats }, REJECTIONS);
        true
    }

    /// How long to wait before the next search.
    pub(in crate::session) fn until_search(&self, now: Instant) -> Duration {
        self.searched.map_or(Duration::ZERO, |at| (at + APART).saturating_duration_since(now))
    }

    /// Notes that a search begins.
    pub(in crate::session) fn note_search(&mut self, now: Instant) {
        self.searched = Some(now);
    }

    /// Notes that there is nothing to suggest for a version, with the cursor on this line.
    pub(in crate::session) fn note_nothing(&mut self, revision: u64, line: usize) {
        self.nothing = Some((revision, line));
    }

    /// Whether it is known that there is nothing to suggest.
    pub(in crate::session) fn knows_nothing(&self, revision: u64, line: usize) -> bool {
        self.nothing == Some((revision, line))
    }

    /// Whether the user rejected this edit: the same text in the same place, or one more of a repetition anywhere.
    fn is_rejected(&self, next: &NextEdit) -> bool {
        self.rejected.iter().any(|rejected| {
            let same = rejected.old == next.old && rejected.new == next.edit.text;
            let place = rejected
                .at
                .as_ref()
                .is_some_and(|at| at.start <= next.edit.span.end && next.edit.span.start <= at.end);
            // Two edits with the same new text in the same place are one to the user, wherever they begin.
            (same && rejected.repeats) || (place && (same || rejected.new.trim() == next.edit.text.trim()))
        })
    }

    fn take(&mut self, id: u64) -> Option<NextEdit> {
        let find = |edits: &mut VecDeque<NextEdit>| {
            let at = edits.iter().position(|next| next.id == id)?;
            edits.remove(at)
        };
        find(&mut self.waiting).or_else(|| find(&mut self.gone))
    }
}

/// Where a place is after a change; nowhere if its inside changed.
fn moved(at: Range<usize>, splice: &Splice) -> Option<Range<usize>> {
    if splice.span.end <= at.start {
        let start = at.start - splice.span.len() + splice.text.len();
        return Some(start..start + at.len());
    }
    (splice.span.start >= at.end).then_some(at)
}

fn remember<T>(list: &mut VecDeque<T>, it: T, most: usize) {
    list.push_back(it);
    if list.len() > most {
        list.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::position::{Encoding, position_at};
    use crate::document::{Change, Document, DocumentId};

    /// A file and its edits.
    struct Play {
        document: Document,
        edits: NextEdits,
    }

    impl Play {
        /// Each `(old, new)` is an edit of the first `old` in the text; they are numbered from 1.
        fn new(text: &str, edits: &[(&str, &str)]) -> Self {
            let document = Document::new(DocumentId::new("a"), "plaintext", 0, text);
            let mut play = Self { document, edits: NextEdits::default() };
            for (number, (old, new)) in (1..).zip(edits) {
                let next = play.next(number, old, new);
                assert!(play.edits.add(next));
            }
            play
        }

        fn next(&self, id: u64, old: &str, new: &str) -> NextEdit {
            let start = self.document.text().to_string().find(old).expect("it is there");
            let edit = Edit::new(start..start + old.len(), new);
            NextEdit { id, edit, old: old.to_owned(), repeats: false, maker: Maker::default() }
        }

        fn typed(&mut self, old: &str, new: &str) -> &mut Self {
            let start = self.document.text().to_string().find(old).expect("it is there");
            let position = |byte| position_at(self.document.text(), byte, Encoding::Utf8);
            let range = position(start)..position(start + old.len());
            let change = Change { range: Some(range), text: new.to_owned() };
            let (next, splices) = self.document.edited(&[change], Encoding::Utf8, 1).expect("it fits");
            splices.iter().for_each(|splice| self.edits.advance(splice));
            self.document = next;
            self
        }

        /// What the first edit would make of the text.
        fn check(&self, expected: Option<&str>) {
            let first = self.edits.first().map(|next| {
                let text = self.document.text().to_string();
                crate::edit::apply(&text, std::slice::from_ref(&next.edit))
            });
            assert_eq!(first.as_deref(), expected);
        }
    }

    #[test]
    fn one_follows_the_other_without_a_question() {
        let mut play = Play::new("a b c", &[("a", "x"), ("c", "猫")]);
        play.check(Some("x b c"));
        play.typed("a", "x").check(Some("x b 猫"));
        assert!(play.edits.accept(1), "reported after the change");
        play.typed("c", "猫").check(None);
    }

    #[test]
    fn typing_shifts_shortens_or_ends_them() {
        let mut play = Play::new("a  c", &[("c", "猫")]);
        play.typed("a", "new a").check(Some("new a  猫"));
        play.typed("c", "d").check(None);
        let mut play = Play::new("f()", &[("()", "(a)")]);
        play.typed("()", "(").check(Some("f(a)"));
    }

    #[test]
    fn repetitions_end_with_the_next_change() {
        let mut play = Play::new("br a c", &[]);
        for (id, old) in [(1, "a"), (2, "c")] {
            let mut next = play.next(id, old, "br");
            next.repeats = true;
            assert!(play.edits.add(next));
        }
        play.typed("a", "br").check(Some("br br br"));
        play.typed("br", "bre").check(None);
    }

    #[test]
    fn what_the_user_leaves_behind_is_forgotten() {
        let mut play = Play::new("a c", &[("c", "d")]);
        for _ in 0..DRIFT {
            play.typed("a", "ba");
        }
        play.check(Some(&("b".repeat(DRIFT) + "a d")));
        play.typed("a", "ba").check(None);
        assert!(play.edits.accept(1), "it may still be reported");
    }

    #[test]
    fn rejected_ones_do_not_come_back() {
        let mut play = Play::new("a b c", &[("b", "x"), ("c", "y")]);
        assert!(play.edits.reject(1) && !play.edits.reject(7));
        play.check(None);
        play.typed("a", "new a");
        let again = play.next(3, "b", "x");
        assert!(!play.edits.add(again), "in its place, wherever that is now");
        let other = play.next(4, "b", "z");
        assert!(play.edits.add(other), "another text there is another edit");
    }

    #[test]
    fn a_rejected_repetition_is_one_everywhere() {
        let mut play = Play::new("a b a", &[]);
        let mut next = play.next(1, "a", "x");
        next.repeats = true;
        assert!(play.edits.add(next.clone()));
        assert!(play.edits.reject(1));
        next.edit.span = 4..5;
        next.repeats = false;
        assert!(!play.edits.add(next));
    }
}
