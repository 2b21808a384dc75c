//! A session's ghost text, driven as an editor and a model would: marked text in, what is on screen out.

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

mod several;

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
