use super::*;
use crate::document::Change;
use crate::document::position::{Encoding, position_at};
use expect_test::{Expect, expect};

/// A file that is edited, with a clock of its own.
struct Typist {
    history: History,
    document: Document,
    now: Instant,
}

impl Typist {
    fn new(uri: &str, text: &str) -> Self {
        let document = Document::new(DocumentId::new(uri), "plaintext", 0, text);
        Self { history: History::default(), document, now: Instant::now() }
    }

    /// Puts `new` in the place of the first `old` in the text, in one change, after so many milliseconds.
    fn replace(&mut self, wait: u64, old: &str, new: &str) -> &mut Self {
        let start = self.document.text().to_string().find(old).unwrap_or_else(|| panic!("no {old:?}"));
        self.splice(wait, start..start + old.len(), new)
    }

    /// Types behind the first `place`, a key every 100 ms, after so many milliseconds.
    fn types(&mut self, wait: u64, place: &str, keys: &str) -> &mut Self {
        let start = self.document.text().to_string().find(place).unwrap_or_else(|| panic!("no {place:?}"));
        let mut at = start + place.len();
        self.now += Duration::from_millis(wait);
        for key in keys.chars() {
            self.splice(100, at..at, &key.to_string());
            at += key.len_utf8();
        }
        self
    }

    fn splice(&mut self, wait: u64, span: Range<usize>, new: &str) -> &mut Self {
        self.now += Duration::from_millis(wait);
        let position = |byte| position_at(self.document.text(), byte, Encoding::Utf8);
        let change = Change { range: Some(position(span.start)..position(span.end)), text: new.to_owned() };
        let (next, splices) = self.document.edited(&[change], Encoding::Utf8, 1).expect("it fits");
        self.history.record(&self.document, &next, &"a.rs".into(), &splices, self.now);
        self.document = next;
        self
    }

    /// The steps as small diffs.
    fn check(&self, expect: Expect) {
        let mut shown = String::new();
        for step in self.history.steps() {
            let at = match &step.at {
                Some(at) => {
                    assert_eq!(self.document.slice(at.clone()), step.new, "its place is right");
                    String::new()
                }
                None => " (gone)".to_owned(),
            };
            let accepted = if step.is_accepted { " (accepted)" } else { "" };
            shown += &format!("@ {}{at}{accepted}\n", step.line + 1);
            shown.extend(step.above.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n"));
            shown.extend(step.old.lines().map(|line| format!("- {line}\n")));
            shown.extend(step.new.lines().map(|line| format!("+ {line}\n")));
            if step.whole != (step.old.clone(), step.new.clone()) {
                shown += &format!("  whole: {:?} -> {:?}\n", step.whole.0, step.whole.1);
            }
        }
        expect.assert_eq(&shown);
    }
}

#[test]
fn a_key_in_a_line_without_end_is_no_step() {
    let mut typist = Typist::new("a", &format!("one\n{}two\n", "[1,2],".repeat(20_000)));
    typist
        .replace(0, "one", "1")
        .splice(100, 90..90, "x")
        .splice(100, 90..91, "")
        .replace(5_000, "1\n", "2\n");
    typist.check(expect![[r#"
        @ 1 (gone)
        - one
        + 1
        @ 1
        - 1
        + 2
          whole: "one\n" -> "2\n"
    "#]]);
}

#[test]
fn keys_close_together_are_one_step() {
    let mut typist = Typist::new("a", "fn f() {\n    let 猫 = 1;\n}\n");
    typist.types(0, "= 1;", "\n    g(猫").types(500, "g(猫", ");");
    typist.check(expect![[r#"
        @ 3
          fn f() {
              let 猫 = 1;
        +     g(猫);
    "#]]);
}

#[test]
fn a_pause_or_a_jump_begins_another_step() {
    let text = "one\n".to_owned() + &"\n".repeat(20) + "two\n";
    let mut typist = Typist::new("a", &text);
    typist.types(0, "one", "s").types(100, "two", "s").types(3_000, "twos", "!");
    typist.check(expect![[r#"
        @ 1
        - one
        + ones
        @ 22 (gone)


        - two
        + twos
        @ 22


        - twos
        + twos!
          whole: "two\n" -> "twos!\n"
    "#]]);
}

#[test]
fn places_follow_later_changes() {
    let mut typist = Typist::new("a", &format!("a\n{}z\n", "\n".repeat(30)));
    typist.replace(0, "z", "y").replace(5_000, "a\n", "a\nb\nc\n");
    typist.check(expect![[r#"
        @ 32


        - z
        + y
        @ 2
          a
        + b
        + c
    "#]]);
}

#[test]
fn what_was_taken_back_key_by_key_is_no_step() {
    let mut typist = Typist::new("a", "let a = ;\n");
    typist.types(0, "= ", "b").replace(100, "= b", "= ");
    typist.check(expect![[""]]);
    assert!(!typist.history.ends_in_undo(&DocumentId::new("a")), "a key taken back is typing");
}

#[test]
fn knows_undo_and_redo() {
    let id = DocumentId::new("a");
    let mut typist = Typist::new("a", "let count = 1;\nlet b = count;\n");
    typist.replace(0, "count = 1", "total = 1");
    assert!(!typist.history.ends_in_undo(&id));
    typist.replace(3_000, "total = 1", "count = 1");
    assert!(typist.history.ends_in_undo(&id), "an undo at once");
    typist.replace(3_000, "count = 1", "total = 1");
    assert!(typist.history.ends_in_undo(&id), "and the redo");
    typist.types(3_000, "total = 1", "0");
    assert!(!typist.history.ends_in_undo(&id));
    let mut typist = Typist::new("a", "x\ny\n");
    typist.types(0, "x", "abc").types(0, "y", "d").replace(100, "xabc", "x");
    assert!(typist.history.ends_in_undo(&id), "several keys, and something else in between");
}

#[test]
fn only_the_last_steps_are_kept() {
    let mut typist = Typist::new("a", "0\n");
    for number in 1..20 {
        typist.replace(5_000, &format!("{}\n", number - 1), &format!("{number}\n"));
    }
    assert_eq!(typist.history.steps().len(), STEPS);
    typist.replace(0, "19", &"formatted\n".repeat(1_000));
    assert!(typist.history.steps().iter().all(|step| step.at.is_none()), "no place is known any more");
}

#[test]
fn accepted_suggestions_are_marked() {
    let mut typist = Typist::new("a", "a\nb\n");
    typist.replace(0, "b", "bcd");
    typist.history.accepted(&DocumentId::new("a"));
    typist.types(100, "bcd", "e");
    typist.check(expect![[r#"
        @ 2 (gone) (accepted)
          a
        - b
        + bcd
        @ 2
          a
        - bcd
        + bcde
          whole: "b\n" -> "bcde\n"
    "#]]);
}

#[test]
fn files_of_any_length_take_turns() {
    let mut typist = Typist::new("long", &"line\n".repeat(100));
    typist.splice(0, 450..454, "last");
    let (long, history) = (typist.document, typist.history);
    let mut typist = Typist {
        history,
        document: Document::new(DocumentId::new("short"), "plaintext", 0, ""),
        now: typist.now,
    };
    typist.splice(100, 0..0, "a");
    let mut typist = Typist { document: long, ..typist };
    typist.splice(100, 450..454, "line");
    assert_eq!(typist.history.steps().len(), 3);
}
