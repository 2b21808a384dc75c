//! Several calls, several suggestions, and what the user says of them.

use super::*;

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
