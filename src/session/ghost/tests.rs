//! A session's ghost text, driven as an editor and a model would: marked text in, what is on screen out.

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::config::Settings;
use crate::document::Change;
use crate::document::position::{Encoding, position_at};

/// One step of a play; bytes count in the text at that moment, `ˇ` left out.
enum Step {
    /// The cursor types a text.
    Type(&'static str),
    /// The editor puts text right of the cursor.
    Pair(&'static str),
    /// So many bytes left of the cursor are taken away.
    Back(usize),
    /// The bytes `start..end` are replaced, without the cursor.
    Edit(usize, usize, &'static str),
    /// A call begins at the cursor.
    Ask(u64),
    /// A call's model has written so much, the second part of which can be shown.
    Grow(u64, &'static str, &'static str),
    /// A call's model is done: the text, and what of it to show first.
    Done(u64, &'static str, &'static str),
    /// A call came to nothing.
    Nothing(u64),
    /// A suggestion is accepted, which the editor says after its change.
    Accept(u64),
    /// The newest suggestion is dismissed.
    Reject,
}

use Step::*;

struct Play {
    session: Session,
    id: DocumentId,
    cursor: usize,
    calls: Vec<(u64, AbortHandle)>,
    numbers: u64,
    now: Instant,
}

impl Play {
    fn start(marked: &str) -> Self {
        let cursor = marked.find('ˇ').expect("a cursor");
        let mut session = Session::new(Encoding::Utf8, Vec::new(), Arc::new(Settings::default()));
        let id = DocumentId::new("file:///a.rs");
        session.open(id.clone(), "rust", 1, &marked.replace('ˇ', ""), "a.rs");
        Self { session, id, cursor, calls: Vec::new(), numbers: 0, now: Instant::now() }
    }

    fn document(&self) -> Arc<Document> {
        self.session.snapshot(&self.id).expect("the file is open").document
    }

    fn replace(&mut self, start: usize, end: usize, text: &str) {
        let document = self.document();
        let position = |byte| position_at(document.text(), byte, Encoding::Utf8);
        let change = Change { range: Some(position(start)..position(end)), text: text.to_owned() };
        self.session.change(&self.id, None, &[change], self.now);
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Type(text) => {
                self.replace(self.cursor, self.cursor, text);
                self.cursor += text.len();
            }
            Pair(text) => self.replace(self.cursor, self.cursor, text),
            Back(bytes) => {
                self.replace(self.cursor - bytes, self.cursor, "");
                self.cursor -= bytes;
            }
            Edit(start, end, text) => {
                self.replace(start, end, text);
                if end <= self.cursor {
                    self.cursor = self.cursor + text.len() - (end - start);
                }
            }
            Ask(number) => {
                let (handle, _) = AbortHandle::new_pair();
                self.calls.push((number, handle.clone()));
                let call = Call { number, handle, by_hand: false };
                assert!(self.session.begin_call(&self.document(), &Spot::at(self.cursor), call));
            }
            Grow(call, text, ready) => {
                let (ControlFlow::Continue(()) | ControlFlow::Break(())) =
                    self.session.grow(&self.id, call, text, ready, self.now);
            }
            Done(call, text, first) => self.session.end_call(&self.id, call, Ok((text, first.len()))),
            Nothing(call) => self.session.end_call(&self.id, call, Err(Reason::NothingToAdd)),
            Accept(number) => assert!(self.session.accept(number, self.now)),
            Reject => assert!(self.session.reject(self.numbers, self.now)),
        }
    }

    /// What is shown at the cursor, why nothing is, or that a call is waited for.
    fn shown(&mut self) -> String {
        let spot = Spot::at(self.cursor);
        let numbers = &mut self.numbers;
        let offers = self.session.offers(&self.id, &spot, 1, || {
            *numbers += 1;
            *numbers
        });
        let mut shown = match offers.first() {
            Some(Offer { text, span, .. }) if span.is_empty() => format!("{text:?}"),
            Some(Offer { text, span, .. }) => format!("{text:?} for {} bytes", span.len()),
            None => {
                match (self.session.promising(&self.id, &spot), self.session.known_nothing(&self.id, &spot)) {
                    (Some(call), _) => format!("waits for {call}"),
                    (None, Some(reason)) => format!("nothing: {}", reason.code()),
                    (None, None) => "-".to_owned(),
                }
            }
        };
        for (number, handle) in &self.calls {
            if handle.is_aborted() {
                _ = write!(shown, ", {number} ended");
            }
        }
        self.calls.retain(|(_, handle)| !handle.is_aborted());
        shown
    }
}

/// Plays the steps and shows what is on screen after each.
fn check(marked: &str, steps: &[Step], expect: Expect) {
    let mut play = Play::start(marked);
    let mut shown = Vec::new();
    for step in steps {
        play.step(step);
        shown.push(play.shown());
    }
    expect.assert_eq(&shown.join("\n"));
}

#[test]
fn what_agrees_stays_and_what_differs_hides_it_until_it_is_taken_back() {
    check(
        "let x = ˇ;",
        &[
            Ask(1),
            Done(1, "猫.len()", "猫.len()"),
            Type("猫"),
            Type(".x"),
            Back(1),
            Back(1),
            Back(3),
            Type("猫.len()"),
        ],
        expect![[r#"
            waits for 1
            "猫.len()", 1 ended
            ".len()"
            -
            "len()"
            ".len()"
            "猫.len()"
            -"#]],
    );
}

#[test]
fn the_editors_closers_and_indentation_agree() {
    check(
        "ˇ\n",
        &[
            Ask(1),
            Done(1, "call(a, b);", "call(a, b);"),
            Type("call("),
            Pair(")"),
            Type("a, b"),
            Edit(9, 10, ""),
            Type(")"),
        ],
        expect![[r#"
            waits for 1
            "call(a, b);", 1 ended
            "a, b);"
            "a, b);" for 1 bytes
            ");" for 1 bytes
            ");"
            ";""#]],
    );
    check(
        "fn f() ˇ\n",
        &[
            Ask(1),
            Done(1, "{\n    g();\n}", "{\n    g();\n}"),
            Type("{"),
            Pair("}"),
            Type("\n  "),
            Pair("\n"),
            Type("g"),
        ],
        expect![[r#"
            waits for 1
            "{\n    g();\n}", 1 ended
            "\n    g();\n}"
            "\n    g();\n"
            "  g();\n"
            "  g();"
            "();""#]],
    );
}

#[test]
fn changes_around_it_end_it_and_those_above_do_not() {
    check(
        "use a;\nfˇ\n",
        &[Ask(1), Done(1, "n main", "n main"), Edit(0, 7, "use bc;\n"), Type("n")],
        expect![[r#"
            waits for 1
            "n main", 1 ended
            "n main"
            " main""#]],
    );
    for edit in [Edit(7, 8, "g"), Edit(9, 9, "x")] {
        check(
            "use a;\nfˇ\nx\n",
            &[Ask(1), Done(1, "n main", "n main"), edit],
            expect![[r#"
                waits for 1
                "n main", 1 ended
                -"#]],
        );
    }
}

#[test]
fn a_late_answer_is_used_if_it_still_fits() {
    check(
        "let aˇ",
        &[
            Ask(1),
            Type(" ="),
            Ask(2),
            Type(" "),
            Grow(1, " = 1", ""),
            Done(2, "5;", "5;"),
            Done(1, " = 12;", " = 12;"),
        ],
        expect![[r#"
            waits for 1
            -
            waits for 2
            -
            waits for 1
            waits for 1, 2 ended
            "12;", 1 ended"#]],
    );
}

#[test]
fn a_call_that_writes_something_else_than_was_typed_is_ended() {
    check(
        "ˇ",
        &[Ask(1), Type("a"), Grow(1, "b", "")],
        expect![[r#"
            waits for 1
            -
            -, 1 ended"#]],
    );
    check(
        "ˇ",
        &[Ask(1), Grow(1, "ab", ""), Type("a"), Type("x")],
        expect![[r#"
            waits for 1
            waits for 1
            waits for 1
            -, 1 ended"#]],
    );
}

#[test]
fn the_first_statement_comes_first_and_the_rest_when_that_stands() {
    check(
        "ˇ",
        &[
            Ask(1),
            Grow(1, "a();\nb", "a();"),
            Type("a"),
            Grow(1, "a();\nb();\nc", "a();\nb();"),
            Type("();"),
            Accept(1),
            Done(1, "a();\nb();\nc();", "a();"),
            Type("\n"),
            Type("b();\nc();"),
        ],
        expect![[r#"
            waits for 1
            "a();"
            "();"
            "();"
            "\nb();"
            "\nb();"
            "\nb();", 1 ended
            "b();"
            -"#]],
    );
}

#[test]
fn what_was_accepted_and_taken_back_is_not_shown_again() {
    check(
        "ˇ",
        &[Ask(1), Done(1, "abc", "abc"), Type("abc"), Accept(1), Back(3)],
        expect![[r#"
            waits for 1
            "abc", 1 ended
            -
            -
            -"#]],
    );
}

#[test]
fn that_there_is_nothing_is_remembered_for_the_same_text() {
    check(
        "x\nˇ",
        &[Ask(1), Nothing(1), Type("a"), Back(1), Edit(0, 1, "y")],
        expect![[r#"
            waits for 1
            nothing: nothing-to-add, 1 ended
            -
            nothing: nothing-to-add
            -"#]],
    );
}

#[test]
fn what_was_dismissed_does_not_come_back_in_its_place() {
    check(
        "fn f() {\n    ˇ\n}\n",
        &[
            Ask(1),
            Done(1, "work();", "work();"),
            Reject,
            Edit(0, 0, "// above\n"),
            Ask(2),
            Done(2, "work();", "work();"),
            Type("wo"),
            Ask(3),
            Done(3, "rk();", "rk();"),
            Back(2),
            Ask(4),
            Done(4, "other();", "other();"),
        ],
        expect![[r#"
            waits for 1
            "work();", 1 ended
            -
            -
            waits for 2
            nothing: rejected-before, 2 ended
            nothing: rejected-before
            waits for 3
            nothing: rejected-before, 3 ended
            nothing: rejected-before
            waits for 4
            "other();", 4 ended"#]],
    );
}

#[test]
fn at_most_two_calls_run_for_a_file_and_all_end_with_it() {
    let mut play = Play::start("ˇ");
    for number in 1..=4 {
        play.step(&Ask(number));
        play.step(&Type("x"));
    }
    let handles: Vec<_> = play.calls.iter().map(|(number, handle)| (*number, handle.is_aborted())).collect();
    assert_eq!(handles, [(1, false), (2, true), (3, true), (4, false)]);
    play.session.close(&play.id);
    assert!(play.calls.iter().all(|(_, handle)| handle.is_aborted()));
}

#[test]
fn a_call_that_nobody_waits_for_ends_after_a_while() {
    let mut play = Play::start("ˇ");
    play.step(&Ask(1));
    play.session.join(&play.id, 1);
    play.session.leave(&play.id, 1, play.now);
    play.step(&Grow(1, "a", ""));
    assert_eq!(play.shown(), "waits for 1", "the next key may want it");
    play.now += Duration::from_millis(400);
    play.step(&Grow(1, "ab", ""));
    assert_eq!(play.shown(), "-, 1 ended");
}

#[test]
fn a_selected_menu_entry_is_extended_in_its_range() {
    let mut play = Play::start("    priˇ");
    let spot = Spot { cursor: 7, selected: Some((4, "println!".to_owned())) };
    let (handle, _) = AbortHandle::new_pair();
    let call = Call { number: 1, handle, by_hand: false };
    assert!(play.session.begin_call(&play.document(), &spot, call));
    play.step(&Done(1, "(\"hi\");", "(\"hi\");"));
    let offers = play.session.offers(&play.id, &spot, 1, || 9);
    assert_eq!(offers, [Offer { id: 9, span: 4..7, text: "println!(\"hi\");".to_owned() }]);
    let other = Spot { cursor: 7, selected: Some((4, "print!".to_owned())) };
    assert_eq!(play.session.offers(&play.id, &other, 1, || 9), []);
    assert_eq!(play.shown(), "\"ntln!(\\\"hi\\\");\"", "and serves without the menu");
}

#[test]
fn of_several_that_comes_first_which_most_calls_came_to() {
    let mut play = Play::start("ˇ");
    for (call, text) in [(1, "one();"), (2, "two();\n"), (3, "made_up();"), (4, "two();")] {
        play.step(&Ask(call));
        play.session.end_call(&play.id.clone(), call, Ok((text, text.len())));
    }
    play.session.doubt(&play.id.clone(), 3);
    let shown = |play: &mut Play, most| -> Vec<String> {
        let (session, numbers) = (&mut play.session, &mut play.numbers);
        let number = || {
            *numbers += 1;
            *numbers
        };
        let offers = session.offers(&play.id, &Spot::at(play.cursor), most, number);
        offers.into_iter().map(|offer| format!("{} {}", offer.id, offer.text.trim_end())).collect()
    };
    assert_eq!(shown(&mut play, 3), ["1 two();", "2 one();", "3 made_up();"]);
    assert_eq!(shown(&mut play, 3), ["1 two();", "2 one();", "3 made_up();"], "and they keep their numbers");
    play.step(&Type("o"));
    assert_eq!(shown(&mut play, 3), ["2 ne();"]);
    assert_eq!(play.session.offers(&play.id, &Spot::at(1), 1, || 99)[0].id, 2);
    play.step(&Back(1));
    assert_eq!(shown(&mut play, 2), ["2 one();", "1 two();"], "what is on screen stays first");
}

#[test]
fn a_part_that_was_taken_and_undone_is_not_shown_again() {
    // 6 UTF-16 units are "f(𝄞, "; half a character, or more than there are, is no harm.
    let cases = [
        (6, 0, "\"b);\""),
        (6, 1, "-"),
        (4, 2, "\", b);\""),
        (4, 6, "-"),
        (3, 6, "\"𝄞, b);\""),
        (99, 1, "-"),
    ];
    for (units, back, shown) in cases {
        let mut play = Play::start("ˇ");
        play.step(&Ask(1));
        play.step(&Done(1, "f(𝄞, b);", "f(𝄞, b);"));
        assert_eq!(play.shown(), "\"f(𝄞, b);\", 1 ended");
        play.step(&Type("f(𝄞, "));
        assert!(play.session.accept_part(1, units, play.now));
        play.step(&Back(back));
        assert_eq!(play.shown(), shown, "{units} units, {back} bytes taken back");
    }
}

#[test]
fn a_first_line_is_an_item_of_its_own() {
    let mut play = Play::start("ˇ");
    play.step(&Ask(1));
    play.step(&Done(1, "if a {\n    b();\n}", "if a {\n    b();\n}"));
    let offer = play.session.offers(&play.id, &Spot::at(0), 3, || 7).remove(0);
    let line = play.session.first_line(&play.id.clone(), &offer, || 8).unwrap();
    assert_eq!(line, Offer { id: 8, span: 0..0, text: "if a {".to_owned() });
    assert_eq!(play.session.first_line(&play.id.clone(), &offer, || 9).unwrap().id, 8, "it keeps its number");
    play.step(&Type("if a {"));
    assert!(play.session.accept(8, play.now));
    let offer = play.session.offers(&play.id, &Spot::at(6), 3, || 10).remove(0);
    assert_eq!((offer.id, offer.text.as_str()), (7, "\n    b();\n}"), "and the rest follows");
    // Nothing but a bracket is no line to take.
    assert_eq!(play.session.first_line(&play.id.clone(), &offer, || 11), None);
}

#[test]
fn looking_whether_something_was_rejected_shows_nothing() {
    let mut play = Play::start("ˇ");
    play.step(&Ask(1));
    play.step(&Done(1, "a();", "a();"));
    assert_eq!(play.shown(), "\"a();\", 1 ended");
    play.step(&Reject);
    play.step(&Ask(2));
    play.step(&Done(2, "a();", "a();"));
    assert_eq!(play.shown(), "nothing: rejected-before, 2 ended");
    assert!(!play.session.drawn(0), "no number was given away");
}

#[test]
fn unknown_numbers_change_nothing() {
    let mut play = Play::start("ˇ");
    let now = play.now;
    assert!(!play.session.accept(7, now) && !play.session.reject(7, now));
    assert!(!play.session.accept_part(7, 1, now) && !play.session.drawn(7));
    play.session.end_call(&play.id.clone(), 7, Ok(("a", 1)));
    assert_eq!(play.shown(), "-");
    assert!(play.session.counts().is_empty());
}

#[test]
fn snoozing_ends_by_itself() {
    let mut play = Play::start("ˇ");
    let until = play.now + Duration::from_secs(60);
    play.session.snooze(Some(until));
    assert!(play.session.habits(&play.id, play.now).snoozed);
    assert!(!play.session.habits(&play.id, until).snoozed);
    play.session.snooze(None);
    assert_eq!(play.session.snoozed(play.now), None);
}
