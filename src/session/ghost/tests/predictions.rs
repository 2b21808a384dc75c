//! Predictions of the local engine, and the suggestions that take over from them.

use super::*;

#[test]
fn prediction_stays_unless_the_model_goes_on_with_it() {
    check(
        "ˇ",
        &[
            Predict(1, "height;"),
            Ask(2),
            Wait(400),
            Done(2, "height;\nnext();", "height;\nnext();"),
            Type("h"),
        ],
        expect![[r#"
            "height;"
            "height;"
            "height;"
            "height;\nnext();", 2 ended
            "eight;\nnext();""#]],
    );
    check(
        "ˇ",
        &[
            Predict(1, "height;"),
            Ask(2),
            Wait(400),
            Done(2, "head();", "head();"),
            Type("he"),
            Type("a"),
            Back(1),
        ],
        expect![[r#"
            "height;"
            "height;"
            "height;"
            "height;", 2 ended
            "ight;"
            "d();"
            "ad();""#]],
    );
}

#[test]
fn prediction_that_was_just_shown_is_replaced() {
    check(
        "ˇ",
        &[Ask(1), Predict(2, "height;"), Wait(149), Done(1, "width;", "width;"), Wait(400)],
        expect![[r#"
            waits for 1
            "height;"
            "height;"
            "width;", 1 ended
            "width;""#]],
    );
}

#[test]
fn prediction_comes_after_an_answer_that_was_there_first() {
    check(
        "ˇ",
        &[Ask(1), Done(1, "width;", "width;"), Predict(2, "height;"), Type("h")],
        expect![[r#"
            waits for 1
            "width;", 1 ended
            "width;"
            "eight;""#]],
    );
}

#[test]
fn takeover_is_decided_once() {
    let mut play = Play::start("ˇ");
    let point = CompletionPoint::at(0);
    for step in [Ask(1), Predict(2, "height;")] {
        play.step(&step);
    }
    assert_eq!(play.shown(), "\"height;\"");
    let take_over = |play: &mut Play| {
        let now = play.now;
        play.ghost().take_over(&point, now)
    };
    assert!(!take_over(&mut play), "nothing has come yet");
    play.now += Duration::from_millis(100);
    play.step(&Done(1, "width;", "width;"));
    assert!(take_over(&mut play));
    assert!(!take_over(&mut play), "it is on screen already");
    play.now += Duration::from_millis(100);
    assert_eq!(play.shown(), "\"width;\", 1 ended", "the request came later");
}
