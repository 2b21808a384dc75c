//! Several calls, several suggestions, and the user's reactions to them.

use super::*;

#[test]
fn calls_of_one_file_are_two_at_most_and_end_with_it() {
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
fn call_that_a_prediction_is_followed_for_outlives_those_for_the_menu() {
    let mut play = Play::start("ˇ");
    for number in 1..=2 {
        play.step(&Ask(number));
        play.step(&Type("x"));
    }
    play.ghost().follow(vec![2]);
    let entry = |text: &str| CompletionPoint { cursor: 2, selected: Some((0, text.to_owned())) };
    assert_eq!(play.ghost().calls_ahead(&entry("xxl")), [2]);
    for (number, text) in [(3, "xxl"), (4, "xxs")] {
        let (handle, _) = AbortHandle::new_pair();
        play.calls.push((number, handle.clone()));
        let call = Call { number, handle, is_explicit: false, grace: GRACE, is_alone: false };
        let (document, now) = (play.document(), play.now);
        assert!(play.ghost().begin(&document, &entry(text), call, now).is_some());
    }
    let ended = |play: &Play| {
        play.calls.iter().map(|(number, handle)| (*number, handle.is_aborted())).collect::<Vec<_>>()
    };
    assert_eq!(ended(&play), [(1, true), (2, false), (3, true), (4, false)]);
    // After the next key, the point on screen is a different one.
    play.step(&Type("x"));
    assert!(play.ghost().calls_ahead(&entry("xxl")).is_empty());
}

#[test]
fn call_without_waiting_requests_is_stopped_after_a_while() {
    let mut play = Play::start("ˇ");
    play.step(&Ask(1));
    let interest = play.ghost().interest(1).unwrap();
    interest.join();
    interest.leave(play.now);
    play.step(&Grow(1, "a", ""));
    assert_eq!(play.shown(), "waits for 1", "the next key may want it");
    play.now += Duration::from_millis(400);
    play.step(&Grow(1, "ab", ""));
    assert_eq!(play.shown(), "-, 1 ended");
}

#[test]
fn selected_menu_entry_is_extended_in_its_range() {
    let mut play = Play::start("    priˇ");
    let point = CompletionPoint { cursor: 7, selected: Some((4, "println!".to_owned())) };
    let (handle, _) = AbortHandle::new_pair();
    let call = Call { number: 1, handle, is_explicit: false, grace: GRACE, is_alone: false };
    let (document, now) = (play.document(), play.now);
    assert!(play.ghost().begin(&document, &point, call, now).is_some());
    play.step(&Done(1, "(\"hi\");", "(\"hi\");"));
    let items = play.ghost().show(&point, 1, now, || 9);
    assert_eq!(items, [GhostText { id: 9, span: 4..7, text: "println!(\"hi\");".to_owned() }]);
    let other = CompletionPoint { cursor: 7, selected: Some((4, "print!".to_owned())) };
    assert_eq!(play.ghost().show(&other, 1, now, || 9), []);
    assert_eq!(play.shown(), "\"ntln!(\\\"hi\\\");\"", "and serves without the menu");
}

#[test]
fn suggestion_of_most_calls_comes_first() {
    let mut play = Play::start("ˇ");
    for (call, text) in [(1, "one();"), (2, "two();\n"), (3, "made_up();"), (4, "two();")] {
        play.step(&Ask(call));
        play.ghost().finish(call, Ok((text, text.len())));
    }
    play.ghost().mark_doubtful(3);
    let shown = |play: &mut Play, most| -> Vec<String> {
        let (session, numbers) = (&mut play.session, &mut play.numbers);
        let number = || {
            *numbers += 1;
            *numbers
        };
        let point = CompletionPoint::at(play.cursor);
        let items = session.ghost(&play.id).unwrap().show(&point, most, play.now, number);
        items.into_iter().map(|item| format!("{} {}", item.id, item.text.trim_end())).collect()
    };
    assert_eq!(shown(&mut play, 3), ["1 two();", "2 one();", "3 made_up();"]);
    assert_eq!(shown(&mut play, 3), ["1 two();", "2 one();", "3 made_up();"], "and they keep their numbers");
    play.step(&Type("o"));
    assert_eq!(shown(&mut play, 3), ["2 ne();"]);
    let now = play.now;
    assert_eq!(play.ghost().show(&CompletionPoint::at(1), 1, now, || 99)[0].id, 2);
    play.step(&Back(1));
    assert_eq!(shown(&mut play, 2), ["2 one();", "1 two();"], "what is on screen stays first");
}

#[test]
fn accepted_part_that_is_undone_is_not_shown_again() {
    // 6 UTF-16 units are "f(𝄞, "; half a character or too many units do no harm.
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
        assert!(play.session.feedback().accept_part(1, units, play.now));
        play.step(&Back(back));
        assert_eq!(play.shown(), shown, "{units} units, {back} bytes taken back");
    }
}

#[test]
fn first_line_is_an_item_of_its_own() {
    let mut play = Play::start("ˇ");
    play.step(&Ask(1));
    play.step(&Done(1, "if a {\n    b();\n}", "if a {\n    b();\n}"));
    let now = play.now;
    let item = play.ghost().show(&CompletionPoint::at(0), 3, now, || 7).remove(0);
    let line = play.ghost().first_line(&item, || 8).unwrap();
    assert_eq!(line, GhostText { id: 8, span: 0..0, text: "if a {".to_owned() });
    assert_eq!(play.ghost().first_line(&item, || 9).unwrap().id, 8, "it keeps its number");
    play.step(&Type("if a {"));
    assert!(play.session.feedback().accept(8, play.now));
    let item = play.ghost().show(&CompletionPoint::at(6), 3, now, || 10).remove(0);
    assert_eq!((item.id, item.text.as_str()), (7, "\n    b();\n}"), "and the rest follows");
    // A line with only a bracket is not offered.
    assert_eq!(play.ghost().first_line(&item, || 11), None);
}

#[test]
fn look_for_rejected_text_gives_no_number_away() {
    let mut play = Play::start("ˇ");
    play.step(&Ask(1));
    play.step(&Done(1, "a();", "a();"));
    assert_eq!(play.shown(), "\"a();\", 1 ended");
    play.step(&Reject);
    play.step(&Ask(2));
    play.step(&Done(2, "a();", "a();"));
    assert_eq!(play.shown(), "nothing: rejected-before, 2 ended");
    assert!(!play.session.feedback().mark_drawn(0), "no number was given away");
}

#[test]
fn unknown_number_changes_nothing() {
    let mut play = Play::start("ˇ");
    let now = play.now;
    let mut feedback = play.session.feedback();
    assert!(!feedback.accept(7, now) && !feedback.reject(7, now));
    assert!(!feedback.accept_part(7, 1, now) && !feedback.mark_drawn(7));
    play.ghost().finish(7, Ok(("a", 1)));
    assert_eq!(play.shown(), "-");
    assert!(play.session.user().counts().is_empty());
}

#[test]
fn snooze_ends_by_itself() {
    let mut play = Play::start("ˇ");
    let until = play.now + Duration::from_secs(60);
    play.session.user_mut().snooze(Some(until));
    assert!(play.session.activity(&play.id, play.now).is_snoozed);
    assert!(!play.session.activity(&play.id, until).is_snoozed);
    play.session.user_mut().snooze(None);
    assert_eq!(play.session.user().snoozed(play.now), None);
}
