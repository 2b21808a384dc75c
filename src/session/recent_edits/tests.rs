use std::time::Duration;

use super::*;
use crate::session::changes::changed;
use expect_test::{Expect, expect};

/// A file that is edited, with a simulated clock.
struct Typist {
    edits: RecentEdits,
    document: Document,
    now: Instant,
}

impl Typist {
    fn new(uri: &str, text: &str) -> Self {
        let document = Document::new(DocumentId::new(uri), "plaintext", 0, text);
        Self { edits: RecentEdits::default(), document, now: Instant::now() }
    }

    /// Replaces the first `old` in the text by `new` in one change, after `wait` milliseconds.
    fn replace(&mut self, wait: u64, old: &str, new: &str) -> &mut Self {
        let start = self.document.text().to_string().find(old).unwrap_or_else(|| panic!("no {old:?}"));
        self.splice(wait, start..start + old.len(), new)
    }

    /// Types behind the first `place`, a key every 100 ms, after `wait` milliseconds.
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
        let (next, splices) = changed(&self.document, span, new);
        self.edits.record(&self.document, &next, &"a.rs".into(), &splices, self.now);
        self.document = next;
        self
    }

    /// Checks the edits, shown as small diffs.
    fn check(&self, expect: Expect) {
        let mut shown = String::new();
        for edit in self.edits.all() {
            let at = match &edit.at {
                Some(at) => {
                    assert_eq!(self.document.slice(at.clone()), edit.new, "its place is right");
                    String::new()
                }
                None => " (gone)".to_owned(),
            };
            let accepted = if edit.is_accepted { " (accepted)" } else { "" };
            shown += &format!("@ {}{at}{accepted}\n", edit.line + 1);
            shown.extend(edit.above.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n"));
            shown.extend(edit.old.lines().map(|line| format!("- {line}\n")));
            shown.extend(edit.new.lines().map(|line| format!("+ {line}\n")));
            if edit.merged != (edit.old.clone(), edit.new.clone()) {
                shown += &format!("  merged: {:?} -> {:?}\n", edit.merged.0, edit.merged.1);
            }
        }
        expect.assert_eq(&shown);
    }
}

#[test]
fn change_in_long_line_is_no_edit() {
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
          merged: "one\n" -> "2\n"
    "#]]);
}

