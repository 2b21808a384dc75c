//! A session's ghost text, driven like an editor and a model would.
//!
//! The input is marked text; the output is the text on screen.

mod predictions;
mod several;

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use futures_util::future::AbortHandle;

use super::*;
use crate::config::Settings;
use crate::document::position::{Encoding, position_at};
use crate::document::{Change, Document, DocumentId};
use crate::job::Reason;
use crate::session::Session;

/// One step of a play; bytes refer to the text at that moment, without `ˇ`.
enum Step {
    /// Types a text at the cursor.
    Type(&'static str),
    /// The editor inserts text right of the cursor.
    Pair(&'static str),
    /// Deletes this many bytes left of the cursor.
    Back(usize),
    /// The bytes `start..end` are replaced, without the cursor.
    Edit(usize, usize, &'static str),
    /// Begins a call at the cursor.
    Ask(u64),
    /// A call's model has written the first text so far, of which the second can be shown.
    Grow(u64, &'static str, &'static str),
    /// A call's model is done: the text, and the part of it to show first.
    Done(u64, &'static str, &'static str),
    /// A call produced nothing.
    Nothing(u64),
    /// The disk did not answer a call in time.
    NotRead(u64),
    /// The local engine predicts a text.
    Predict(u64, &'static str),
    /// Waits this many milliseconds.
    Wait(u64),
    /// Accepts a suggestion, which the editor reports after its change.
    Accept(u64),
    /// Dismisses the newest suggestion.
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

    fn ghost(&mut self) -> Ghost<'_> {
        self.session.ghost(&self.id).expect("the file is open")
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
                let call = Call { number, handle, is_explicit: false, grace: GRACE, is_alone: false };
                let (document, point) = (self.document(), CompletionPoint::at(self.cursor));
                let now = self.now;
                assert!(self.ghost().begin(&document, &point, call, now).is_some());
            }
            Predict(number, text) => {
                let (document, cursor, now) = (self.document(), self.cursor, self.now);
                assert!(self.ghost().predict(&document, cursor, (number, text), Source::default(), now));
            }
            Wait(milliseconds) => self.now += Duration::from_millis(milliseconds),
            Grow(call, text, ready) => {
                let now = self.now;
                let (ControlFlow::Continue(()) | ControlFlow::Break(())) =
                    self.ghost().grow(call, text, ready, now);
            }
            Done(call, text, first) => self.ghost().finish(call, Ok((text, first.len()))),
            Nothing(call) => self.ghost().finish(call, Err(Reason::NothingToAdd)),
            NotRead(call) => self.ghost().finish(call, Err(Reason::NotRead("it is slow".to_owned()))),
            Accept(number) => assert!(self.session.feedback().accept(number, self.now)),
            Reject => assert!(self.session.feedback().reject(self.numbers, self.now)),
        }
    }

    /// The text shown at the cursor, the reason for none, or the state that a call is awaited.
    fn shown(&mut self) -> String {
        let point = CompletionPoint::at(self.cursor);
        let (numbers, now) = (&mut self.numbers, self.now);
        let mut ghost = self.session.ghost(&self.id).expect("the file is open");
        let items = ghost.show(&point, 1, now, || {
            *numbers += 1;
            *numbers
        });
        let mut shown = match items.first() {
            Some(GhostText { text, span, .. }) if span.is_empty() => format!("{text:?}"),
            Some(GhostText { text, span, .. }) => format!("{text:?} for {} bytes", span.len()),
            None => match (ghost.fitting_call(&point), ghost.known_nothing(&point)) {
                (Some(call), _) => format!("waits for {call}"),
                (None, Some(reason)) => format!("nothing: {}", reason.code()),
                (None, None) => "-".to_owned(),
            },
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

/// Plays the steps and checks the screen after each.
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
fn suggestion_with_different_typing_is_hidden_until_undone() {
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
fn editors_closers_and_indentation_agree() {
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
fn change_beside_drops_it_and_change_above_does_not() {
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
fn late_answer_that_fits_is_shown() {
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
fn call_that_differs_from_typing_is_stopped() {
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
fn first_statement_is_shown_before_the_rest() {
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
fn accepted_and_undone_text_is_not_shown_again() {
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
fn nothing_is_remembered_for_the_same_text() {
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
fn disk_that_was_slow_is_asked_again_at_the_same_place() {
    check(
        "x\nˇ",
        &[Ask(1), NotRead(1), Ask(2), Done(2, "y", "y")],
        expect![[r#"
            waits for 1
            -, 1 ended
            waits for 2
            "y", 2 ended"#]],
    );
}

#[test]
fn rejected_text_in_its_place_is_not_shown_again() {
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
fn rejected_text_that_is_deleted_to_its_left_and_typed_again_is_not_shown_again() {
    let again = || [Ask(2), Done(2, "work();", "work();")];
    let play = |steps: Vec<Step>| {
        let mut all = vec![Ask(1), Done(1, "work();", "work();"), Reject];
        all.extend(steps);
        all
    };
    check(
        "fn f() {\n    a = ˇ\n}\n",
        &play([Back(1), Type(" ")].into_iter().chain(again()).collect()),
        expect![[r#"
            waits for 1
            "work();", 1 ended
            -
            -
            -
            waits for 2
            nothing: rejected-before, 2 ended"#]],
    );
    check(
        "fn f() {\n    a = ˇ\n}\n",
        &play([Type("x"), Back(4), Type(" = ")].into_iter().chain(again()).collect()),
        expect![[r#"
            waits for 1
            "work();", 1 ended
            -
            -
            -
            -
            waits for 2
            nothing: rejected-before, 2 ended"#]],
    );
    // The same text in another line was not rejected.
    check(
        "fn f() {\n    a = ˇ\n}\n",
        &play([Type("1;\n    a = ")].into_iter().chain(again()).collect()),
        expect![[r#"
            waits for 1
            "work();", 1 ended
            -
            -
            waits for 2
            "work();", 2 ended"#]],
    );
}
