use super::*;
use crate::document::{Document, DocumentId};
use crate::session::changes::replaced;

/// A file and its edits.
struct Play {
    document: Document,
    edits: NextEditQueue,
}

impl Play {
    /// Each `(old, new)` is an edit of the first `old` in the text; they are numbered from 1.
    fn new(text: &str, edits: &[(&str, &str)]) -> Self {
        let document = Document::new(DocumentId::new("a"), "plaintext", 0, text);
        let mut play = Self { document, edits: NextEditQueue::default() };
        for (number, (old, new)) in (1..).zip(edits) {
            let next = play.next(number, old, new);
            assert!(play.edits.add(next));
        }
        play
    }

    fn next(&self, id: u64, old: &str, new: &str) -> NextEdit {
        let start = self.document.text().to_string().find(old).expect("it is there");
        let edit = Edit::new(start..start + old.len(), new);
        NextEdit { id, edit, old: old.to_owned(), repeats: false, rename: None, source: Source::default() }
    }

    fn typed(&mut self, old: &str, new: &str) -> &mut Self {
        let (next, splices) = replaced(&self.document, old, new);
        splices.iter().for_each(|splice| self.edits.advance(splice));
        self.document = next;
        self
    }

    /// Checks the text that the first edit would produce.
    fn check(&self, expected: Option<&str>) {
        let first = self.edits.queued.front().map(|next| {
            let text = self.document.text().to_string();
            crate::edit::apply(&text, std::slice::from_ref(&next.edit))
        });
        assert_eq!(first.as_deref(), expected);
    }
}

#[test]
fn queued_edit_after_accepted_one_is_shown() {
    let mut play = Play::new("a b c", &[("a", "x"), ("c", "猫")]);
    play.check(Some("x b c"));
    play.typed("a", "x").check(Some("x b 猫"));
    assert!(play.edits.accept(1), "reported after the change");
    play.typed("c", "猫").check(None);
}

#[test]
fn edit_under_typing_is_shifted_shortened_or_dropped() {
    let mut play = Play::new("a  c", &[("c", "猫")]);
    play.typed("a", "new a").check(Some("new a  猫"));
    play.typed("c", "d").check(None);
    let mut play = Play::new("f()", &[("()", "(a)")]);
    play.typed("()", "(").check(Some("f(a)"));
}

#[test]
fn repetition_after_other_change_is_dropped() {
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
fn repetition_after_a_line_break_elsewhere_stays() {
    let mut play = Play::new("br a\nend", &[]);
    let mut next = play.next(1, "a", "br");
    next.repeats = true;
    assert!(play.edits.add(next));
    play.typed("end", "end\n").check(Some("br br\nend\n"));
    play.typed("br", "// top\nbr").check(Some("// top\nbr br\nend\n"));
    play.typed("end", "ends").check(None);
}

#[test]
fn repetitions_that_another_server_made_are_gone_and_may_be_reported() {
    let mut play = Play::new("fn a() a a", &[]);
    for (id, place) in [(1, 7..8), (2, 9..10)] {
        let mut next = play.next(id, "a", "br");
        (next.edit.span, next.repeats) = (place, true);
        assert!(play.edits.add(next));
    }
    play.typed("a a", "br br").check(None);
    assert!(play.edits.accept(1) && play.edits.accept(2));
}

#[test]
fn edit_after_much_drift_is_dropped() {
    let mut play = Play::new("a c", &[("c", "d")]);
    for _ in 0..DRIFTING_CHANGES {
        play.typed("a", "ba");
    }
    play.check(Some(&("b".repeat(DRIFTING_CHANGES) + "a d")));
    play.typed("a", "ba").check(None);
    assert!(play.edits.accept(1), "it may still be reported");
}

#[test]
fn rejected_edit_in_its_place_is_not_added() {
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
fn rejected_edit_is_restored_where_its_place_is_now() {
    let mut play = Play::new("a b c", &[("b", "x"), ("c", "y")]);
    assert!(!play.edits.restore_rejected(), "nothing was rejected");
    assert!(play.edits.reject(1));
    play.typed("a", "new a").check(None);
    assert!(play.edits.restore_rejected() && !play.edits.restore_rejected());
    play.check(Some("new a x c"));
    assert!(play.edits.accept(1), "under its number");
}

#[test]
fn rejected_edit_in_changed_text_is_not_restored() {
    let mut play = Play::new("a bb c", &[("bb", "x")]);
    assert!(play.edits.reject(1));
    play.typed("bb", "b猫b");
    assert!(!play.edits.restore_rejected());
    play.check(None);
}

#[test]
fn restored_edit_replaces_queued_one_in_its_place() {
    let mut play = Play::new("a b c", &[("b", "x")]);
    assert!(play.edits.reject(1));
    let other = play.next(2, "b", "z");
    assert!(play.edits.add(other) && play.edits.restore_rejected());
    assert_eq!(play.edits.queued.iter().map(|next| next.id).collect::<Vec<_>>(), [1]);
}

#[test]
fn rejected_repetition_anywhere_is_not_added() {
    let mut play = Play::new("a b a", &[]);
    let mut next = play.next(1, "a", "x");
    next.repeats = true;
    assert!(play.edits.add(next.clone()));
    assert!(play.edits.reject(1));
    next.edit.span = 4..5;
    next.repeats = false;
    assert!(!play.edits.add(next));
}