#[test]
fn keys_close_together_are_one_edit() {
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
fn change_after_pause_or_jump_begins_another_edit() {
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
          merged: "two\n" -> "twos!\n"
    "#]]);
}

#[test]
fn place_follows_later_changes() {
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
fn change_taken_back_key_by_key_is_no_edit() {
    let mut typist = Typist::new("a", "let a = ;\n");
    typist.types(0, "= ", "b").replace(100, "= b", "= ");
    typist.check(expect![[""]]);
    assert!(!typist.edits.ends_in_undo(&DocumentId::new("a")), "a key taken back is typing");
}

#[test]
fn undo_and_redo_are_recognized() {
    let id = DocumentId::new("a");
    let mut typist = Typist::new("a", "let count = 1;\nlet b = count;\n");
    typist.replace(0, "count = 1", "total = 1");
    assert!(!typist.edits.ends_in_undo(&id));
    typist.replace(3_000, "total = 1", "count = 1");
    assert!(typist.edits.ends_in_undo(&id), "an undo at once");
    typist.replace(3_000, "count = 1", "total = 1");
    assert!(typist.edits.ends_in_undo(&id), "and the redo");
    typist.types(3_000, "total = 1", "0");
    assert!(!typist.edits.ends_in_undo(&id));
    let mut typist = Typist::new("a", "x\ny\n");
    typist.types(0, "x", "abc").types(0, "y", "d").replace(100, "xabc", "x");
    assert!(typist.edits.ends_in_undo(&id), "several keys, and something else in between");
}

#[test]
fn undone_edit_is_forgotten_and_a_redone_one_is_back() {
    let mut typist = Typist::new("a", "let name = 1;\nuse(name);\n");
    typist.replace(0, "name", "alpha").replace(3_000, "alpha", "name");
    typist.check(expect![[""]]);
    typist.replace(3_000, "name", "alpha");
    let redone = expect![[r#"
        @ 1
        - let name = 1;
        + let alpha = 1;
    "#]];
    typist.check(redone);
    assert!(typist.edits.ends_in_redo(&DocumentId::new("a")));
    typist.replace(3_000, "alpha", "name").replace(3_000, "name", "beta");
    typist.check(expect![[r#"
        @ 1
        - let name = 1;
        + let beta = 1;
    "#]]);
}

#[test]
fn text_read_from_the_disk_has_the_edits_that_had_led_to_it() {
    let text = format!("one\n{}two\n{}three\n", "\n".repeat(20), "\n".repeat(2_000));
    let mut typist = Typist::new("a", &text);
    typist.replace(0, "one", "1").replace(3_000, "two", "2");
    let kept = typist.document.text().to_string();
    typist.replace(3_000, "three", "3");
    let length = typist.document.text().len_bytes();
    typist.splice(3_000, 0..length, &kept);
    typist.check(expect![[r#"
        @ 1
        - one
        + 1
        @ 22


        - two
        + 2
    "#]]);
    // More text than a person types, and back.
    typist.splice(3_000, 0..kept.len(), &"another branch\n".repeat(1_000));
    let length = typist.document.text().len_bytes();
    typist.splice(3_000, 0..length, &text);
    typist.check(expect![[""]]);
}

#[test]
fn formatting_is_no_part_of_an_edit_and_does_not_push_it_out() {
    let text = format!("let name=1;\n{}", format!("f(  );\n{}", "\n".repeat(20)).repeat(8));
    let mut typist = Typist::new("a", &text);
    typist.replace(0, "name", "beta");
    for _ in 0..8 {
        typist.replace(100, "(  )", "()");
    }
    let edits = typist.edits.all();
    assert_eq!((edits[0].new.as_str(), edits.len()), ("let beta=1;\n", RECENT_EDITS));
    assert!(edits[1..].iter().all(|edit| edit.is_blank()));
}

#[test]
fn accepted_edits_do_not_push_out_what_they_follow_from() {
    let text = format!("fn one() {{}}\n{}", format!("one();{}", "\n".repeat(20)).repeat(12));
    let mut typist = Typist::new("a", &text);
    typist.replace(0, "fn one", "fn two");
    for _ in 0..12 {
        typist.replace(100, "\none", "\ntwo");
        typist.edits.mark_accepted(&DocumentId::new("a"));
    }
    let edits = typist.edits.all();
    assert_eq!((edits[0].new.as_str(), edits[0].is_accepted), ("fn two() {}\n", false));
    assert!(edits[1..].iter().all(|edit| edit.is_accepted));
}

#[test]
fn retyped_word_is_no_redo() {
    let id = DocumentId::new("a");
    let check = |deletions: &[(&str, &str)]| {
        let mut typist = Typist::new("a", "self.\n");
        typist.types(0, "self.", "height = ");
        for (old, new) in deletions {
            typist.replace(500, old, new);
        }
        let mut place = typist.document.text().to_string().trim_end_matches('\n').to_owned();
        let missing = "self.height = ".strip_prefix(&*place).expect("a part of it");
        for key in missing.chars() {
            typist.types(100, &place, &key.to_string());
            assert!(!typist.edits.ends_in_undo(&id), "{deletions:?}, {key:?} behind {place:?}");
            place.push(key);
        }
    };
    check(&[("height = ", "height ")]);
    check(&[("height = ", "")]);
    check(&[("= ", ""), ("height ", "")]);
    check(&[("self.height = ", "")]);
    // Undone, redone and typed again.
    check(&[("height = ", ""), ("self.", "self.height = "), ("height = ", "")]);
}

#[test]
fn name_that_begins_as_an_undone_one_is_one_edit() {
    let mut typist = Typist::new("a", "f(width)\n");
    typist.replace(0, "width", "w").types(100, "w", "id").replace(500, "wid", "width");
    // Long after, another name is typed over the same word, of which an earlier text had the beginning.
    typist.replace(90_000, "width", "w").types(100, "w", "ide");
    typist.check(expect![[r#"
        @ 1 (gone)
        - f(width)
        + f(wid)
        @ 1
        - f(wid)
        + f(wide)
          merged: "f(width)\n" -> "f(wide)\n"
    "#]]);
}

#[test]
fn bracket_with_its_closer_typed_again_is_no_redo() {
    let mut typist = Typist::new("a", "f\n");
    typist.replace(0, "f", "f()").replace(500, "f()", "f").replace(500, "f", "f()");
    assert!(!typist.edits.ends_in_undo(&DocumentId::new("a")));
}

#[test]
fn accepted_suggestion_that_restores_text_is_no_redo() {
    let id = DocumentId::new("a");
    let mut typist = Typist::new("a", "self.height\n");
    typist.replace(0, "height", "").replace(500, "self.", "self.height");
    assert!(typist.edits.ends_in_undo(&id), "so far it looks like an undo");
    typist.edits.mark_accepted(&id);
    assert!(!typist.edits.ends_in_undo(&id));
}

#[test]
fn requested_edit_that_restores_text_is_no_redo() {
    let id = DocumentId::new("a");
    let mut typist = Typist::new("a", "width\n");
    typist.replace(0, "width", "breadth").replace(500, "breadth", "width");
    assert!(typist.edits.ends_in_undo(&id));
    typist.edits.expect(&typist.document, [(0..5, "breadth")].into_iter());
    typist.replace(500, "width", "breadth");
    assert!(!typist.edits.ends_in_undo(&id), "it was made again");
    // The expectation counts once: the editor's own redo is a redo.
    typist.replace(500, "breadth", "width").replace(500, "width", "breadth");
    assert!(typist.edits.ends_in_undo(&id));
    // A change other than the expected one is judged as usual.
    typist.edits.expect(&typist.document, [(0..7, "height")].into_iter());
    typist.replace(500, "breadth", "width");
    assert!(typist.edits.ends_in_undo(&id));
}

#[test]
fn oldest_edits_are_dropped() {
    let mut typist = Typist::new("a", "0\n");
    for number in 1..20 {
        typist.replace(5_000, &format!("{}\n", number - 1), &format!("{number}\n"));
    }
    assert_eq!(typist.edits.all().len(), RECENT_EDITS);
    typist.replace(0, "19", &"formatted\n".repeat(1_000));
    assert!(typist.edits.all().iter().all(|edit| edit.at.is_none()), "no place is known any more");
}

#[test]
fn accepted_suggestion_is_marked() {
    let mut typist = Typist::new("a", "a\nb\n");
    typist.replace(0, "b", "bcd");
    typist.edits.mark_accepted(&DocumentId::new("a"));
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
          merged: "b\n" -> "bcde\n"
    "#]]);
}

#[test]
fn accepted_suggestion_within_typing_is_an_edit_of_its_own() {
    let text = "a = 1\nb = 2\n";
    let mut typist = Typist::new("a", text);
    // Near in position and time: without the report it would be one edit.
    typist.types(0, "a = 1", "0").replace(100, "b = 2", "b = 20");
    typist.edits.mark_accepted(&DocumentId::new("a"));
    typist.check(expect![[r#"
        @ 1
        - a = 1
        + a = 10
        @ 2 (accepted)
          a = 10
        - b = 2
        + b = 20
    "#]]);
    // On the same line, each is shown, and both together are one change.
    let mut typist = Typist::new("a", "f(width)\n");
    typist.replace(0, "width", "br").replace(100, "br", "breadth");
    typist.edits.mark_accepted(&DocumentId::new("a"));
    typist.check(expect![[r#"
        @ 1 (gone)
        - f(width)
        + f(br)
        @ 1 (accepted)
        - f(br)
        + f(breadth)
          merged: "f(width)\n" -> "f(breadth)\n"
    "#]]);
    let told: Vec<(bool, bool)> =
        typist.edits.all().iter().map(|edit| (edit.is_shown_separately, edit.is_mixed)).collect();
    assert_eq!(told, [(true, false), (false, true)]);
}

#[test]
fn edits_in_two_files_take_turns() {
    let mut typist = Typist::new("long", &"line\n".repeat(100));
    typist.splice(0, 450..454, "last");
    let (long, edits) = (typist.document, typist.edits);
    let mut typist = Typist {
        edits,
        document: Document::new(DocumentId::new("short"), "plaintext", 0, ""),
        now: typist.now,
    };
    typist.splice(100, 0..0, "a");
    let mut typist = Typist { document: long, ..typist };
    typist.splice(100, 450..454, "next");
    assert_eq!(typist.edits.all().len(), 3);
}

#[test]
fn last_line_without_an_end_has_none_below() {
    let mut typist = Typist::new("file:///a.rs", "a = 1\nb = 2");
    typist.replace(0, "2", "20");
    let edits = typist.edits.all();
    assert_eq!((edits[0].above.as_str(), edits[0].below.as_str()), ("a = 1\n", ""));
}
